"""Make tensors report the index of the device that their process has chosen.

Physically every npu tensor is on index 0. If that is the chosen index, nothing is patched; if a
process chooses another one, `Tensor.device` and moves between devices translate the index.
"""

import functools

import torch

from torch_npu._device.core import TensorBase
from torch_npu._device.devices import choose_index, index_of, state

_device = TensorBase.device.__get__
_get_device = TensorBase.get_device
_patched = []


def follow(index):
    """Report `index` from now on."""
    if index and not _patched:
        translate()


def translate():
    """Make tensors report the chosen index, and accept numbers as npus."""
    _patched.append(True)
    torch.Tensor.device = property(_reported)
    torch.Tensor.get_device = _reported_index
    torch.Tensor.to = _translated(TensorBase.to)
    torch.Tensor.npu = _npu


def install():
    """Accept numbers as npus if torch does not: 2.1 always treats them as GPUs."""
    if torch.device(0).type != "npu":
        translate()


state.follow = follow


def _reported(self):
    device = _device(self)
    return torch.device("npu", state.index) if device.type == "npu" else device


def _reported_index(self):
    index = _get_device(self)
    return index if index < 0 else state.index


def _translated(method):
    """Wrap a method so that `npu:<chosen>` means index 0, where the tensors physically are."""

    @functools.wraps(method)
    def translated(self, *args, **kwargs):
        if args and isinstance(args[0], (str, int, torch.device)):
            args = (_physical(args[0]), *args[1:])
        if kwargs.get("device") is not None:
            kwargs["device"] = _physical(kwargs["device"])
        return method(self, *args, **kwargs)

    return translated


def _physical(device):
    if isinstance(device, bool) or (isinstance(device, str) and not device.startswith("npu")):
        return device
    if isinstance(device, torch.device) and device.type != "npu":
        return device
    index = index_of(device)
    if index:
        choose_index(index)
    # 0 may come from torch itself, for which all tensors are on index 0
    return torch.device("npu", 0)


def _npu(self, device=None, non_blocking=False, **kwargs):
    return self.to(_physical("npu" if device is None else device), non_blocking=non_blocking)
