"""`torch.npu.utils`: overflow of gradients, and functions whose counterparts are in `torch.npu`."""

import math

import torch
from ascendify_runtime import hardware


def is_support_inf_nan():
    """Whether overflow gives inf and nan on this model of NPU."""
    return hardware.model().inf_nan


def npu_check_overflow(grad):
    """Whether a gradient has overflowed."""
    if isinstance(grad, float):
        return not math.isfinite(grad)
    return not bool(torch.isfinite(grad.float().sum()).item())


def get_npu_overflow_flag():
    """Whether the device has noticed an overflow; only models that saturate have this flag."""
    _only_where_it_saturates("get_npu_overflow_flag")
    return False


def clear_npu_overflow_flag():
    """Forget an overflow that the device has noticed."""
    _only_where_it_saturates("clear_npu_overflow_flag")


def _only_where_it_saturates(name):
    if is_support_inf_nan():
        raise RuntimeError(
            f"{name} is not supported on this model of NPU, where overflow gives inf or nan; check "
            "the values with torch.isfinite, or torch.npu.utils.npu_check_overflow"
        )
