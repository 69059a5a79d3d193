"""The fast path to share bytes: rewrite the fields of the C++ tensor that hold its device."""

import torch
from torch.nn import Parameter

from torch_npu._device import accounting, layout
from torch_npu._device.core import TensorBase
from torch_npu._device.dispatcher import cpu_kernel
from torch_npu._device.errors import left_on_cpu, refuse
from torch_npu._device.layout import devices
from torch_npu._device.memory import uint64s
from torch_npu._device.unusual_arguments import host_unusual

_CPU, _NPU = layout.CPU, layout.NPU
_CPU_KEYS, _NPU_KEYS, _OTHER_KEYS = layout.CPU_KEYS, layout.NPU_KEYS, layout.OTHER_KEYS
_ONLY_NPU = _NPU_KEYS & ~_CPU_KEYS
_KEYS, _DEVICE = layout.TENSOR_KEYS, layout.TENSOR_DEVICE

_Tensor = torch.Tensor
_data = TensorBase.data.__get__
_holds = accounting.holds


def is_npu(tensor):
    """Whether a tensor is on the npu."""
    return devices[(tensor._cdata >> 1) + _DEVICE] == _NPU


def to_cpu(tensor):
    """Return a cpu tensor over the bytes of an npu tensor: no copy, no autograd.

    It shares the storage, so a kernel that resizes it also resizes the npu tensor.
    """
    alias = _data(tensor)
    address = alias._cdata
    uint64s[(address >> 3) + _KEYS] ^= _OTHER_KEYS
    devices[(address >> 1) + _DEVICE] = _CPU
    return alias


def to_npu(tensor):
    """Return an npu tensor over the bytes of a cpu tensor in use: no copy, no autograd."""
    if tensor.numel() == 0:
        return adopt(torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype))
    # a round trip through DLPack makes a second storage over the same bytes, so that the device of
    # the first one does not change
    return adopt(torch._C._from_dlpack(torch._C._to_dlpack(tensor.detach())))


def adopt(tensor):
    """Turn a cpu tensor without other references into an npu tensor: the result of a kernel."""
    if tensor is None:
        return None
    address = tensor._cdata
    index = (address >> 3) + _KEYS
    if uint64s[index] != _CPU_KEYS:
        return _adopt_unusual(tensor)
    uint64s[index] = _NPU_KEYS
    devices[(address >> 1) + _DEVICE] = _NPU
    _holds(tensor)
    return tensor


def has_npu_keys(tensor):
    """Whether operators on a tensor are dispatched to npu kernels."""
    return bool(uint64s[(tensor._cdata >> 3) + _KEYS] & _ONLY_NPU)


def without_npu_keys(tensor):
    """Return the same tensor for the core, with the cpu's dispatch keys instead of the npu's."""
    # a dispatch mode, such as for tracing, would see the copy as an operator of the program
    with torch._C._DisableTorchDispatch():
        alias = _data(tensor)
    exchange_keys(alias)
    if is_npu(alias):
        devices[(alias._cdata >> 1) + _DEVICE] = _CPU
    return alias


def exchange_keys(tensor):
    """Exchange the npu's and the cpu's dispatch keys of a tensor."""
    uint64s[(tensor._cdata >> 3) + _KEYS] ^= _OTHER_KEYS


def set_device(tensor):
    """Correct the device of a view of an npu tensor.

    The core takes it from the storage, which is host memory.
    """
    devices[(tensor._cdata >> 1) + _DEVICE] = _NPU
    return tensor


def seen_on_npu(view):
    """Turn a view of the cpu alias of an npu tensor into a view of the npu tensor."""
    exchange_keys(view)
    return set_device(view)


def _adopt_unusual(tensor):
    """Adopt results with other dispatch keys: lazy conjugates, inference tensors, meta tensors.

    An operator of another library may already have made its result on the npu.
    """
    if is_npu(tensor) and has_npu_keys(tensor):
        return tensor
    if tensor.layout is not torch.strided or tensor.is_quantized or not tensor.is_cpu:
        refuse(tensor)
    if tensor._is_zerotensor():
        tensor = torch.zeros(tensor.shape, dtype=tensor.dtype, device="cpu")
    _holds(tensor)
    return seen_on_npu(tensor)


def host(tensor, where):
    """Return an argument of a kernel as a cpu tensor for the cpu kernel.

    `where` names the argument, for the error if a tensor was left on the cpu.
    """
    kind = type(tensor)
    if kind is not _Tensor and kind is not Parameter:
        return host_unusual(tensor, where, _host_other)
    alias = tensor.data
    address = alias._cdata
    index = (address >> 3) + _KEYS
    if uint64s[index] != _NPU_KEYS:
        return _host_other(tensor, where)
    uint64s[index] = _CPU_KEYS
    devices[(address >> 1) + _DEVICE] = _CPU
    return alias


def _host_other(tensor, where):
    """Handle a tensor on the cpu, or one on the npu with unusual dispatch keys."""
    if tensor.is_cpu:
        if tensor.dim():
            raise left_on_cpu(where)
        return tensor
    if not is_npu(tensor) or tensor.layout is not torch.strided:
        refuse(tensor)
    return to_cpu(tensor)


host_out = host
"""An `out=` argument for the cpu kernel, which also resizes the npu tensor."""


def synchronise(tensor, result):
    """Give an `out=` argument the new shape of its cpu alias."""
    if result.shape != tensor.shape:
        with torch.no_grad():
            _set(
                tensor,
                result.untyped_storage(),
                result.storage_offset(),
                result.shape,
                result.stride(),
            )
        set_device(tensor)
        accounting.hold_again(tensor.untyped_storage())


_set = cpu_kernel(torch.ops.aten.set_.source_Storage_storage_offset)
