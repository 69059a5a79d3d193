"""Registers kernels with torch's dispatcher: what `torch.library` does, on every release.

The methods of `torch.library.Library` differ between releases (some refuse to replace a kernel,
some have no fallbacks); the object of the C++ core that they stand on does not.
"""

import functools
import warnings

import torch

_libraries = {}
"""Kernels live as long as the library that registered them."""


def _library(namespace):
    if namespace not in _libraries:
        _libraries[namespace] = torch.library.Library(namespace, "IMPL")
    return _libraries[namespace].m


def implement(name, kernel, key):
    """Register a kernel for one operator and dispatch key; it replaces the one that was there."""
    namespace, _, operator = name.partition("::")
    with warnings.catch_warnings():
        # torch warns that a kernel is replaced, which is the purpose here
        warnings.simplefilter("ignore")
        _library(namespace).impl(operator, key, kernel)


def has_fallbacks():
    """Whether a kernel written in Python can serve every operator that has none."""
    return hasattr(torch.library.Library, "fallback")


def fall_back(kernel, key):
    """Register a kernel for every operator that has none for a dispatch key."""
    library = torch.library.Library("_", "IMPL")
    library.fallback(kernel, key)
    _libraries["_", key] = library


def fall_through(key):
    """Let every operator that has no kernel for a dispatch key go on to the next key."""
    library = torch.library.Library("_", "IMPL")
    library.m.fallback_fallthrough(key)
    _libraries["_", key] = library


def cpu_kernel(op):
    """The cpu's own kernel of an operator, whatever device the arguments are on."""
    handle = getattr(op, "_handle", None)
    if hasattr(handle, "redispatch_boxed"):
        return functools.partial(handle.redispatch_boxed, _CPU_KEYS)
    # torch before 2.4 runs a kernel by the key it was registered for, and trusts that there is one
    key = next(key for key in _KEYS_OF_THE_CPU if has_kernel(op.name(), key))
    return functools.partial(op._op_dk, getattr(torch._C.DispatchKey, key))


has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
_KEYS_OF_THE_CPU = (
    "CPU",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "CompositeImplicitAutograd",
)
_CPU_KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
