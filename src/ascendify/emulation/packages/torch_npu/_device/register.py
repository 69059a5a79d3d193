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
            if (name, KEY) not in _kernels and not _returns_a_view(operator(name)):
                implement(name, kernels.kernel_of(operator(name)))
    fallback = torch.library.Library("_", "IMPL")
    _libraries["_"] = fallback
    fallback.fallback(_any_other, KEY)
    kernels.when_watched(_register_again)


def _operators_of_the_cpu():
    registered = torch._C._dispatch_get_registrations_for_dispatch_key("CPU")
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    for name in registered:
        if name.startswith("aten::") and operator(name) and not has_kernel(name, KEY):
            yield name


def _returns_a_view(op):
    return any(a.alias_info is not None and not a.alias_info.is_write for a in op._schema.arguments)


def _any_other(op, *args, **kwargs):
    """Operators that come from elsewhere: other libraries, or defined after the import."""
    return kernels.watched(op, kernels.kernel_of(op))(*args, **kwargs)


def _register_again():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for (name, key), kernel in list(_kernels.items()):
            implement(name, kernel, key)
