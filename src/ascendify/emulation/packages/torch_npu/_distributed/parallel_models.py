"""Parts of torch for several devices that know CUDA only: what the NPU has, and what it has not."""

import functools
import inspect

import torch.distributed as dist
from torch.distributed.nn import functional
from torch.nn import DataParallel

from .._device import dispatcher
from .._device.keys import NPU
from .import_hooks import after_import


def _scaler_of_the_npu(module):
    """Let torch's scaler for sharded models mean the NPU where no device is named."""
    stock = module.ShardedGradScaler

    if "device" not in inspect.signature(stock.__init__).parameters:
        return  # torch before 2.4 has one for CUDA, whatever the device

    class ShardedGradScaler(stock):
        @functools.wraps(stock.__init__)
        def __init__(self, device="npu", *arguments, **named):
            super().__init__(device, *arguments, **named)

    ShardedGradScaler.__doc__ = stock.__doc__
    module.ShardedGradScaler = ShardedGradScaler


_OF_SHARDING = {
    "all_gather_copy_in": "all_gather_copy_in_cuda",
    "split_with_sizes_copy": "split_with_sizes_copy",
    "chunk_cat": "chunk_cat",
}
"""Operators of fully_shard, and the functions that its module has for CUDA."""


def _shard_on_the_npu(module):
    """Let the operators of fully_shard be those of an accelerator where they know CUDA only."""
    for operator, function in _OF_SHARDING.items():
        name = f"fsdp::{operator}"
        if hasattr(module, function) and not dispatcher.has_kernel(name, NPU):
            dispatcher.implement(name, getattr(module, function), NPU)


def _gradient_of_gathering(ctx, grad_output):
    """The derivative of _all_gather_base, which torch has for nccl."""
    size = dist.get_world_size(ctx.group)
    rows = grad_output.shape[0]
    if rows % size:
        raise RuntimeError(
            "Tensor with dimensions: %s does not have first dimension divisible by world_size: %d"
            % (list(grad_output.shape), size)
        )
    gradient = grad_output.new_empty((rows // size,) + tuple(grad_output.shape[1:]))
    dist.reduce_scatter_tensor(gradient, grad_output.contiguous(), group=ctx.group)
    return None, gradient, None


def _refuse(stock):
    @functools.wraps(stock)
    def forward(self, *inputs, **named):
        if self.device_ids and self.src_device_obj.type == "npu":
            raise RuntimeError(
                "torch.nn.DataParallel is not supported on the NPU (device_ids %s): one process "
                "drives one device. Use DistributedDataParallel with one process for each NPU "
                "(torchrun --nproc_per_node), or for one device the module itself."
                % (self.device_ids,)
            )
        return stock(self, *inputs, **named)

    return forward


def install():
    """Put these in the place of torch's own."""
    after_import("torch.distributed.fsdp.sharded_grad_scaler", _scaler_of_the_npu)
    after_import("torch.distributed.fsdp._fully_shard._fsdp_collectives", _shard_on_the_npu)
    stock = functional._AllGatherBase.backward

    def backward(ctx, grad_output):
        on_npu = grad_output.device.type == "npu"
        return _gradient_of_gathering(ctx, grad_output) if on_npu else stock(ctx, grad_output)

    functional._AllGatherBase.backward = staticmethod(backward)
    DataParallel.forward = _refuse(DataParallel.forward)
