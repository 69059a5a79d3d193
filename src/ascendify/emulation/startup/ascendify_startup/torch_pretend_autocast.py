"""``torch.autocast`` for the pretended GPU, on tensors of the CPU.

PyTorch casts other operations on a CPU than on a GPU: a softmax would stay in half precision. So
the kernels that cast on the CPU are replaced by kernels that use the lists of an accelerator.
"""

import inspect
import threading
import warnings

from ascendify_startup import torch_autocast_lists as lists

_WHOLE = ("gru_cell.default", "lstm_cell.default", "scaled_dot_product_attention.default")
"""Operators that run as a whole, as on the emulated NPU."""
_KEY = "AutocastCPU"
_CASTS = {}
"""Parameters and their casts, until the end of the outermost autocast block."""
_LIBRARIES = []
_NATIVE = []
"""Torch's own functions that switch autocast, which are replaced."""


def begin():
    """Make every form of autocast for a GPU switch on these kernels."""
    import torch

    _switch_on_both(torch)
    with warnings.catch_warnings():
        # torch warns that kernels are replaced
        warnings.simplefilter("ignore")
        _replace_kernels(torch)


class _Requested(threading.local):
    """Whether the program has switched on autocast for the CPU, in this thread."""

    on_cpu = False


_REQUESTED = _Requested()


class _Native(object):
    """Torch's own functions to switch autocast, by device; old releases have one per device."""

    def __init__(self, torch):
        if hasattr(torch, "get_autocast_dtype"):
            self.is_enabled = torch.is_autocast_enabled
            self.enable = torch.set_autocast_enabled
            self.dtype = torch.get_autocast_dtype
            return
        is_enabled = {"cuda": torch.is_autocast_enabled, "cpu": torch.is_autocast_cpu_enabled}
        enable = {"cuda": torch.set_autocast_enabled, "cpu": torch.set_autocast_cpu_enabled}
        dtype = {"cuda": torch.get_autocast_gpu_dtype, "cpu": torch.get_autocast_cpu_dtype}
        self.is_enabled = lambda device: is_enabled[device]()
        self.enable = lambda device, enabled: enable[device](enabled)
        self.dtype = lambda device: dtype[device]()

    def lower(self):
        """Return the type of the innermost autocast block."""
        return self.dtype("cuda" if self.is_enabled("cuda") else "cpu")


def _switch_on_both(torch):
    """Switch on casting on the CPU if the program has requested it for the CPU or for a GPU."""
    from torch.cuda.amp import common

    common.amp_definitely_not_available = lambda: False
    native = _Native(torch)
    _NATIVE.append(native)
    is_enabled = torch.is_autocast_enabled

    def is_autocast_enabled(device_type="cuda"):
        if device_type == "cpu":
            return _REQUESTED.on_cpu
        return native.is_enabled("cuda") if device_type == "cuda" else is_enabled(device_type)

    enable = torch.set_autocast_enabled

    def set_autocast_enabled(*args, **kwargs):
        values = (*args, *kwargs.values())
        enabled = next(one for one in values if isinstance(one, bool))
        device = next((one for one in values if isinstance(one, str)), "cuda")
        if device == "cpu":
            _REQUESTED.on_cpu = enabled
        elif device == "cuda":
            native.enable("cuda", enabled)
        else:
            enable(device, enabled)
            return
        native.enable("cpu", _REQUESTED.on_cpu or native.is_enabled("cuda"))

    clear = torch.clear_autocast_cache

    def clear_all():
        _CASTS.clear()
        clear()

    torch.is_autocast_enabled = is_autocast_enabled
    torch.set_autocast_enabled = set_autocast_enabled
    torch.is_autocast_cpu_enabled = lambda: _REQUESTED.on_cpu
    torch.set_autocast_cpu_enabled = lambda enabled: set_autocast_enabled("cpu", enabled)
    torch.clear_autocast_cache = clear_all


