"""float16 where the cpu has no kernel for it: computed in float32, and rounded.

torch before 2.3 multiplies no matrices of this type on a cpu. Accelerators do as is done here: they
add up in float32.
"""

import torch

MISSING = "not implemented for 'Half'"
"""What the error of such a kernel says."""


def computed(op, args, kwargs):
    """Run an operator on cpu tensors with those of float16 widened, and narrow what comes out."""
    wide = {}
    results = op(
        *[_widened(value, wide) for value in args],
        **{name: _widened(value, wide) for name, value in kwargs.items()},
    )
    written = {a.name for a in op._schema.arguments if a.alias_info and a.alias_info.is_write}
    if written:
        for narrow, other in wide.values():
            narrow.copy_(other)
    given = {id(other): narrow for narrow, other in wide.values()}
    if isinstance(results, (tuple, list)):
        return type(results)(_narrowed(one, given) for one in results)
    return _narrowed(results, given)


def _widened(value, wide):
    if isinstance(value, torch.Tensor):
        if value.dtype is not torch.float16:
            return value
        if id(value) not in wide:
            wide[id(value)] = value, value.float()
        return wide[id(value)][1]
    if isinstance(value, (list, tuple)):
        return type(value)(_widened(one, wide) for one in value)
    return torch.float32 if value is torch.float16 else value


def _narrowed(result, given):
    if id(result) in given:
        return given[id(result)]
    if isinstance(result, torch.Tensor) and result.dtype is torch.float32:
        return result.half()
    return result
