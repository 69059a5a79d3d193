"""Pinned memory: ordinary host memory that is marked as pinned.

torch uses the accelerator's allocator for pinned memory, which cannot be written in Python. Here
the host's allocator is used, and the storage is marked, so that every view of it is pinned, too.
"""

import functools

import torch
from torch.jit import _builtins
from torch.utils import _device

from torch_npu._device import accounting

_MAKERS = (
    (
        torch,
        """
        arange empty empty_like empty_permuted empty_strided eye full full_like linspace logspace
        ones ones_like rand rand_like randint randint_like randn randn_like randperm tensor zeros
        zeros_like
        """,
    ),
    (torch.Tensor, "new_empty new_empty_strided new_full new_ones new_zeros"),
)
"""Functions that take `pin_memory=True`."""


def _marked(tensor):
    accounting.pin(tensor.untyped_storage())
    return tensor


def _served(function):
    """Wrap a function to return pinned results made here."""

    @functools.wraps(function)
    def made(*args, **kwargs):
        if not kwargs.get("pin_memory"):
            return function(*args, **kwargs)
        result = function(*args, **{**kwargs, "pin_memory": False})
        if not result.is_cpu:
            raise RuntimeError("Only dense CPU tensors can be pinned")
        return _marked(result)

    operator = _builtins._find_builtin(function)
    if operator is not None:
        # TorchScript compiles to the operator, not to this function
        _builtins._register_builtin(made, operator)
    return made


def pin_memory(self, device=None):
    """`Tensor.pin_memory`: a copy, unless the tensor is already pinned."""
    if not self.is_cpu:
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    if is_pinned(self):
        return self
    return _marked(self.detach().clone() if not self.requires_grad else self.clone())


def is_pinned(self, device=None):
    """`Tensor.is_pinned`."""
    if not self.is_cpu or self.layout is not torch.strided:
        return False
    return accounting.is_pinned(self.untyped_storage())


def install():
    """Replace torch's own functions, which need a driver."""
    # default devices apply to the functions in this list, which torch makes once, of its own
    _device._device_constructors()
    for owner, names in _MAKERS:
        for name in names.split():
            setattr(owner, name, _served(getattr(owner, name)))
    torch.Tensor.pin_memory = pin_memory
    torch.Tensor.is_pinned = is_pinned
