"""`torch.npu`: which devices there are, which is current, and what they are."""

import os
import re
import time
import warnings

import torch
from ascendify_runtime import hardware

from torch_npu._device import autocast_state, reported_index
from torch_npu._device import devices as _devices
from torch_npu._device.devices import device_count, index_of, initialise, state


def is_available():
    """Whether this process sees a device."""
    return device_count() > 0


def is_initialized():
    """Whether the device has been used."""
    return state.initialised and not state.forked


def init():
    """Use the device now instead of at the first tensor."""
    initialise()


_lazy_init = initialise


def _lazy_call(callable_, **kwargs):
    _devices.when_initialised(callable_)


def _get_device_index(device, optional=False, allow_cpu=False):
    """The index that a device stands for; with `allow_cpu` the cpu is -1."""
    if allow_cpu and device is not None and not isinstance(device, int):
        if torch.device(device).type == "cpu":
            return -1
    return index_of(device, optional)


def _sleep(cycles):
    """Keep the device busy for that many cycles of a clock of 1 GHz."""
    initialise()
    time.sleep(cycles / 1e9)


def _is_in_bad_fork():
    return state.forked


def current_device():
    """The index of the current device."""
    initialise()
    return state.index


def set_device(device):
    """Choose the device of this process; a negative index changes nothing."""
    index = index_of(device)
    if index >= 0:
        initialise()
        _devices.check_index(index)
        _choose(index)


def _choose(index):
    state.index = index
    reported_index.follow(index)


def _exchange_device(index):
    """Make `index` current and return the one that was; a negative index changes nothing."""
    before = state.index
    if index >= 0 and index != before:
        initialise()
        _devices.check_index(index)
        _choose(index)
    return before


_maybe_exchange_device = _exchange_device


class device:
    """Context manager that makes another device current; None or -1 changes nothing."""

    def __init__(self, device):
        self.idx = index_of(device) if device is not None else -1
        self.prev_idx = -1

    def __enter__(self):
        self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, *_):
        _choose(self.prev_idx)
        return False


class device_of(device):
    """Context manager that makes the device of a tensor current, if it is on a device."""

    def __init__(self, obj):
        super().__init__(obj.get_device() if obj.is_npu else None)


def synchronize(device=None):
    """Wait for the device, which has always finished here."""
    initialise()
    _checked(device)


def _checked(device):
    """The index of a device that exists."""
    index = index_of(device)
    if not 0 <= index < device_count():
        raise AssertionError(f"Invalid device id: {index}, there are {device_count()} device(s)")
    return index


class NPUDeviceProperties:
    """What is known of a device; other attributes of CUDA's properties do not exist."""

    def __init__(self, model):
        self.name = model.name
        self.total_memory = model.memory
        self.L2_cache_size = model.cache
        self.cube_core_num = model.cube_cores
        self.vector_core_num = model.vector_cores

    def __repr__(self):
        return (
            f"_NPUDeviceProperties(name='{self.name}', total_memory="
            f"{self.total_memory // 2**20}MB, L2_cache_size={self.L2_cache_size // 2**20}MB, "
            f"cube_core_num={self.cube_core_num}, vector_core_num={self.vector_core_num})"
        )


def get_device_properties(device_name=None):
    """Name, memory, cache and cores of a device."""
    initialise()
    _checked(device_name)
    return NPUDeviceProperties(hardware.model())


def get_device_name(device_name=None):
    """The name of a device."""
    return get_device_properties(device_name).name


def get_device_capability(device=None):
    """None with a warning, unless TORCH_NPU_DEVICE_CAPABILITY says what to tell."""
    told = os.environ.get("TORCH_NPU_DEVICE_CAPABILITY", "")
    if re.fullmatch(r"\d+\.\d+", told):
        major, _, minor = told.partition(".")
        return int(major), int(minor)
    warnings.warn(
        "torch.npu.get_device_capability isn't implemented: an NPU has no compute capability. Set "
        "TORCH_NPU_DEVICE_CAPABILITY (for example 8.0) to have one returned.",
        stacklevel=2,
    )
    return None


def can_device_access_peer(device_id, peer_device_id):
    """Whether two devices of this server reach each other's memory."""
    return _checked(device_id) != _checked(peer_device_id)


def utilization(device=None):
    """How busy the device is, in percent: never, between two kernels."""
    _checked(device)
    return 0


def is_bf16_supported(including_emulation=False):
    """Whether the device computes in bfloat16."""
    return hardware.model().bfloat16


def get_amp_supported_dtype():
    """What `torch.autocast("npu", dtype=...)` accepts."""
    lower = [torch.float16, torch.bfloat16] if is_bf16_supported() else [torch.float16]
    return [*lower, torch.float32]


def is_autocast_enabled():
    """Whether autocast is on for the npu."""
    return autocast_state.is_enabled()


def set_autocast_enabled(enable):
    """Switch autocast for the npu."""
    autocast_state.set_enabled(enable)


def get_autocast_dtype():
    """The type that autocast computes in."""
    return autocast_state.get_dtype()


def set_autocast_dtype(dtype):
    """Choose the type that autocast computes in."""
    autocast_state.set_dtype(dtype)


def get_sync_debug_mode():
    """0: nothing is said about operations that wait for the device."""
    return state.sync_debug_mode


_SYNC_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def set_sync_debug_mode(debug_mode):
    """Choose what is said about operations that wait for the device; recorded only."""
    mode = _SYNC_DEBUG_MODES.get(debug_mode, debug_mode)
    if mode not in _SYNC_DEBUG_MODES.values():
        raise RuntimeError(
            "invalid value of debug_mode, expected one of `default`, `warn`, `error`"
        )
    state.sync_debug_mode = mode
