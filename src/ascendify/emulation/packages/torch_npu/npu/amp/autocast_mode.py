"""`torch.npu.amp.autocast` and the decorators for functions of autograd."""

import functools
import warnings

import torch

from torch_npu._device import autocast_state


class autocast(torch.amp.autocast_mode.autocast):
    """`torch.autocast("npu", ...)` with float16 as default type."""

    def __init__(self, enabled=True, dtype=torch.float16, cache_enabled=True):
        super().__init__("npu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


def _deprecated(name):
    warnings.warn(
        f"`torch.npu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}(args..., "
        "device_type='npu')` instead.",
        FutureWarning,
        stacklevel=3,
    )


if hasattr(torch.amp, "custom_fwd"):  # torch 2.4 and newer

    def custom_fwd(fwd=None, **kwargs):
        """`torch.amp.custom_fwd` for the npu."""
        _deprecated("custom_fwd")
        return functools.partial(torch.amp.custom_fwd, device_type="npu")(fwd, **kwargs)

    def custom_bwd(bwd):
        """`torch.amp.custom_bwd` for the npu."""
        _deprecated("custom_bwd")
        return functools.partial(torch.amp.custom_bwd, device_type="npu")(bwd)

else:

    def custom_fwd(fwd=None, *, cast_inputs=None):
        """Store the autocast state in a forward pass, or run it without autocast on cast inputs."""
        if fwd is None:
            return functools.partial(custom_fwd, cast_inputs=cast_inputs)

        @functools.wraps(fwd)
        def forward(context, *args, **kwargs):
            enabled = autocast_state.is_enabled()
            context._fwd_used_autocast = enabled and cast_inputs is None
            # a backward pass runs after the autocast block, whose type is then unset
            context._dtype = autocast_state.get_dtype()
            if not enabled or cast_inputs is None:
                return fwd(context, *args, **kwargs)
            with autocast(enabled=False):
                return fwd(context, *_cast(args, cast_inputs), **_cast(kwargs, cast_inputs))

        return forward

    def custom_bwd(bwd):
        """Run a backward pass with the autocast state of its forward pass."""

        @functools.wraps(bwd)
        def backward(context, *args, **kwargs):
            with autocast(enabled=context._fwd_used_autocast, dtype=context._dtype):
                return bwd(context, *args, **kwargs)

        return backward

    def _cast(value, dtype):
        if isinstance(value, torch.Tensor):
            lowered = value.is_floating_point() and value.is_npu and value.dtype != torch.float64
            return value.to(dtype) if lowered else value
        if isinstance(value, dict):
            return {key: _cast(one, dtype) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(_cast(one, dtype) for one in value)
        return value
