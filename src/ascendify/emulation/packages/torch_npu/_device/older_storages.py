"""List the storages that are npu memory, for torch 2.1, which keeps no Python object of a storage.

They are listed by their address. A weak reference of the C++ core prevents reuse of the address,
and shows when the storage has been freed. Freed storages are removed only now and then, so that a
peak of memory may be counted too high.
"""

import os
import threading

import torch

from torch_npu._device.accounting import counters

_Storage = torch.UntypedStorage


class Listed:
    """A list of storages with their sizes, until they are freed."""

    def __init__(self, on_gone=lambda size: None):
        self._known = {}
        self._on_gone = on_gone
        self._look_at = 1024
        # a thread that pins memory also adds storages; a forked child must not inherit a held lock
        self._lock = threading.RLock()
        os.register_at_fork(
            before=self._lock.acquire,
            after_in_parent=self._lock.release,
            after_in_child=self._lock.release,
        )

    def __contains__(self, storage):
        return storage._cdata in self._known

    def add(self, storage, size=0):
        """Add a storage, or change its size."""
        with self._lock:
            if storage not in self:
                self._known[storage._cdata] = storage._weak_ref(), size
            else:
                reference, before = self._known[storage._cdata]
                self._on_gone(before)
                self._known[storage._cdata] = reference, size
            if len(self._known) > self._look_at:
                self.forget_gone()
                self._look_at = 1024 + 2 * len(self._known)

    def forget_gone(self):
        """Remove the freed storages."""
        with self._lock:
            for address, (reference, size) in list(self._known.items()):
                if _Storage._expired(reference):
                    del self._known[address]
                    _Storage._free_weak_ref(reference)
                    self._on_gone(size)


def _freed(size):
    counters.freed += size
    counters.freed_blocks += 1


_held = Listed(_freed)
pinned = Listed()
counters.bring_up_to_date = _held.forget_gone


def is_held(storage):
    """Whether a storage is npu memory."""
    return storage in _held


def holds(tensor):
    """Count the storage of a tensor as npu memory, unless it is counted already."""
    storage = tensor.untyped_storage()
    if storage not in _held:
        hold_again(storage)


def hold_again(storage):
    """Count a storage with the size it has now."""
    size = storage.nbytes()
    counters.allocated += size
    counters.allocated_blocks += 1
    _held.add(storage, size)
    current = counters.allocated - counters.freed
    blocks = counters.allocated_blocks - counters.freed_blocks
    counters.peak = max(counters.peak, current)
    counters.peak_blocks = max(counters.peak_blocks, blocks)
    counters.reserved = max(counters.reserved, current)
    counters.peak_reserved = max(counters.peak_reserved, counters.reserved)
