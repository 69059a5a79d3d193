"""Marks on tensors that are on the pretended GPU: an attribute of the tensor's Python object.

All tensors of an original project are on the CPU. The mark decides what ``tensor.device`` returns,
and whether ``tensor.cuda()`` is a copy, as for a tensor on the CPU, or the tensor itself.

A tensor that the program has made on the CPU, or moved there, is marked too: only such a tensor is
refused where a GPU would refuse it. Where a mark was lost, in C++ code that returns a new tensor,
the tensor counts as being wherever it is needed.
"""

import os
import threading

_NAME = "_ascendify_gpu"
UNKNOWN = "unknown"
"""The place of a tensor without a mark."""
_TORCH = []
"""The module torch and its class Tensor: looked up once, because marks are read in every call."""


class _Current(threading.local):
    """The GPU that ``torch.cuda.set_device`` has set, in this thread."""

    index = 0


_CURRENT = _Current()


_UNSURE = []


def unsure():
    """Return the device of a tensor whose place is unknown: the CPU, as an object of its own.

    What a program makes on this device is not known to be on the CPU either.
    """
    if not _UNSURE:
        _UNSURE.append(_torch()[0].device("cpu"))
    return _UNSURE[0]


def _torch():
    if not _TORCH:
        import torch

        _TORCH[:] = (torch, torch.Tensor)
    return _TORCH


def device_count():
    """Return the number of pretended GPUs."""
    return int(os.environ.get("ASCENDIFY_DEVICES") or 1)


def current():
    """The index of the current GPU."""
    return _CURRENT.index


def make_current(index):
    """Make a GPU the current one; a wrong index raises CUDA's error."""
    check(index)
    _CURRENT.index = index


_PROCESS = {"used": False, "forked": False}
"""Whether the program has used a GPU, and whether it has forked this process afterwards."""


def is_in_bad_fork():
    """Whether a process that used a GPU has forked this one, which then cannot use it."""
    return _PROCESS["forked"]


def is_used():
    """Whether this process has used a GPU, as ``torch.cuda.is_initialized()`` says."""
    return _PROCESS["used"] and not _PROCESS["forked"]


def _remember_forks():
    _PROCESS["used"] = True
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _PROCESS.update(forked=True))


def check(index):
    """Raise CUDA's error for a GPU that does not exist, or that a forked process uses."""
    if _PROCESS["forked"]:
        raise RuntimeError(
            "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you "
            "must use the 'spawn' start method"
        )
    if not _PROCESS["used"]:
        _remember_forks()
    if not 0 <= index < device_count():
        raise RuntimeError(
            "CUDA error: invalid device ordinal (GPU %d; this run pretends %d: --devices sets it)"
            % (index, device_count())
        )


def mark(value, index):
    """Mark a tensor, or all tensors of a tuple or list, as being on a GPU; return it.

    The index None marks them as being on the CPU.
    """
    if isinstance(value, _torch()[1]):
        value.__dict__[_NAME] = index
    elif isinstance(value, (tuple, list)):
        for one in value:
            mark(one, index)
    return value


def mark_new(value, index=None):
    """Mark what has no mark yet as being on a GPU, or with None on the CPU; return it."""
    if isinstance(value, _torch()[1]):
        value.__dict__.setdefault(_NAME, index)
    elif isinstance(value, (tuple, list)):
        for one in value:
            mark_new(one, index)
    return value


def put(tensor, place):
    """Give a tensor the place of another, which may be unknown; return it."""
    if place is UNKNOWN:
        unmark(tensor)
        return tensor
    return mark(tensor, place)


def unmark(tensor):
    """Remove the mark: the place of the tensor is unknown."""
    tensor.__dict__.pop(_NAME, None)


def place_of(tensor):
    """Return the index of the GPU that a tensor is on, None for the CPU, or ``UNKNOWN``."""
    place = tensor.__dict__.get(_NAME, UNKNOWN)
    return _place_of_shards(tensor) if place is UNKNOWN else place


def _place_of_shards(tensor):
    """Return the place of a ``DTensor`` without a mark: that of its part, or of its mesh."""
    spec = getattr(tensor, "_spec", None) if type(tensor) is not _torch()[1] else None
    mesh = getattr(spec, "mesh", None)
    if getattr(mesh, "device_type", "") != "cuda":
        return UNKNOWN
    place = tensor._local_tensor.__dict__.get(_NAME, UNKNOWN)
    return current() if place is UNKNOWN else place


def marked(tensor):
    """Return the index of the GPU that a tensor or a storage is on, None for the CPU."""
    if not hasattr(tensor, "__dict__"):
        return None
    place = tensor.__dict__.get(_NAME, UNKNOWN)
    if place is UNKNOWN:
        place = _place_of_shards(tensor)
    return None if place is UNKNOWN else place


def first_marked(values):
    """Return the GPU of the first marked tensor among the arguments, None if there is none."""
    tensor = (_TORCH or _torch())[1]
    for value in values:
        if isinstance(value, tensor):
            index = value.__dict__.get(_NAME, UNKNOWN)
            if index is UNKNOWN:
                index = _place_of_shards(value)
                if index is UNKNOWN:
                    continue
        elif isinstance(value, (tuple, list)):
            index = first_marked(value)
        else:
            continue
        if index is not None:
            return index
    return None


class Places(object):
    """Where the tensors among the arguments of a call are."""

    __slots__ = ("gpu", "is_mixed", "on_cpu", "unknown")

    def __init__(self):
        self.gpu = None
        """The first GPU."""
        self.is_mixed = False
        """Whether there is another GPU."""
        self.on_cpu = False
        self.unknown = False

    def see(self, values):
        """Look at arguments, and at those in tuples and lists."""
        tensor = (_TORCH or _torch())[1]
        for value in values:
            if isinstance(value, tensor):
                place = value.__dict__.get(_NAME, UNKNOWN)
                if place is UNKNOWN:
                    place = _place_of_shards(value)
                if place is None:
                    self.on_cpu = True
                elif place is UNKNOWN:
                    self.unknown = True
                elif self.gpu is None:
                    self.gpu = place
                elif self.gpu != place:
                    self.is_mixed = True
            elif isinstance(value, (tuple, list)):
                self.see(value)
        return self


def mark_storage(storage, index):
    """Mark an untyped storage as on a GPU, or with None on the CPU; return it."""
    if index is None:
        storage.__dict__.pop(_NAME, None)
    else:
        storage.__dict__[_NAME] = index
    return storage


def gpu_of(device):
    """Return the index of the GPU that a device names, None for another device.

    Numbers name GPUs, and a GPU without a number is the current one.
    """
    if device is None or isinstance(device, bool):
        return None
    if isinstance(device, int):
        return device
    torch = (_TORCH or _torch())[0]
    if isinstance(device, str):
        if not device.startswith("cuda"):
            return None
        device = torch.device(device)
    if isinstance(device, torch.device) and device.type == "cuda":
        return current() if device.index is None else device.index
    return None
