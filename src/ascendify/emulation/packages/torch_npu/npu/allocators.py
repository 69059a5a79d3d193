"""`torch.npu`: allocators. Memory is the host's, and no other allocator can take its place."""

import torch

from torch_npu._device.devices import initialise
from torch_npu.npu.devices import _checked
from torch_npu.npu.unsupported import raising

_held = {}
"""Memory that was asked for by size, by its address."""


def caching_allocator_alloc(size, device=None, stream=None):
    """The address of that many bytes, held until `caching_allocator_delete`."""
    initialise()
    _checked(device)
    memory = torch.empty(size, dtype=torch.uint8, device="npu")
    _held[memory.data_ptr()] = memory
    return memory.data_ptr()


def caching_allocator_delete(mem_ptr):
    """Give memory back that `caching_allocator_alloc` handed out."""
    if mem_ptr not in _held:
        raise RuntimeError(f"invalid device pointer: {mem_ptr:#x} was not allocated here")
    del _held[mem_ptr]


def get_allocator_backend():
    """The name of the allocator in use."""
    return "native"


def host_empty_cache():
    """Give pinned host memory back: there is none, host memory is all alike."""


class NPUPluggableAllocator:
    """An allocator from a library of the user's, which would allocate memory of the device."""

    __init__ = raising("NPUPluggableAllocator", "loads an allocator for memory of the device")


change_current_allocator = raising(
    "change_current_allocator", "replaces the allocator of the device"
)
