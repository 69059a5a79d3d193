"""Memory formats of the NPU: the number is stored, the data is not changed."""

import enum
import warnings

import torch
from torch.utils.weak import WeakIdKeyDictionary


class Format(enum.IntEnum):
    """aclFormat, by the names torch_npu.Format has."""

    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1HWC0_C04 = 12
    HWCN = 16
    NDHWC = 27
    FRACTAL_NZ = 29
    NCDHW = 30
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    NC = 35
    NCL = 47
    FRACTAL_NZ_C0_16 = 50
    FRACTAL_NZ_C0_32 = 51


_BASE = frozenset(
    [
        Format.NCHW,
        Format.NHWC,
        Format.ND,
        Format.HWCN,
        Format.NDHWC,
        Format.NCDHW,
        Format.NC,
        Format.NCL,
    ]
)
_kept = WeakIdKeyDictionary()


def get_npu_format(self):
    """Return the format that a tensor was cast to, or the default for its dimensions."""
    if self.device.type != "npu":
        raise RuntimeError("Expected an NPU tensor, but found a tensor on %s" % self.device)
    return Format(_kept.get(self, _usual(self)))


def _usual(tensor):
    return {4: Format.NCHW, 5: Format.NCDHW}.get(tensor.dim(), Format.ND)


def npu_format_cast(self, acl_format, customize_dtype=None, input_dtype=None):
    """Return the tensor with another format; acl_format is a number or a tensor with the format."""
    return _marked(self.view_as(self), acl_format)


def npu_format_cast_(self, acl_format):
    """npu_format_cast in place."""
    return _marked(self, acl_format)


def _marked(tensor, wanted):
    number = get_npu_format(wanted) if isinstance(wanted, torch.Tensor) else Format(int(wanted))
    if number not in _BASE and not torch.npu.config.allow_internal_format:
        warnings.warn(
            "Cannot create tensor with internal format while allow_internel_format=False, tensor "
            "will be created with base format.",
            stacklevel=3,
        )
        number = _usual(tensor)
    _kept[tensor] = number
    return tensor


def empty_with_format(
    size,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=None,
    acl_format=2,
    base_addr_aligned_kb=None,
):
    """An uninitialised tensor of a format."""
    made = torch.empty(size, dtype=dtype, layout=layout or torch.strided, device=device or "npu")
    return _marked(made, acl_format)


def get_storage_size(self):
    """Return the number of elements in a tensor's memory; private formats add no padding here."""
    return self.numel()


def npu_change_data_ptr(dst, src, index):
    """Let dst use the memory of src from element index on."""
    dst.data = src.view(-1)[index : index + dst.numel()].view(dst.shape)
    return 0


def copy_memory_(self, src, non_blocking=False):
    """Copy the bytes of a tensor of the same dtype."""
    if self.dtype != src.dtype:
        raise RuntimeError("input tensors of copy_memory_ should have same dtype")
    return self.copy_(src)
