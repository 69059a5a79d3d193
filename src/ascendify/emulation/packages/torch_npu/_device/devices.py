"""The devices that the process sees, the current one, and whether it has been initialised.

One process uses one npu: all its tensors are physically on index 0, and `Tensor.device` reports the
index that the process has chosen.
"""

import os
import re
import threading

import torch

_BAD_FORK = (
    "Cannot re-initialize NPU in forked subprocess. To use NPU with multiprocessing, you must use "
    "the 'spawn' start method"
)


class DeviceState:
    """State of the device of this process."""

    def __init__(self):
        self.index = 0
        self.placed = False
        """Whether a tensor has been put on the device."""
        self.follow = None
        """Function to call when the chosen index is another one than 0."""
        self.initialised = False
        self.forked = False
        self.queued = []
        self.counted = None
        self.sync_debug_mode = 0
        self.lock = threading.RLock()


state = DeviceState()


def device_count():
    """Return the number of devices this process sees; fixed after its first use of a device."""
    return _count() if state.counted is None else state.counted


def _count():
    count = int(os.environ.get("ASCENDIFY_DEVICES", "1"))
    visible = os.environ.get("ASCEND_RT_VISIBLE_DEVICES")
    return count if visible is None else min(len(visible_devices(visible, count)), count)


def visible_devices(text, count):
    """Return the devices that a value of ASCEND_RT_VISIBLE_DEVICES names.

    The text is cut at the first character that is neither digit nor comma; unless the numbers
    ascend, there is no device.
    """
    kept = re.match(r"[0-9,]*", text).group()
    numbers = [int(number) for number in kept.split(",") if number]
    ascending = all(one < other for one, other in zip(numbers, numbers[1:]))
    return [number for number in numbers if number < count] if ascending else []


def initialise():
    """Run the functions that were deferred to the first use of the device."""
    if state.initialised:
        return
    if state.forked:
        raise RuntimeError(_BAD_FORK)
    with state.lock:
        if device_count() == 0:
            raise RuntimeError(
                "No NPU is visible to this process: ASCEND_RT_VISIBLE_DEVICES="
                f"{os.environ.get('ASCEND_RT_VISIBLE_DEVICES', '')!r} names none"
            )
        state.counted = device_count()
        state.initialised = True
        queued, state.queued = state.queued, []
        for call in queued:
            call()


def when_initialised(call):
    """Run now, or as soon as the device is first used."""
    if state.initialised:
        call()
    else:
        state.queued.append(call)


def _after_fork():
    # an accelerator's context does not survive fork(): every later use in the child must fail
    if state.initialised:
        state.initialised, state.forked = False, True


os.register_at_fork(after_in_child=_after_fork)


def check_index(index):
    """Raise unless a device of this index exists."""
    if index >= device_count():
        raise RuntimeError(
            f"Invalid device ID: npu:{index} was requested, but this process sees {device_count()} "
            "device(s); check the index and ASCEND_RT_VISIBLE_DEVICES"
        )


_HOST = torch.device("cpu")


def own_device(device):
    """Return the device a kernel computes on, after a check of the requested device."""
    if not state.initialised:
        initialise()
    if device is not None and device.index and device.index != state.index:
        choose_index(device.index)
    state.placed = True
    return _HOST


def choose_index(index):
    """Choose the device of the process by its first tensor, if it is not chosen yet."""
    check_index(index)
    if state.placed and index != state.index:
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"npu:{state.index} and npu:{index}! The emulation has one device per process: call "
            f"torch.npu.set_device({index}) before the first tensor is made"
        )
    state.index = index
    state.follow(index)


def stays(device):
    """Whether a result belongs on the npu: unless another device was requested."""
    return device is None or device.type == "npu"


def index_of(device, optional=True):
    """Return the index that an int, a string, a torch.device or None names."""
    if device is None and optional:
        return state.index
    if isinstance(device, int):
        return device
    device = torch.device(device)
    if device.type != "npu":
        raise ValueError(f"Expected a npu device, but got: {device}")
    return state.index if device.index is None else device.index
