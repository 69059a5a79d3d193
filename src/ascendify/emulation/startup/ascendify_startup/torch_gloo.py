"""Implement types and collectives that gloo lacks in some releases with those that it always has.

The emulated NPU and the pretended GPU share this module: both communicate through gloo.
"""

import torch
import torch.distributed as dist

WIDER = {torch.int16: torch.int32}
"""Types that gloo does not reduce, and wider types that give the same result after rounding."""
if not hasattr(dist.ProcessGroup, "unbox"):  # torch before 2.3
    WIDER[torch.bfloat16] = torch.float32
_CARRIED = frozenset(
    [
        torch.float32,
        torch.float64,
        torch.float16,
        torch.uint8,
        torch.int8,
        torch.int32,
        torch.int64,
    ]
)
"""Types that gloo can send in every release."""
_OF_SIZE = {1: torch.uint8, 2: torch.float16, 4: torch.int32, 8: torch.int64}
"""A type that gloo can send, for each size in bytes."""


def as_carried(value):
    """View tensors of other types as a type of the same size that gloo can send.

    Memory, shape and strides stay the same, so rows can be counted as before. Complex numbers are
    not changed: torch sends them as pairs.

    Args:
        value: An argument of a collective that only moves data: a tensor, a list, a list of lists,
            or anything else, which is returned unchanged.
    """
    if isinstance(value, torch.Tensor):
        if value.dtype in _CARRIED or value.dtype.is_complex:
            return value
        return value.detach().view(_OF_SIZE[value.element_size()])
    if isinstance(value, (list, tuple)):
        return [as_carried(item) for item in value]
    return value


def widen(value, wider=WIDER):
    """Convert a tensor, or a list of them, to a type that gloo reduces; a copy only if needed."""
    if isinstance(value, torch.Tensor):
        return value.to(wider.get(value.dtype, value.dtype))
    return [widen(item, wider) for item in value]


def finished_work(outputs):
    """Return work that is already done, with a future that holds its outputs."""
    future = torch.futures.Future()
    future.set_result(outputs)
    return torch._C._distributed_c10d._create_work_from_future(future)


def all_to_all(group, outputs, inputs):
    """Send each rank one tensor of a list, with the collective for parts of one tensor."""
    sent = torch.cat([tensor.reshape(-1) for tensor in inputs])
    received = sent.new_empty(sum(tensor.numel() for tensor in outputs))
    sizes = [[tensor.numel() for tensor in some] for some in (outputs, inputs)]
    group.alltoall_base(received, sent, *sizes, dist.AllToAllOptions()).wait()
    for tensor, part in zip(outputs, received.split(sizes[0])):
        tensor.copy_(part.view(tensor.shape))


def all_gather_into_tensor(group, output, own):
    """Join the tensors of all ranks, with the collective for a list of tensors."""
    own = own.contiguous()
    parts = [torch.empty_like(own) for _ in range(group.size())]
    group.allgather([parts], [own]).wait()
    output.copy_(torch.stack(parts).view(output.shape))


def reduce_scatter(group, output, inputs, kind):
    """Reduce a list of tensors, one for each rank, and keep this rank's one."""
    _keep_own_part(group, output, torch.cat([tensor.reshape(-1) for tensor in inputs]), kind)


def reduce_scatter_tensor(group, output, whole, kind):
    """Reduce a tensor that has a part for each rank, and keep this rank's part."""
    _keep_own_part(group, output, whole.reshape(-1).clone(), kind)


def _keep_own_part(group, output, whole, kind):
    """Reduce everything on every rank, because gloo cannot scatter in every release.

    The memory of `whole` is overwritten, and its type may be wider than that of the output.
    """
    options = dist.AllreduceOptions()
    options.reduceOp = kind
    group.allreduce([whole], options).wait()
    output.copy_(whole.chunk(group.size())[group.rank()].view(output.shape))
