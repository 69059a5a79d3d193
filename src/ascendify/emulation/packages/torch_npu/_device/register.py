"""Gives the dispatcher a kernel of the npu for every operator that has one for the cpu."""

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
"""Every kernel as it was made, by (operator, dispatch key): watchers are put before them."""


def operator(name):
    """`aten::add.Tensor` as an object that can be called, or nothing when torch has none."""
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), base, None)
    return getattr(packet, overload or "default", None)


def implement(name, kernel, key=NPU):
    """Register one kernel, watched if somebody watches."""
    _kernels[name, key] = kernel
    shown = kernels.watched(operator(name), kernel) if kernels.watchers else kernel
    dispatcher.implement(name, shown, key)


def _made_when_called(name):
    """A kernel that makes itself when it is first called: most operators never are."""

    def first_call(*args, **kwargs):
        op = operator(name)
        kernel = kernels.kernel_of(op)
        implement(name, kernel)
        # a watcher has seen this call already
        return kernel(*args, **kwargs)

    return first_call


def install():
    """Register the kernels made by hand, then one for each operator of the cpu, then the rest."""
    for module in (creation, views, special_kernels, composites):
        for name, kernel, key in module.kernels():
            implement(name, kernel, key)
    for name in _operators_of_the_cpu():
        implement(name, _made_when_called(name))
    # torch before 2.10 has no kernel here for operators that have one of the npu and no derivative
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
"""Kinds of tensors that have dispatch keys of their own."""


def _known_kinds():
    """Those that have a dispatch key for the npu in this torch: in 2.1 `SparseCsr` has none."""
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
"""Operators that torch composes of others: one kernel for the whole costs less than many."""


def _operators_of_the_cpu():
    """Names of the operators that get a kernel made from their schema."""
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
    """Operators that come from elsewhere: other libraries, or defined after the import."""
    return kernels.watched(op, kernels.kernel_of(op))(*args, **kwargs)


def _register_again():
    for (name, key), kernel in list(_kernels.items()):
        implement(name, kernel, key)
