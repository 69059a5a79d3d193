"""The portable path to share bytes: pass them through DLPack.

A DLPack capsule has a field for the device of its bytes. Only this field is rewritten here, and its
offset is part of DLPack's stable interface. Each side has its own storage over the same bytes, so
that neither can be resized.
"""

import ctypes

import torch
from torch.nn import Parameter

from torch_npu._device import accounting
from torch_npu._device.core import TensorBase
from torch_npu._device.dispatcher import cpu_kernel
from torch_npu._device.errors import left_on_cpu, refuse
from torch_npu._device.memory import uint64s
from torch_npu._device.unusual_arguments import host_unusual

_CPU, _NPU = 1, 12
"""Device types of DLPack; the index, in the upper half of the field, is 0."""
_DEVICE = 8
"""Offset of the device in a DLTensor, after the pointer to the bytes."""

_Tensor, _STRIDED = torch.Tensor, torch.strided
_is_cpu = TensorBase.is_cpu.__get__
_export, _import = torch._C._to_dlpack, torch._C._from_dlpack
_HEADER = object.__basicsize__
_HOST = "_npu_host"
"""Attribute of a storage: the first cpu tensor that was made over the same bytes.

A tensor that requires a gradient is not stored: it would keep an autograd graph, and its views
would join that graph.
"""
_storage, _as_strided = TensorBase.untyped_storage, TensorBase.as_strided
_size, _stride, _offset = TensorBase.size, TensorBase.stride, TensorBase.storage_offset


def _call_for_pointer(capsule):
    """Return the address of the DLTensor in a capsule, with Python's own function."""
    return _get_pointer(capsule, b"dltensor")


def _read_pointer(capsule):
    """Read the same address from the capsule's memory, in a third of the time."""
    return uint64s[(id(capsule) + _HEADER) >> 3]


_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_probe = torch._C._to_dlpack(torch.zeros(1))
_pointer = (
    _read_pointer if _read_pointer(_probe) == _call_for_pointer(_probe) else _call_for_pointer
)
del _probe
_holds = accounting.holds


def _export_makes_views():
    """Whether torch makes a view of the tensor for each capsule, with our kernel: before 2.9.

    A capsule of an npu tensor then takes 4 microseconds instead of 0.2.
    """
    try:
        _export(torch.zeros(1), copy=False)
    except TypeError:
        return True
    return False


_EXPORT_IS_SLOW = _export_makes_views()


def is_npu(tensor):
    """Whether a tensor is on the npu."""
    return tensor.device.type == "npu"


def to_cpu(tensor):
    """Return a cpu tensor over the bytes of an npu tensor: no copy, no autograd."""
    if tensor.is_complex() and tensor.is_conj():
        return torch._conj(to_cpu(torch._conj(tensor)))
    if tensor.is_neg():
        return torch._neg_view(to_cpu(torch._neg_view(tensor)))
    if tensor.layout is not torch.strided or tensor.is_quantized:
        refuse(tensor)
    return _handed_over(tensor, _CPU)


def to_npu(tensor):
    """Return an npu tensor over the bytes of a cpu tensor: no copy, no autograd."""
    return adopt(tensor)


def adopt(tensor):
    """Turn a cpu tensor into an npu tensor: the result of a kernel."""
    if tensor is None:
        return None
    if tensor.dtype.is_complex and tensor.is_conj():
        return torch._conj(adopt(torch._conj(tensor)))
    if tensor.layout is not _STRIDED or not _is_cpu(tensor):
        if is_npu(tensor):  # made there by an operator of another library
            return tensor
        refuse(tensor)
    made = _handed_over(tensor, _NPU)
    _holds(made)
    if _EXPORT_IS_SLOW and not tensor.storage_offset() and not tensor.requires_grad:
        made.untyped_storage().__dict__[_HOST] = tensor
    return made


def _handed_over(tensor, device):
    try:
        capsule = _export(tensor)
    except (BufferError, RuntimeError, ValueError):
        return _as_bytes(tensor, device)
    uint64s[(_pointer(capsule) + _DEVICE) >> 3] = device
    return _import(capsule)


def _as_bytes(tensor, device):
    """Pass types that DLPack does not have as integers of the same size."""
    whole = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    if tensor.requires_grad:
        tensor = tensor.detach()
    if tensor.dtype is whole:
        refuse(tensor)
    return _handed_over(tensor.view(whole), device).view(tensor.dtype)


def set_device(tensor):
    """Do nothing: a view has the device of its storage, which is the npu."""
    return tensor


def seen_on_npu(view):
    """Turn a view of the cpu alias of an npu tensor into an npu tensor."""
    return adopt(view)


def host(tensor, where):
    """Return an argument of a kernel as a cpu tensor for the cpu kernel.

    `where` names the argument, for the error if a tensor was left on the cpu. Lazy conjugates and
    negatives are resolved before a kernel is called.
    """
    kind = type(tensor)
    if kind is not _Tensor and kind is not Parameter:
        return host_unusual(tensor, where, _host_other)
    if _is_cpu(tensor) or tensor.layout is not _STRIDED:
        return _host_other(tensor, where)
    if _EXPORT_IS_SLOW:
        base = _storage(tensor).__dict__.get(_HOST)
        if base is not None and base.dtype is tensor.dtype:
            return _as_strided(base, _size(tensor), _stride(tensor), _offset(tensor))
    return _handed_over(tensor, _CPU)


def _host_other(tensor, where):
    """Handle a tensor on the cpu, or one that may have no plain bytes."""
    if _is_cpu(tensor):
        if tensor.dim():
            raise left_on_cpu(where)
        return tensor
    if not is_npu(tensor):
        refuse(tensor)
    return to_cpu(tensor)


def host_out(tensor, where):
    """Return an `out=` argument for the cpu kernel: separate memory, which it may resize."""
    if _is_cpu(tensor):
        return host(tensor, where)
    return torch.empty(0, dtype=tensor.dtype)


def synchronise(tensor, result):
    """Copy the result of a kernel to an `out=` argument, with its new shape."""
    with torch.no_grad():
        if result.shape == tensor.shape:
            to_cpu(tensor).copy_(result)
            return
        made = adopt(result)
        _set(tensor, made.untyped_storage(), 0, result.shape, result.stride())


_set = cpu_kernel(torch.ops.aten.set_.source_Storage_storage_offset)


def prove():
    """Move a tensor to the npu and back, and check its device with torch.

    Raises:
        ImportError: this torch accepts no npu memory from a capsule.
    """
    tensor = torch.arange(6.0)
    try:
        moved = _handed_over(tensor, _NPU)
    except RuntimeError as error:
        raise ImportError(str(error)) from error
    if moved.device != torch.device("npu", 0) or moved.data_ptr() != tensor.data_ptr():
        raise ImportError("a tensor that was passed through DLPack has the wrong device")
