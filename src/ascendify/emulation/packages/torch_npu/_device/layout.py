"""Where the C++ core keeps the device of a tensor.

torch offers no way to say "these bytes are npu memory" from Python at the price of one kernel, so
the few words that say it are read and written in place. Their offsets are not assumed: they are
found by comparing objects whose device is known, and importing fails when they are not found.
"""

import ctypes

import torch

_ADDRESSES = 47
"""Bits of an address a process may hold on the 64-bit machines torch runs on."""
_SEARCHED = 256
"""Bytes from the start of an object in which the words are looked for."""

words = (ctypes.c_uint64 * (1 << (_ADDRESSES - 3))).from_address(0)
"""The memory of this process as words of 8 bytes: `words[address >> 3]`."""
halves = (ctypes.c_uint16 * (1 << (_ADDRESSES - 1))).from_address(0)
"""The same memory as words of 2 bytes: a device is a type and an index of one byte each."""

_NO_INDEX = 0xFF00
_NPU_TYPE = int(torch._C._autograd.DeviceType.PrivateUse1)
CPU = _NO_INDEX
NPU = _NPU_TYPE


def _keys(tensor):
    return torch._C._dispatch_keys(tensor).raw_repr()


def _only(places, what):
    """The one place that is left, or a refusal to go on by guessing."""
    if len(places) != 1:
        raise ImportError(
            f"torch {torch.__version__} keeps {what} of a tensor where the emulation does not find "
            f"it ({len(places)} candidates). The emulation of torch_npu is made for torch 2.11 to "
            "2.13: install one of them, or report this build of torch."
        )
    return places.pop()


def _places(memory, size, address, value):
    start = address // size
    return {at for at in range(_SEARCHED // size) if memory[start + at] == value}


def _agreed(memory, size, objects):
    """Offsets at which every object holds the value that is expected of it."""
    return set.intersection(*(_places(memory, size, *one) for one in objects))


_shapes = [((3,), torch.float32), ((2, 5), torch.int64), ((1, 2, 3), torch.float16)]
_hosts = [torch.zeros(shape, dtype=dtype) for shape, dtype in _shapes]
_npus = [torch._C._acc.create_empty_tensor(shape, dtype) for shape, dtype in _shapes]

CPU_KEYS, NPU_KEYS = _keys(_hosts[0]), _keys(_npus[0])
OTHER_KEYS = CPU_KEYS ^ NPU_KEYS
"""The bits that differ: exchanging them moves a tensor, whatever other keys it has."""

TENSOR_KEYS = _only(
    _agreed(words, 8, [(tensor._cdata, _keys(tensor)) for tensor in _hosts + _npus]),
    "the dispatch keys",
)
TENSOR_DEVICE = _only(
    _agreed(
        halves,
        2,
        [(host._cdata, CPU) for host in _hosts] + [(npu._cdata, NPU) for npu in _npus],
    ),
    "the device",
)
del _hosts, _npus
