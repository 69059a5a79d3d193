"""Storages of the npu: make, copy and resize them, and distinguish them from those of the host.

On the fast path the C++ core treats them as host memory of its own allocator. `accounting` knows
which storages are npu memory.
"""

import torch

from torch_npu._device import path
from torch_npu._device.accounting import hold_again, is_held
from torch_npu._device.alias import adopt, to_cpu
from torch_npu._device.devices import own_device, state

_Storage = torch.UntypedStorage
_new = _Storage.__new__
_resize = _Storage.resize_
_clone = _Storage.clone
_nbytes = _Storage.nbytes
_SIZE = "_npu_size"
"""Attribute of a storage: its size, where the program has made it smaller than its bytes are."""
_NOTHING = 0xFF
"""A byte; numbers of four and of eight of them are not a number."""
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
    if not is_held(self):
        return _resize(self, size)
    if path.is_fast:
        _resize(self, size)
    else:
        _resize_within(self, size)
    hold_again(self)
    return self


def _resize_within(storage, size):
    """Resize a storage of the portable path, which shares its bytes with one of the host.

    The bytes stay allocated. Those that the program gives up are overwritten, as another tensor
    would on the device, so that a program that reads them does not train on.
    """
    if size > _nbytes(storage):
        raise NotImplementedError(
            "ascendify: the portable path of the emulation cannot make a storage of the NPU larger "
            f"than it was made ({_nbytes(storage)} bytes, {size} requested); use a build of torch "
            f"with which the fast path works (here it does not: {path.why_not_fast})"
        )
    given_up = slice(size, nbytes(storage))
    to_cpu(torch.empty(0, dtype=torch.uint8, device="npu").set_(storage))[given_up].fill_(_NOTHING)
    storage.__dict__[_SIZE] = size


def nbytes(self):
    """`UntypedStorage.nbytes`, on the portable path: the size that the program has chosen."""
    return self.__dict__.get(_SIZE, _nbytes(self))


def pin_memory(self, device="npu"):
    """`UntypedStorage.pin_memory`: a copy."""
    return _clone(self)


def install():
    """Replace torch's own functions by these."""
    _Storage.__new__ = new
    _Storage.device = property(device)
    _Storage.resize_ = resize
    if not path.is_fast:
        _Storage.nbytes = nbytes
    _Storage.pin_memory = pin_memory
