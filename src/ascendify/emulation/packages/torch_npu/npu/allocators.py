"""`torch.npu`: allocators. Memory comes from the host; the allocator cannot be replaced."""

import torch

from torch_npu._device.devices import initialise
from torch_npu.npu.devices import _checked
from torch_npu.npu.unsupported import raising

_held = {}
"""Memory allocated by size, by its address."""


def caching_allocator_alloc(size, device=None, stream=None):
    """Allocate bytes until `caching_allocator_delete`; return the address."""
    initialise()
    _checked(device)
    memory = torch.empty(size, dtype=torch.uint8, device="npu")
    _held[memory.data_ptr()] = memory
    return memory.data_ptr()


def caching_allocator_delete(mem_ptr):
    """Free memory of `caching_allocator_alloc`."""
    if mem_ptr not in _held:
        raise RuntimeError(f"invalid device pointer: {mem_ptr:#x} was not allocated here")
    del _held[mem_ptr]


def get_allocator_backend():
    """The name of the allocator in use."""
    return "native"


def host_empty_cache():
    """Do nothing: there is no separate pinned host memory."""


class NPUPluggableAllocator:
    """An allocator from a library of the user; it would allocate device memory, so it raises."""

    __init__ = raising("NPUPluggableAllocator", "loads an allocator for memory of the device")


change_current_allocator = raising(
    "change_current_allocator", "replaces the allocator of the device"
)
