"""Storages of the npu: make, copy and resize them, and distinguish them from those of the host.

On the fast path the C++ core treats them as host memory of its own allocator. `accounting` knows
which storages are npu memory.
"""

import torch

from torch_npu._device import path
from torch_npu._device.accounting import hold_again, is_held
from torch_npu._device.alias import adopt
from torch_npu._device.devices import own_device, state

_Storage = torch.UntypedStorage
_new = _Storage.__new__
_resize = _Storage.resize_
_clone = _Storage.clone
_device = torch._C.StorageBase.device.__get__


def adopt_storage(storage):
    """Turn a storage without other references into npu memory."""
    own_device(None)
    if not path.is_fast:
        return adopt(torch.empty(0, dtype=torch.uint8).set_(storage)).untyped_storage()
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
    """`UntypedStorage.resize_`, with the host's allocator."""
    if is_held(self) and not path.is_fast and size != self.nbytes():
        raise NotImplementedError(
            "ascendify: the portable path of the emulation cannot resize a storage of the NPU, as "
            "FullyShardedDataParallel and others do; use a build of torch with which the fast path "
            f"works (here it does not: {path.why_not_fast})"
        )
    _resize(self, size)
    if is_held(self):
        hold_again(self)
    return self


def pin_memory(self, device="npu"):
    """`UntypedStorage.pin_memory`: a copy."""
    return _clone(self)


def install():
    """Replace torch's own functions by these."""
    _Storage.__new__ = new
    _Storage.device = property(device)
    _Storage.resize_ = resize
    _Storage.pin_memory = pin_memory
