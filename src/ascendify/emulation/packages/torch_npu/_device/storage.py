"""Storages of the npu: made, copied, resized and told apart from those of the host.

The C++ core sees memory of the host, which its allocator serves. Which storages are npu memory is
kept by `accounting`.
"""

import torch

from torch_npu._device.accounting import hold_again, is_held
from torch_npu._device.devices import own_device, state

_Storage = torch.UntypedStorage
_new = _Storage.__new__
_resize = _Storage.resize_
_clone = _Storage.clone
_device = torch._C.StorageBase.device.__get__


def adopt_storage(storage):
    """Let a storage that nobody else holds be npu memory."""
    own_device(None)
    hold_again(storage)
    return storage


def new(cls, *args, **kwargs):
    """`UntypedStorage(...)`, also on the npu."""
    wanted = kwargs.get("device")
    if wanted is None or torch.device(wanted).type != "npu":
        return _new(cls, *args, **kwargs)
    own_device(torch.device(kwargs.pop("device")))
    return adopt_storage(_new(cls, *args, **kwargs))


def device(self):
    """`UntypedStorage.device`."""
    return torch.device("npu", state.index) if is_held(self) else _device(self)


def resize(self, size):
    """`UntypedStorage.resize_`, served by the host's allocator."""
    _resize(self, size)
    if is_held(self):
        hold_again(self)
    return self


def pin_memory(self, device="npu"):
    """`UntypedStorage.pin_memory`: a copy, as pinning makes one."""
    return _clone(self)


def install():
    """Put these in the place of torch's own."""
    _Storage.__new__ = new
    _Storage.device = property(device)
    _Storage.resize_ = resize
    _Storage.pin_memory = pin_memory
