"""Register an npu kernel for every operator that has a cpu kernel."""

import functools

import torch

from torch_npu._device import (
    composites,
    creation,
    dispatcher,
    kernels,
    other_libraries,
    special_kernels,
    views,
)
from torch_npu._device.keys import AUTOGRAD, NPU

_kernels = {}
"""Every kernel without watchers, by (operator, dispatch key)."""


def operator(name):
    """Return the callable of `aten::add.Tensor`, or None if torch has no such operator."""
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), base, None)
    return getattr(packet, overload or "default", None)


def implement(name, kernel, key=NPU):
    """Register one kernel, with the watchers if there are any."""
    _kernels[name, key] = kernel
    shown = kernels.with_watchers(operator(name), kernel) if kernels.watchers else kernel
    dispatcher.implement(name, shown, key)


def _made_when_called(name):
    """Return a kernel that is generated at its first call: most operators are never called."""

    def first_call(*args, **kwargs):
        op = operator(name)
        kernel = kernels.kernel_of(op)
        implement(name, kernel)
        # the watchers have already seen this call
        return kernel(*args, **kwargs)

    return first_call


def install():
    """Register the hand-written kernels, then generated ones, then the fallback for the rest."""
    for module in (creation, views, special_kernels, composites):
        for name, kernel, key in module.kernels():
            implement(name, kernel, key)
    for name in _operators_of_the_cpu():
        implement(name, _made_when_called(name))
    # torch before 2.10 has no autograd kernel for operators with an npu kernel and no derivative
    dispatcher.fall_through(AUTOGRAD)
    if dispatcher.has_fallbacks():
        dispatcher.fall_back(_any_other, NPU)
        for kind in _NOT_EMULATED:
            dispatcher.fall_back(_refused(kind), f"{kind}{NPU}")
    else:
        other_libraries.follow(
            lambda name, *args, **kwargs: _any_other(operator(name), *args, **kwargs)
        )
        for kind in _known_kinds():
            for name in torch._C._dispatch_get_registrations_for_dispatch_key(f"{kind}CPU"):
                dispatcher.implement(name, functools.partial(_refused(kind), name), f"{kind}{NPU}")
    kernels.when_watched(_register_again)


_NOT_EMULATED = ("Sparse", "SparseCsr", "Quantized")
"""Kinds of tensors with their own dispatch keys."""


def _known_kinds():
    """Yield the kinds with a dispatch key for the npu: in torch 2.1 `SparseCsr` has none."""
    for kind in _NOT_EMULATED:
        if hasattr(torch._C.DispatchKey, f"{kind}{NPU}"):
            yield kind


def _refused(kind):
    def kernel(op, *args, **kwargs):
        raise NotImplementedError(
            f"The emulated NPU has no {kind.lower()} tensors, {op} was called with one. Keep it on "
            "the cpu, or convert it with .to_dense() or .dequantize() before the move."
        )

    return kernel


_AS_ONE = frozenset(
    """
    _to_copy add add_ arange binary_cross_entropy_with_logits clone constant_pad_nd dist div div_
    embedding empty_like eye floor_divide fmod full full_like huber_loss_backward index_put
    index_put_ isinf linspace logical_and logical_not logical_or logsumexp masked_fill mean mul
    mul_ nan_to_num native_group_norm native_layer_norm new_empty new_full new_ones new_zeros norm
    ones ones_like remainder repeat rsub scalar_tensor select_backward slice_backward
    smooth_l1_loss_backward soft_margin_loss sort stack sub sub_ sum zero zeros zeros_like
    """.split()
)
"""Operators that torch composes of others: one kernel for the whole is faster than many."""


def _operators_of_the_cpu():
    """Yield the names of the operators that get a kernel generated from their schema."""
    schemas = {(s.name, s.overload_name): s for s in torch._C._jit_get_all_schemas()}
    registered = torch._C._dispatch_get_registrations_for_dispatch_key
    for name in (*registered("CPU"), *filter(_is_one, registered("CompositeExplicitAutograd"))):
        schema = schemas.get(_split(name))
        is_new = name.startswith("aten::") and (name, NPU) not in _kernels
        if is_new and schema is not None and not _returns_a_view(schema):
            yield name


def _split(name):
    base, _, overload = name.partition(".")
    return base, overload


def _is_one(name):
    base, overload = _split(name.partition("::")[2])
    return (base in _AS_ONE or base.startswith("_foreach_")) and "out" not in overload


def _returns_a_view(schema):
    return any(a.alias_info is not None and not a.alias_info.is_write for a in schema.arguments)


def _any_other(op, *args, **kwargs):
    """Run operators of other libraries, or those defined after the import."""
    return kernels.with_watchers(op, kernels.kernel_of(op))(*args, **kwargs)


def _register_again():
    for (name, key), kernel in list(_kernels.items()):
        implement(name, kernel, key)
