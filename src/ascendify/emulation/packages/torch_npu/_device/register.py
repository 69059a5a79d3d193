"""Gives the dispatcher a kernel of the npu for every operator that has one for the cpu."""

import warnings

import torch

from torch_npu._device import composites, creation, kernels, special, views

KEY = "PrivateUse1"

_libraries = {}
_kernels = {}
"""Every kernel as it was made, by (operator, dispatch key): watchers are put before them."""


def library(namespace):
    """The library that holds our kernels for one namespace; kernels live as long as it does."""
    if namespace not in _libraries:
        _libraries[namespace] = torch.library.Library(namespace, "IMPL")
    return _libraries[namespace]


def operator(name):
    """`aten::add.Tensor` as an object that can be called, or nothing when torch has none."""
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), base, None)
    return getattr(packet, overload or "default", None)


def implement(name, kernel, key=KEY):
    """Register one kernel, watched if somebody watches."""
    op = operator(name)
    if op is None:
        return
    known = (name, key) in _kernels
    _kernels[name, key] = kernel
    namespace, _, rest = name.partition("::")
    library(namespace).impl(rest, kernels.watched(op, kernel), key, allow_override=known)


def install():
    """Register the kernels made by hand, then one for each operator of the cpu, then the rest."""
    with warnings.catch_warnings():
        # torch warns that kernels it has itself are replaced, which is the purpose here
        warnings.simplefilter("ignore")
        for module in (creation, views, special, composites):
            for name, kernel, key in module.kernels():
                implement(name, kernel, key)
        for name in _operators_of_the_cpu():
            implement(name, kernels.kernel_of(operator(name)))
    fallback = torch.library.Library("_", "IMPL")
    _libraries["_"] = fallback
    fallback.fallback(_any_other, KEY)
    for kind in ("Sparse", "SparseCsr", "Quantized"):
        _libraries[kind] = torch.library.Library("_", "IMPL")
        _libraries[kind].fallback(_refused(kind), f"{kind}{KEY}")
    kernels.when_watched(_register_again)


def _refused(kind):
    def kernel(op, *args, **kwargs):
        raise NotImplementedError(
            f"The emulated NPU has no {kind.lower()} tensors, {op} was called with one. Keep it on "
            "the cpu, or convert it with .to_dense() or .dequantize() before the move."
        )

    return kernel


def _operators_of_the_cpu():
    """Operators with a kernel for the cpu, and those made of others that are worth one call."""
    registered = torch._C._dispatch_get_registrations_for_dispatch_key
    for name in registered("CPU"):
        if _is_ours(name) and not _returns_a_view(operator(name)):
            yield name
    for name in registered("CompositeExplicitAutograd"):
        if _is_ours(name) and _is_worth_one_call(operator(name)):
            yield name


def _is_ours(name):
    known = (name, KEY) in _kernels
    return name.startswith("aten::") and not known and operator(name) is not None


def _returns_a_view(op):
    return any(a.alias_info is not None and not a.alias_info.is_write for a in op._schema.arguments)


_LEFT_TO_TORCH = (
    "convolution", "copy", "data", "detach_", "lift", "nested", "pack_padded", "pin_memory",
    "resize", "set", "sparse",
)  # fmt: skip
"""Parts of the names of composed operators that move, resize or have no plain tensors."""


def _is_worth_one_call(op):
    """Whether a composed operator may run as a whole on the cpu."""
    schema = op._schema
    name = schema.name.partition("::")[2]
    if _returns_a_view(op) or torch.Tag.inplace_view in op.tags:
        return False
    if any(part in name for part in _LEFT_TO_TORCH) and name != "_to_copy":
        return False
    types = {a.name: str(a.type) for a in schema.arguments}
    if torch.Tag.nondeterministic_seeded in op.tags and "generator" not in types:
        return False
    gives = all(str(r.type) in ("Tensor", "List[Tensor]") for r in schema.returns)
    takes = any("Tensor" in kind for kind in types.values()) or "device" in types
    return gives and takes and not any(a.is_out for a in schema.arguments)


def _any_other(op, *args, **kwargs):
    """Operators that come from elsewhere: other libraries, or defined after the import."""
    return kernels.watched(op, kernels.kernel_of(op))(*args, **kwargs)


def _register_again():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for (name, key), kernel in list(_kernels.items()):
            implement(name, kernel, key)
