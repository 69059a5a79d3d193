"""Adapt parts of torch for several devices that support only CUDA, or refuse them."""

import functools
import inspect

import torch.distributed as dist
from ascendify_startup import torch_dtensor_random
from torch.distributed.nn import functional
from torch.nn import DataParallel

from .._device import dispatcher, generator
from .._device.keys import NPU
from .import_hooks import after_import


def _scaler_of_the_npu(module):
    """Make the NPU the default device of torch's scaler for sharded models."""
    stock = module.ShardedGradScaler

    if "device" not in inspect.signature(stock.__init__).parameters:
        return  # torch before 2.4 has a scaler for CUDA only

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
"""Operators of fully_shard, and the functions for CUDA in its module."""


def _shard_on_the_npu(module):
    """Register the operators of fully_shard for the NPU, if torch has them only for CUDA."""
    for operator, function in _OF_SHARDING.items():
        name = f"fsdp::{operator}"
        if hasattr(module, function) and not dispatcher.has_kernel(name, NPU):
            dispatcher.implement(name, getattr(module, function), NPU)


def _gradient_of_gathering(ctx, grad_output):
    """The derivative of _all_gather_base, which torch implements with nccl."""
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
    """Replace torch's own classes and functions."""
    after_import("torch.distributed.fsdp.sharded_grad_scaler", _scaler_of_the_npu)
    after_import("torch.distributed.fsdp._fully_shard._fsdp_collectives", _shard_on_the_npu)
    torch_dtensor_random.begin(lambda: generator.default)
    stock = functional._AllGatherBase.backward

    def backward(ctx, grad_output):
        on_npu = grad_output.device.type == "npu"
        return _gradient_of_gathering(ctx, grad_output) if on_npu else stock(ctx, grad_output)

    functional._AllGatherBase.backward = staticmethod(backward)
    DataParallel.forward = _refuse(DataParallel.forward)
