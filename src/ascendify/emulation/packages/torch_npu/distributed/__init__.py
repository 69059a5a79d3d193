"""torch_npu.distributed: functions that torch_npu adds to torch.distributed."""

import torch
import torch.distributed as _dist

from .._distributed.additions import is_hccl_available, reinit_process_group

__all__ = [
    "all_gather_into_tensor_uneven",
    "is_available",
    "is_hccl_available",
    "reduce_scatter_tensor_uneven",
    "reinit_process_group",
]


def is_available():
    """Whether torch was built with torch.distributed."""
    return _dist.is_available()


def all_gather_into_tensor_uneven(
    output_tensor, input_tensor, output_split_sizes=None, group=None, async_op=False
):
    """all_gather_into_tensor for ranks with different numbers of rows."""
    world_size = _dist.get_world_size(group)
    sizes = output_split_sizes or [output_tensor.shape[0] // world_size] * world_size
    _check_sizes("output", sizes, output_tensor, world_size)
    received = torch.empty_like(output_tensor)
    everywhere = torch.cat([input_tensor] * world_size)
    _dist.all_to_all_single(
        received, everywhere, sizes, [input_tensor.shape[0]] * world_size, group
    )
    output_tensor.copy_(received)
    return _done(output_tensor) if async_op else None


def reduce_scatter_tensor_uneven(
    output, input, input_split_sizes=None, op=_dist.ReduceOp.SUM, group=None, async_op=False
):
    """reduce_scatter_tensor for ranks that get different numbers of rows."""
    world_size = _dist.get_world_size(group)
    sizes = input_split_sizes or [input.shape[0] // world_size] * world_size
    _check_sizes("input", sizes, input, world_size)
    total = input.clone()
    _dist.all_reduce(total, op, group)
    output.copy_(total.split(sizes)[_dist.get_rank(group)])
    return _done(output) if async_op else None


def _check_sizes(which, sizes, tensor, world_size):
    if len(sizes) != world_size or sum(sizes) != tensor.shape[0]:
        raise ValueError(
            "Split sizes doesn't match total dim 0 size: %s_split_sizes is %s, the %s tensor has "
            "%d rows and the group %d ranks." % (which, sizes, which, tensor.shape[0], world_size)
        )


def _done(tensor):
    future = torch.futures.Future()
    future.set_result(tensor)
    return torch._C._distributed_c10d._create_work_from_future(future)
