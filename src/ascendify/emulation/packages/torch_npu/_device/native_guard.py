"""The guard and the hooks of the npu for torch before 2.10, which accepts them only from C++.

Both are C++ objects whose methods do nothing: there is one device, and all work is done at once. So
every method of the guard is one of two functions of a few instructions: one returns device `npu:0`,
or its default stream, and one returns true. The index of a method in the virtual method table is
read from the header files of this build of torch.
"""

import ctypes
import os
import platform
import re

import torch

from torch_npu._device.machine_code import function_returning

_GUARD = "c10/core/impl/DeviceGuardImplInterface.h"
_HOOKS = "ATen/detail/AcceleratorHooksInterface.h"
_HOOKS_OF_THE_NPU = "ATen/detail/PrivateUse1HooksInterface.h"
"""The headers that declare the methods."""
_ANSWERED = """
hasPrimaryContext isAvailable isBuilt isPinnedPtr init initPrivateUse1 resizePrivateUse1Bytes
""".split()
"""Methods of the hooks that return true, or do nothing. Only C++ code tests for pinned memory with
them, and only for memory that it has requested as pinned."""
_ALLOCATOR_OF_THE_CPU = "_ZN3c1015GetCPUAllocatorEv"
"""`c10::GetCPUAllocator`."""
_GUARDS = "_ZN3c104impl26device_guard_impl_registryE"
"""`c10::impl::device_guard_impl_registry`: an array of pointers, indexed by device type."""
_HOOKS_OF_MTIA = "_ZN2at6detail12getMTIAHooksEv"
_REGISTER_HOOKS = "_ZN2at33RegisterPrivateUse1HooksInterfaceEPNS_25PrivateUse1HooksInterfaceE"
"""`at::detail::getMTIAHooks` and `at::RegisterPrivateUse1HooksInterface`."""
_DeviceType = torch._C._autograd.DeviceType
_NPU = int(_DeviceType.PrivateUse1)
_METHOD = re.compile(r"^\s*virtual\s[^(]*?(~?\w+)(\([^{;]*)", re.M)
_QUESTION = re.compile(r"^\s*virtual\s+bool\s+(\w+)\(", re.M)
_METHODS = 64
"""More methods than any of the tables has."""
_kept = []


def install():
    """Put the guard into the core's table and register the hooks.

    Raises:
        ImportError: this build of torch, or this machine, does not allow it.
    """
    try:
        # the functions are in libraries that this one is linked with
        core = ctypes.CDLL(torch._C.__file__)
        # `c10::Device` is a type and an index in one word, `c10::Stream` that and a number
        device = function_returning(_NPU)
        # compilers test one bit or eight bits of a bool, so it must be 1
        yes = function_returning(1)
        table = (ctypes.c_void_p * (_NPU + 1)).in_dll(core, _GUARDS)
        stock = table[int(_DeviceType.Meta)]
        table[_NPU] = _object_like(stock, _guard_methods(device, yes))
        # torch 2.1 and 2.2 call hooks of no accelerator but CUDA
        if os.path.exists(_header(_HOOKS)):
            _register_hooks(core, yes)
    except (AttributeError, KeyError, OSError, ValueError) as error:
        raise ImportError(
            f"ascendify: the emulation of torch_npu cannot be set up in this build of torch "
            f"{torch.__version__} on {platform.machine()} ({type(error).__name__}: {error}). Use "
            "the build of the package index, or torch 2.10 or newer, which needs none of this."
        ) from error


def _header(name):
    return os.path.join(os.path.dirname(torch.__file__), "include", name)


def _declaration(header):
    """Return the source of the class that a header is named after."""
    with open(_header(header), encoding="utf-8") as file:
        text = file.read()
    name = os.path.splitext(os.path.basename(header))[0]
    start = re.search(r"struct \w+ %s [^;]*?\{" % name, text).end()
    return text[start : text.index("\n};", start)]


def _places(*headers):
    """Return {method: index in the table}, in the order of declaration in a class and its base."""
    places = {}
    for header in headers:
        for method, qualifiers in _METHOD.findall(_declaration(header)):
            if "override" not in qualifiers:
                # a destructor has two entries
                places[method] = len(places) + sum(one.startswith("~") for one in places)
    return places


def _guard_methods(device, yes):
    questions = _QUESTION.findall(_declaration(_GUARD))
    return {
        place: yes if name in questions else device
        for name, place in _places(_GUARD).items()
        if name != "deviceCount"  # the default implementation returns 1, as needed
    }


def _register_hooks(core, yes):
    """Use the hooks of MTIA, another accelerator: without its driver, they do nothing.

    The methods that the core calls in a training step return true or do nothing; pinned memory is
    the cpu's. Methods that MTIA lacks raise an error.
    """
    find, register = core[_HOOKS_OF_MTIA], core[_REGISTER_HOOKS]
    find.restype, register.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
    common, places = _places(_HOOKS), _places(_HOOKS, _HOOKS_OF_THE_NPU)
    refusal = _method(find(), _places(_HOOKS, "ATen/detail/MTIAHooksInterface.h")["showConfig"])
    methods = {place: refusal for name, place in places.items() if name not in common}
    methods.update((places[name], yes) for name in _ANSWERED if name in places)
    if "getPinnedMemoryAllocator" in places:
        allocator = ctypes.cast(core[_ALLOCATOR_OF_THE_CPU], ctypes.c_void_p).value
        methods[places["getPinnedMemoryAllocator"]] = allocator
    register(_object_like(find(), methods))


def _method(address, place):
    table = ctypes.c_void_p.from_address(address).value
    return ctypes.c_void_p.from_address(table + place * ctypes.sizeof(ctypes.c_void_p)).value


def _object_like(address, methods):
    """Return a C++ object without fields that has the methods of another one, some replaced."""
    size = ctypes.sizeof(ctypes.c_void_p)
    before = 2  # entries of a table before its first method: an offset, and the type
    start = ctypes.c_void_p.from_address(address).value - before * size
    table = (ctypes.c_void_p * (before + _METHODS)).from_buffer_copy(
        ctypes.string_at(start, size * (before + _METHODS))
    )
    for place, method in methods.items():
        table[before + place] = method
    made = ctypes.c_void_p(ctypes.addressof(table) + before * size)
    _kept.extend((table, made))
    return ctypes.addressof(made)
