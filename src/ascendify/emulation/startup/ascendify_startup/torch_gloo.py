"""Types and collectives that gloo does not have in every release, by those that it always has.

The emulated NPU and the pretended GPU share this module: gloo carries the messages of both.
"""

import torch

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
"""Types that gloo moves from rank to rank in every release."""
_OF_SIZE = {1: torch.uint8, 2: torch.float16, 4: torch.int32, 8: torch.int64}
"""A type of this kind for each number of bytes."""


def as_carried(value):
    """Let gloo see tensors of other types as a type of the same size that it moves.

    The memory, the shape and the strides stay the same: rows can be counted as before. Complex
    numbers are left to torch, which sends them as pairs.

    Args:
        value: An argument of a collective that moves data and does not compute: a tensor, a list,
            a list of lists, or anything else, which is returned as it is.
    """
    if isinstance(value, torch.Tensor):
        if value.dtype in _CARRIED or value.dtype.is_complex:
            return value
        return value.detach().view(_OF_SIZE[value.element_size()])
    if isinstance(value, (list, tuple)):
        return [as_carried(item) for item in value]
    return value
