"""How many bytes the storages of npu tensors hold: now, and at most since the last reset."""

import weakref

_held = {}
"""Each storage that is alive, by the address of its C++ object."""


class Counters:
    """Running figures, in bytes and in blocks."""

    def __init__(self):
        self.current = self.peak = self.allocated = self.freed = 0
        self.blocks = self.peak_blocks = self.allocated_blocks = self.freed_blocks = 0
        self.reserved = self.peak_reserved = 0

    def reset_peak(self):
        """Let the peaks start again from what is held now."""
        self.peak, self.peak_blocks = self.current, self.blocks
        self.peak_reserved = self.reserved

    def reset_accumulated(self):
        """Let the sums over time start again from nothing."""
        self.allocated = self.freed = self.allocated_blocks = self.freed_blocks = 0

    def empty_cache(self):
        """Give back what is reserved and not in use."""
        self.reserved = self.current


counters = Counters()


class _Held(weakref.ref):
    """A storage that is alive. It does not keep it alive."""

    __slots__ = ("address", "size")


def _freed(held):
    if _held.pop(held.address, None) is None:
        return
    counters.current -= held.size
    counters.freed += held.size
    counters.blocks -= 1
    counters.freed_blocks += 1


def is_held(storage):
    """Whether a storage is npu memory."""
    return storage._cdata in _held


def holds(tensor):
    """Count the storage of a tensor as npu memory until it is freed."""
    hold_storage(tensor.untyped_storage())


def hold_storage(storage):
    """Count a storage as npu memory until it is freed; a second call tells its new size.

    torch keeps the Python object of a storage until the C++ object goes, so a weak reference to it
    tells when the bytes are free, whoever held them last.
    """
    address, size = storage._cdata, storage.nbytes()
    known = _held.get(address)
    if known is not None:
        if known.size == size:
            return
        _freed(known)
    held = _Held(storage, _freed)
    held.address, held.size = address, size
    _held[address] = held
    _count(size)


def _count(size):
    current = counters.current = counters.current + size
    counters.allocated += size
    counters.allocated_blocks += 1
    counters.blocks += 1
    if current > counters.peak:
        counters.peak = current
    if current > counters.reserved:
        counters.reserved = current
        if current > counters.peak_reserved:
            counters.peak_reserved = current
    if counters.blocks > counters.peak_blocks:
        counters.peak_blocks = counters.blocks