def _replace_kernels(torch):
    library = torch.library.Library("aten", "IMPL")
    _LIBRARIES.append(library)  # its kernels are removed with it
    ours = {}
    for names, make in (
        (lists.LOWER, _lower),
        (lists.SINGLE, _single),
        (lists.RESULT_IN_SINGLE, _result_in_single),
        (lists.WIDEST, _widest),
    ):
        for name in names:
            operator = _operator(torch, name)
            if operator is not None:
                ours[name] = make(torch, operator)
    # releases without this argument replace kernels by default
    named = inspect.signature(library.impl).parameters
    override = {"allow_override": True} if "allow_override" in named else {}
    for name, kernel in ours.items():
        library.impl(name, kernel, _KEY, **override)
    for full in torch._C._dispatch_get_registrations_for_dispatch_key(_KEY):
        space, _, name = full.partition("::")
        if space == "aten" and name not in ours:
            library.impl(name, torch.library.fallthrough_kernel, _KEY, **override)


def _operator(torch, name):
    base, _, overload = name.partition(".")
    packet = getattr(torch.ops.aten, base, None)
    return getattr(packet, overload or "default", None)


def _without_autocast(torch):
    key = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, _KEY))
    return torch._C._ExcludeDispatchKeyGuard(key)


def _lower(torch, operator):
    compute = _as_a_whole(torch, operator) if operator.__name__ in _WHOLE else operator

    def kernel(*args, **kwargs):
        dtype = _NATIVE[0].lower()
        with _without_autocast(torch):
            return compute(*_cast(torch, args, dtype), **_cast_named(torch, kwargs, dtype))

    return kernel


def _as_a_whole(torch, operator):
    """Return a function that runs an operator in one piece, so that its result is rounded once."""
    from ascendify_startup import torch_half

    def compute(*args, **kwargs):
        # not part by part, as a dispatch mode of the thread might do
        with torch._C._DisableTorchDispatch():
            return torch_half.call(operator, args, kwargs)

    return compute


def _single(torch, operator):
    def kernel(*args, **kwargs):
        single = torch.float32
        with _without_autocast(torch):
            return operator(*_cast(torch, args, single), **_cast_named(torch, kwargs, single))

    return kernel


def _result_in_single(torch, operator):
    place = [argument.name for argument in operator._schema.arguments].index("dtype")

    def kernel(*args, **kwargs):
        dtype = kwargs.get("dtype")
        if len(args) > place:
            dtype = args[place]
            args = args[:place]
        if dtype is None and _is_cast(torch, args[0]):
            dtype = torch.float32
        with _without_autocast(torch):
            return operator(*args, **dict(kwargs, dtype=dtype))

    return kernel


def _widest(torch, operator):
    def kernel(*args, **kwargs):
        dtype = _NATIVE[0].lower()
        for value in (*args, *kwargs.values()):
            for one in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(one, torch.Tensor) and one.dtype is torch.float32:
                    dtype = torch.float32
        with _without_autocast(torch):
            return operator(*_cast(torch, args, dtype), **_cast_named(torch, kwargs, dtype))

    return kernel


def _is_cast(torch, value):
    return (
        isinstance(value, torch.Tensor)
        and value.is_floating_point()
        and value.dtype is not torch.float64
    )


def _cast(torch, values, dtype):
    return [_cast_one(torch, value, dtype) for value in values]


def _cast_named(torch, values, dtype):
    return {name: _cast_one(torch, value, dtype) for name, value in values.items()}


def _cast_one(torch, value, dtype):
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(torch, value, dtype))
    if not _is_cast(torch, value) or value.dtype is dtype:
        return value
    # A parameter is cast once, so that its gradients add up in the lower type, as on a GPU.
    if not (
        value.is_leaf
        and value.requires_grad
        and dtype is not torch.float32
        and torch.is_autocast_cache_enabled()
        # a copy without a gradient must not serve a pass that has one
        and torch.is_grad_enabled()
    ):
        return value.to(dtype)
    key = (id(value), dtype)
    if key not in _CASTS:
        _CASTS[key] = (value, value.to(dtype))
    return _CASTS[key][1]
