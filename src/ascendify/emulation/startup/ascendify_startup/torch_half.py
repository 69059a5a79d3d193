"""Run operators on 16-bit floats that the CPU has no kernel for in float32, then round.

PyTorch before 2.3 cannot multiply matrices of float16 on a CPU, and PyTorch 2.1 has no convolution
of bfloat16 on aarch64. Accelerators also compute in float32 and round the result. The emulated NPU
and the pretended GPU share this module, so that both round in the same way.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_MISSING = {
    "not implemented for 'Half'": torch.float16,
    "not implemented for 'BFloat16'": torch.bfloat16,
    "could not create a primitive": torch.bfloat16,
}
"""Parts of the error messages for a missing kernel, each with the type of its numbers; the last
message is oneDNN's."""


def missing(error):
    """Return the type without a CPU kernel that an error names; None for any other error."""
    return next((dtype for text, dtype in _MISSING.items() if text in str(error)), None)


def call(op, args, kwargs):
    """Run an operator unchanged, or in float32 if the CPU has no kernel for its type."""
    try:
        return op(*args, **kwargs)
    except RuntimeError as error:
        return call_after(error, op, args, kwargs)


def call_after(error, op, args, kwargs):
    """Run an operator again in float32 after an error; raise the error if it has another reason."""
    dtype = missing(error)
    if dtype is None:
        raise error
    return compute_in_float32(dtype, op, args, kwargs)


def compute_in_float32(dtype, op, args, kwargs):
    """Run an operator with its tensors of a type in float32, and convert its results back.

    Tensors that the operator writes to get the rounded values too.
    """
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
    """A context in which all operators run through `call`, also those of a backward pass."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run an operator unchanged, or in float32."""
        return call(func, args, kwargs or {})


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
