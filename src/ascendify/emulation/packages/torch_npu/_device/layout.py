"""Find the offsets at which the C++ core of torch stores the device of a tensor.

torch has no Python function to mark bytes as npu memory that is fast enough for every kernel, so
the few fields with the device are read and written in place. Their offsets are not assumed: they
are found by comparing tensors with known devices, and tested by moving one. Importing this module
fails if they are not found; `path` then chooses the portable path.
"""

import ctypes
import sys

import torch

from torch_npu._device.memory import pairs, uint64s

_SEARCHED = 256
"""Bytes from the start of an object that are searched."""

_NO_INDEX = 0xFF00
_DeviceType = torch._C._autograd.DeviceType
CPU = _NO_INDEX | int(_DeviceType.CPU)
NPU = int(_DeviceType.PrivateUse1)
_META = _NO_INDEX | int(_DeviceType.Meta)


def _bits(keys):
    """Return a set of dispatch keys as the number that the core stores."""
    if hasattr(keys, "raw_repr"):
        return keys.raw_repr()
    # before torch 2.5 the object is pybind11's: a Python header and a pointer to the number
    header = object.__basicsize__
    return uint64s[uint64s[(id(keys) + header) >> 3] >> 3]


def _keys(tensor):
    return _bits(torch._C._dispatch_keys(tensor))


def _exchanged():
    """Return the bits in which the keys of a cpu tensor and of an npu tensor differ."""
    bits = 0
    for key in (_Key.CPU, _Key.PrivateUse1, _Key.AutocastCPU, _Key.AutocastPrivateUse1):
        bits ^= _bits(torch._C.DispatchKeySet(key))
    return bits


def _only(places, what):
    """Return the only candidate; raise ImportError if there is not exactly one."""
    if len(places) != 1:
        raise ImportError(f"{len(places)} candidates for {what}")
    return places.pop()


def _agreed(memory, size, objects):
    """Return the offsets at which every object has its expected value."""
    return set.intersection(
        *(
            {at for at in range(_SEARCHED // size) if memory[address // size + at] == value}
            for address, value in objects
        )
    )


def device_of(objects, what):
    """Find where objects of the core store their device, from pairs (address, known device).

    Returns the memory and the offset: the device is `memory[(address >> 1) + offset]`.
    """
    # a device is a type and an index of one byte each; torch before 2.3 stores that of a tensor at
    # an odd address
    places = {(odd, at) for odd in (0, 1) for at in _agreed(pairs[odd], 2, objects)}
    odd, at = _only(places, f"the device of {what}")
    return pairs[odd], at


_SHAPES = (((3,), torch.float32), ((2, 5), torch.int64), ((1, 2, 3), torch.float16))


def _find():
    """Find keys and device, from tensors of the two devices that torch always has: cpu and meta."""
    if sys.byteorder != "little" or object.__basicsize__ != 2 * ctypes.sizeof(ctypes.c_void_p):
        raise ImportError("this machine or this Python has another memory layout")
    hosts = [torch.zeros(shape, dtype=dtype) for shape, dtype in _SHAPES]
    metas = [torch.zeros(shape, dtype=dtype, device="meta") for shape, dtype in _SHAPES]
    keys = _agreed(uint64s, 8, [(one._cdata, _keys(one)) for one in hosts + metas])
    known = [(one._cdata, CPU) for one in hosts] + [(one._cdata, _META) for one in metas]
    return (_only(keys, "the dispatch keys of a tensor"), *device_of(known, "a tensor"))


def _prove():
    """Move a tensor to the npu and back with these offsets, and check its device with torch."""
    tensor = torch.arange(6.0).view(2, 3)
    before = _keys(tensor)
    uint64s[(tensor._cdata >> 3) + TENSOR_KEYS] ^= OTHER_KEYS
    devices[(tensor._cdata >> 1) + TENSOR_DEVICE] = NPU
    seen = torch._C._dispatch_keys(tensor)
    moved = (
        tensor.device == torch.device("npu", 0)
        and not tensor.is_cpu
        and all(map(seen.has, _OF_THE_NPU))
        and not any(map(seen.has, _OF_THE_CPU))
    )
    uint64s[(tensor._cdata >> 3) + TENSOR_KEYS] ^= OTHER_KEYS
    devices[(tensor._cdata >> 1) + TENSOR_DEVICE] = CPU
    if not moved or _keys(tensor) != before or not tensor.is_cpu or tensor.sum() != 15:
        raise ImportError("a tensor that was moved with them has the wrong device")


_Key = torch._C.DispatchKey
_OF_THE_CPU = (_Key.CPU, _Key.AutogradCPU, _Key.AutocastCPU)
_OF_THE_NPU = (_Key.PrivateUse1, _Key.AutogradPrivateUse1, _Key.AutocastPrivateUse1)

TENSOR_KEYS, devices, TENSOR_DEVICE = _find()
"""Offsets of the two fields in units of their size, and the memory that contains the device."""
CPU_KEYS = _keys(torch.zeros(1))
OTHER_KEYS = _exchanged()
"""The bits that differ: exchanging them moves a tensor, whichever other keys it has."""
NPU_KEYS = CPU_KEYS ^ OTHER_KEYS
_prove()
