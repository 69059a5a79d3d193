"""`torch.npu`: options of the compiler and of the libraries. They are checked and remembered."""

import enum
import warnings

import torch
from ascendify_runtime import hardware

_ALLOWED = {
    "ACL_PRECISION_MODE": {"allow_fp32_to_fp16", "must_keep_origin_dtype"},
    "ACL_OP_SELECT_IMPL_MODE": {"high_performance", "high_precision"},
    "ACL_AICORE_NUM": {str(number) for number in range(1, 33)},
    "ACL_OP_DEBUG_LEVEL": {str(number) for number in range(5)},
    "ACL_OP_COMPILER_CACHE_MODE": {"disable", "enable", "force"},
}
"""Options whose values the driver checks; others are taken as they are."""

_options = {}
_state = {"format_nd": False, "limits": {}, "deterministic_level": 0, "compatible": False}


def set_option(option):
    """Set options of the compiler by name."""
    if not isinstance(option, dict):
        raise TypeError(f"npu option must be a dict, found {type(option).__name__}.")
    for name, value in option.items():
        text = str(value)
        if name in _ALLOWED and text not in _ALLOWED[name]:
            expected = ", ".join(sorted(_ALLOWED[name]))
            raise ValueError(f"The value of {name} is {text!r}, expected one of: {expected}")
        if name == "ACL_OP_SELECT_IMPL_MODE":
            warnings.warn("The option ACL_OP_SELECT_IMPL_MODE is deprecated.", stacklevel=2)
        _options[name] = text


def get_option(name):
    """What an option was set to, or None."""
    return _options.get(name)


def set_compile_mode(jit_compile=False):
    """Choose whether operators are compiled for each shape; recorded only."""
    _options["jitCompile"] = "enable" if jit_compile else "disable"


def is_jit_compile_false():
    """Whether operators come compiled."""
    return _options.get("jitCompile", "disable") == "disable"


def set_aoe(dump_path):
    """Have graphs dumped for tuning; recorded only."""
    _options["autotune"] = "enable"
    _options["autotunegraphdumppath"] = str(dump_path)


def set_mm_bmm_format_nd(is_nd):
    """Keep matrices in the plain format."""
    if not isinstance(is_nd, bool):
        raise TypeError(f"set_mm_bmm_format_nd takes a bool, found {type(is_nd).__name__}")
    _state["format_nd"] = is_nd


def get_mm_bmm_format_nd():
    """Whether matrices stay in the plain format."""
    return _state["format_nd"]


def init_dump():
    """Begin to dump operators; recorded only."""
    _options["dump"] = "init"


def set_dump(cfg_file):
    """Choose what is dumped; recorded only."""
    _options["dump"] = str(cfg_file)


def finalize_dump():
    """End dumping; recorded only."""
    _options.pop("dump", None)


class CubeMathType(enum.IntEnum):
    """Precision of the matrix unit."""

    KEEP_DTYPE = 0
    ALLOW_FP32_DOWN_PRECISION = 1
    USE_FP16 = 2
    USE_HF32 = 3


class _Switches:
    """Attributes that scripts set; a value of another type is refused, as is an unknown name."""

    def __init__(self, **defaults):
        object.__setattr__(self, "_values", defaults)

    def __getattr__(self, name):
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"there is no setting {name!r}") from None

    def __setattr__(self, name, value):
        kind = type(getattr(self, name))
        if not isinstance(value, kind):
            raise TypeError(f"{name} takes a {kind.__name__}, found {type(value).__name__}")
        self._values[name] = value


config = _Switches(allow_internal_format=False)
matmul = _Switches(allow_hf32=False, cube_math_type=CubeMathType.KEEP_DTYPE)
conv = _Switches(allow_hf32=True)


def use_compatible_impl(is_enable):
    """Prefer implementations that behave as CUDA's do; recorded only."""
    _state["compatible"] = bool(is_enable)


def are_compatible_impl_enabled():
    """Whether implementations that behave as CUDA's do are preferred."""
    return _state["compatible"]


def set_deterministic_level(level):
    """0: as fast as possible, 1: deterministic, 2: deterministic whatever the shapes are."""
    if level not in (0, 1, 2):
        raise ValueError(f"The deterministic level is {level!r}, expected 0, 1 or 2")
    _state["deterministic_level"] = level
    torch.use_deterministic_algorithms(level > 0)


def enable_deterministic_with_backward(tensor):
    """Compute deterministically from here on, and in the backward pass up to here."""
    torch.use_deterministic_algorithms(True)
    return tensor


def disable_deterministic_with_backward(tensor):
    """End what `enable_deterministic_with_backward` began."""
    torch.use_deterministic_algorithms(False)
    return tensor


def get_device_limit(device):
    """Cores that kernels of a device may use."""
    model = hardware.model()
    whole = {"cube_core_num": model.cube_cores, "vector_core_num": model.vector_cores}
    return {**whole, **_state["limits"].get("device", {})}


def set_device_limit(device, cube_num=-1, vector_num=-1):
    """Limit the cores of a device; possible once in a process."""
    if "device" in _state["limits"]:
        raise RuntimeError("set_device_limit can be called only once in a process")
    _state["limits"]["device"] = _limit(cube_num, vector_num)


def get_stream_limit(stream):
    """Cores that kernels of a stream may use."""
    return {**get_device_limit(stream.device), **_state["limits"].get(stream, {})}


def set_stream_limit(stream, cube_num=-1, vector_num=-1):
    """Limit the cores of a stream; recorded only."""
    _state["limits"][stream] = _limit(cube_num, vector_num)


def reset_stream_limit(stream):
    """Lift the limit of a stream."""
    _state["limits"].pop(stream, None)


def _limit(cube_num, vector_num):
    given = {"cube_core_num": cube_num, "vector_core_num": vector_num}
    return {name: number for name, number in given.items() if number > 0}
