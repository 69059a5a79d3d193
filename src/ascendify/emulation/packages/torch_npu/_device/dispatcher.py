"""Register kernels with torch's dispatcher, as `torch.library` does, in every release.

The methods of `torch.library.Library` differ between releases (some refuse to replace a kernel,
some have no fallbacks); the C++ object that they use does not.
"""

import functools
import warnings

import torch

_libraries = {}
"""Libraries by namespace; a kernel is removed with the library that registered it."""


def _library(namespace):
    if namespace not in _libraries:
        _libraries[namespace] = torch.library.Library(namespace, "IMPL")
    return _libraries[namespace].m


def implement(name, kernel, key):
    """Register a kernel for one operator and dispatch key; it replaces an existing one."""
    namespace, _, operator = name.partition("::")
    with warnings.catch_warnings():
        # torch warns that a kernel is replaced, which is intended
        warnings.simplefilter("ignore")
        _library(namespace).impl(operator, key, kernel)


def has_fallbacks():
    """Whether a Python kernel can be registered for all operators that have none."""
    return hasattr(torch.library.Library, "fallback")


def fall_back(kernel, key):
    """Register a kernel for every operator that has none for a dispatch key."""
    library = torch.library.Library("_", "IMPL")
    library.fallback(kernel, key)
    _libraries["_", key] = library


def fall_through(key):
    """Let every operator without a kernel for a dispatch key fall through to the next key."""
    library = torch.library.Library("_", "IMPL")
    library.m.fallback_fallthrough(key)
    _libraries["_", key] = library


def cpu_kernel(op):
    """Return the cpu's own kernel of an operator, for arguments on any device."""
    handle = getattr(op, "_handle", None)
    if hasattr(handle, "redispatch_boxed"):
        return functools.partial(handle.redispatch_boxed, _CPU_KEYS)
    # torch before 2.4 needs the key that the kernel was registered for, without a check
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
