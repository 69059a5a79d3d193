"""Numbers of 16 bits where the CPU has no kernel for them: computed in float32, and rounded.

PyTorch before 2.3 multiplies no matrices of float16 on a CPU, and PyTorch 2.1 makes no convolution
of bfloat16 on aarch64. Accelerators do as is done here: they add up in float32. The emulated NPU
and the pretended GPU share this module, so that both round alike.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_MISSING = {
    "not implemented for 'Half'": torch.float16,
    "not implemented for 'BFloat16'": torch.bfloat16,
    "could not create a primitive": torch.bfloat16,
}
"""What the error of such a kernel says, and the type it is about. The last text is oneDNN's."""


def missing(error):
    """The type that an error says the CPU has no kernel for; None for any other error."""
    return next((dtype for text, dtype in _MISSING.items() if text in str(error)), None)


def computed(dtype, op, args, kwargs):
    """Run an operator on CPU tensors with those of a type widened, and narrow what comes out."""
    wide = {}
    results = op(
        *[_widened(dtype, value, wide) for value in args],
        **{name: _widened(dtype, value, wide) for name, value in kwargs.items()},
    )
    written = {a.name for a in op._schema.arguments if a.alias_info and a.alias_info.is_write}
    if written:
        for narrow, other in wide.values():
            narrow.copy_(other)
    given = {id(other): narrow for narrow, other in wide.values()}
    if isinstance(results, (tuple, list)):
        return type(results)(_narrowed(dtype, one, given) for one in results)
    return _narrowed(dtype, results, given)


class Rounded(TorchDispatchMode):
    """A context in which every operator of every pass does this, the backward pass too."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run an operator as it is, or in float32 where it cannot be."""
        kwargs = kwargs or {}
        try:
            return func(*args, **kwargs)
        except RuntimeError as error:
            dtype = missing(error)
            if dtype is None:
                raise
            return computed(dtype, func, args, kwargs)


def _widened(dtype, value, wide):
    if isinstance(value, torch.Tensor):
        if value.dtype is not dtype:
            return value
        if id(value) not in wide:
            wide[id(value)] = value, value.float()
        return wide[id(value)][1]
    if isinstance(value, (list, tuple)):
        return type(value)(_widened(dtype, one, wide) for one in value)
    return torch.float32 if value is dtype else value


def _narrowed(dtype, result, given):
    if id(result) in given:
        return given[id(result)]
    if isinstance(result, torch.Tensor) and result.dtype is torch.float32:
        return result.to(dtype)
    return result
