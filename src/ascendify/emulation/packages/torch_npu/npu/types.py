"""`torch.npu.FloatTensor` and similar legacy tensor types."""

import torch

_DTYPES = {
    "Float": torch.float32,
    "Double": torch.float64,
    "Half": torch.float16,
    "BFloat16": torch.bfloat16,
    "Long": torch.int64,
    "Int": torch.int32,
    "Short": torch.int16,
    "Char": torch.int8,
    "Byte": torch.uint8,
    "Bool": torch.bool,
}


class _LegacyType(type):
    """Metaclass of legacy types: calling one makes a tensor, and isinstance() tests its type."""

    def __instancecheck__(cls, other):
        return isinstance(other, torch.Tensor) and other.is_npu and other.dtype is cls.dtype

    def __call__(cls, *args, device=None):
        device = "npu" if device is None else device
        if len(args) == 1 and isinstance(args[0], torch.Tensor):
            return args[0].to(device=device, dtype=cls.dtype)
        if len(args) == 1 and not isinstance(args[0], (int, torch.Size)):
            return torch.tensor(args[0], dtype=cls.dtype, device=device)
        return torch.empty(*(args or (0,)), dtype=cls.dtype, device=device)


def _tensor_type(name, dtype):
    attributes = {"dtype": dtype, "layout": torch.strided, "is_npu": True}
    made = _LegacyType(f"{name}Tensor", (), attributes)
    made.__module__ = "torch.npu"
    return made


tensor_types = {f"{name}Tensor": _tensor_type(name, dtype) for name, dtype in _DTYPES.items()}


class _LegacyStorage(type):
    """Metaclass of legacy storage types: calling one makes a storage from a size or a list."""

    def __instancecheck__(cls, other):
        if not isinstance(other, torch.TypedStorage):
            return False
        return other.device.type == "npu" and other.dtype is cls.dtype

    def __call__(cls, *args):
        return torch.TypedStorage(*args, dtype=cls.dtype, device="npu")


def _storage_type(name, dtype):
    made = _LegacyStorage(f"{name}Storage", (), {"dtype": dtype})
    made.__module__ = "torch.npu"
    return made


storage_types = {f"{name}Storage": _storage_type(name, dtype) for name, dtype in _DTYPES.items()}

_tensor_type_method = torch.Tensor.type


def _type(self, dtype=None, non_blocking=False, **kwargs):
    """`Tensor.type`, extended for the types of the npu."""
    if dtype is None:
        if not self.is_npu:
            return _tensor_type_method(self)
        return _name_of(self.dtype)
    if isinstance(dtype, str) and dtype.startswith("torch.npu."):
        wanted = tensor_types.get(dtype.rpartition(".")[2])
        if wanted is None:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = wanted
    if isinstance(dtype, _LegacyType):
        return self.to(device="npu", dtype=dtype.dtype, non_blocking=non_blocking)
    return _tensor_type_method(self, dtype, non_blocking, **kwargs)


def _name_of(dtype):
    for name, known in _DTYPES.items():
        if known is dtype:
            return f"torch.npu.{name}Tensor"
    return f"torch.npu.{str(dtype).rpartition('.')[2]}"


def install():
    """Make `x.type(torch.npu.FloatTensor)` and `x.type()` support these types."""
    torch.Tensor.type = _type
