"""Writing where a condition holds, and rolling."""

import torch

__all__ = ["npu_fast_condition_index_put", "roll"]


def npu_fast_condition_index_put(x, condition, value):
    """Return x with a value where the condition holds; no index of varying size is needed."""
    if condition.dtype != torch.bool:
        raise TypeError("Expected condition.dtype in [torch.bool], not %s" % condition.dtype)
    return torch.where(condition, torch.zeros_like(x) + value, x)


def roll(x, shifts, dims):
    """torch.roll over height and width of N x H x W x C."""
    if x.dim() != 4:
        raise ValueError("Expected x.dim() == 4")
    if len(shifts) != 2:
        raise ValueError("Expected len(shifts) == 2")
    if len(dims) != 2:
        raise ValueError("Expected len(dims) == 2")
    return torch.roll(x, tuple(shifts), (1, 2))
