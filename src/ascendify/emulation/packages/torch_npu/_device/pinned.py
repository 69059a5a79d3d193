"""Pinned memory: host memory that remembers having been pinned."""

import torch

_is_pinned = torch._C.TensorBase.is_pinned


def pin_memory(self, device=None):
    """`Tensor.pin_memory`: a copy, unless the tensor is pinned already."""
    if not self.is_cpu:
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    if is_pinned(self):
        return self
    pinned = self.detach().clone() if not self.requires_grad else self.clone()
    pinned._ascendify_pinned = True
    return pinned


def is_pinned(self, device=None):
    """`Tensor.is_pinned`."""
    return getattr(self, "_ascendify_pinned", False)


def install():
    """Put these in the place of torch's own, which look for a driver."""
    torch.Tensor.pin_memory = pin_memory
    torch.Tensor.is_pinned = is_pinned
