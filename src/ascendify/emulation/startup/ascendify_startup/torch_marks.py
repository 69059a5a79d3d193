"""Which tensors a program believes to be on a GPU: a mark on the tensor's Python object.

All tensors of an original are on the CPU. The mark says what ``tensor.device`` answers, and whether
``tensor.cuda()`` is a copy, as it is for a tensor of the CPU, or the tensor itself.
"""

import os

_NAME = "_ascendify_gpu"
_CURRENT = [0]
"""The index that ``torch.cuda.set_device`` has set."""


def device_count():
    """How many GPUs the program is told of."""
    return int(os.environ.get("ASCENDIFY_DEVICES") or 1)


def current():
    """The index of the current GPU."""
    return _CURRENT[0]


def make_current(index):
    """Make a GPU the current one; the error for one that is not there is CUDA's."""
    if not 0 <= index < device_count():
        raise RuntimeError(
            "CUDA error: invalid device ordinal (GPU %d; this run pretends %d: --devices sets it)"
            % (index, device_count())
        )
    _CURRENT[0] = index


def mark(value, index):
    """Mark a tensor, or all tensors of a tuple or list, as being on a GPU; return it."""
    import torch

    if isinstance(value, torch.Tensor):
        setattr(value, _NAME, index)
    elif isinstance(value, (tuple, list)):
        for one in value:
            mark(one, index)
    return value


def unmark(tensor):
    """Have a tensor be on the CPU."""
    if hasattr(tensor, _NAME):
        delattr(tensor, _NAME)


def marked(tensor):
    """The index of the GPU a tensor is on, None for the CPU."""
    return tensor.__dict__.get(_NAME) if hasattr(tensor, "__dict__") else None


def first_marked(values):
    """The index of the first tensor among some arguments that is on a GPU, None if none is."""
    import torch

    for value in values:
        if isinstance(value, torch.Tensor):
            index = marked(value)
        elif isinstance(value, (tuple, list)):
            index = first_marked(value)
        else:
            continue
        if index is not None:
            return index
    return None


def gpu_of(device):
    """The index of the GPU that is named, None for another device.

    Numbers name GPUs, and a GPU without a number is the current one.
    """
    import torch

    if isinstance(device, bool) or device is None:
        return None
    if isinstance(device, int):
        return device
    if isinstance(device, str):
        if not device.startswith("cuda"):
            return None
        device = torch.device(device)
    if isinstance(device, torch.device) and device.type == "cuda":
        return current() if device.index is None else device.index
    return None
