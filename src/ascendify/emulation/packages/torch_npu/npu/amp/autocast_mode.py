"""`torch.npu.amp.autocast` and the decorators for functions that autograd calls."""

import functools
import warnings

import torch


class autocast(torch.amp.autocast_mode.autocast):
    """`torch.autocast("npu", ...)` with float16 as its usual type."""

    def __init__(self, enabled=True, dtype=torch.float16, cache_enabled=True):
        super().__init__("npu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


def _deprecated(name):
    warnings.warn(
        f"`torch.npu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}(args..., "
        "device_type='npu')` instead.",
        FutureWarning,
        stacklevel=3,
    )


def custom_fwd(fwd=None, **kwargs):
    """`torch.amp.custom_fwd` for the npu."""
    _deprecated("custom_fwd")
    return functools.partial(torch.amp.custom_fwd, device_type="npu")(fwd, **kwargs)


def custom_bwd(bwd):
    """`torch.amp.custom_bwd` for the npu."""
    _deprecated("custom_bwd")
    return functools.partial(torch.amp.custom_bwd, device_type="npu")(bwd)
