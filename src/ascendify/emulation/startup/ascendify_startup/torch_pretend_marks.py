"""Marks on tensors that are on the pretended GPU: an attribute of the tensor's Python object.

All tensors of an original project are on the CPU. The mark decides what ``tensor.device`` returns,
and whether ``tensor.cuda()`` is a copy, as for a tensor on the CPU, or the tensor itself.
"""

import os
import threading

_NAME = "_ascendify_gpu"
_TORCH = []
"""The module torch and its class Tensor: looked up once, because marks are read in every call."""


class _Current(threading.local):
    """The GPU that ``torch.cuda.set_device`` has set, in this thread."""

    index = 0


_CURRENT = _Current()


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


def check(index):
    """Raise CUDA's error for a GPU that does not exist."""
    if not 0 <= index < device_count():
        raise RuntimeError(
            "CUDA error: invalid device ordinal (GPU %d; this run pretends %d: --devices sets it)"
            % (index, device_count())
        )


def mark(value, index):
    """Mark a tensor, or all tensors of a tuple or list, as being on a GPU; return it."""
    if isinstance(value, _torch()[1]):
        value.__dict__[_NAME] = index
    elif isinstance(value, (tuple, list)):
        for one in value:
            mark(one, index)
    return value


def unmark(tensor):
    """Remove the mark: the tensor is on the CPU."""
    tensor.__dict__.pop(_NAME, None)


def marked(tensor):
    """Return the index of the GPU that a tensor or a storage is on, None for the CPU."""
    return tensor.__dict__.get(_NAME) if hasattr(tensor, "__dict__") else None


def first_marked(values):
    """Return the GPU of the first marked tensor among the arguments, None if there is none."""
    tensor = (_TORCH or _torch())[1]
    for value in values:
        if isinstance(value, tensor):
            index = value.__dict__.get(_NAME)
        elif isinstance(value, (tuple, list)):
            index = first_marked(value)
        else:
            continue
        if index is not None:
            return index
    return None


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
