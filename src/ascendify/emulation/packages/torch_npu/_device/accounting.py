"""Count the bytes that the storages of npu tensors hold: now, and the peak since the last reset."""

import torch


class Counters:
    """Running figures, in bytes and in blocks; a block is the memory of one storage."""

    __slots__ = ("allocated", "allocated_blocks", "freed", "freed_blocks", "peak",
                 "peak_blocks", "reserved", "peak_reserved", "__dict__")  # fmt: skip

    def __init__(self):
        self.allocated = self.freed = self.allocated_blocks = self.freed_blocks = 0
        self.peak = self.peak_blocks = self.reserved = self.peak_reserved = 0

    def bring_up_to_date(self):
        """Subtract freed storages; does nothing if each is subtracted when it is freed."""

    @property
    def current(self):
        """Bytes held now."""
        self.bring_up_to_date()
        return self.allocated - self.freed

    @property
    def blocks(self):
        """Storages alive now."""
        self.bring_up_to_date()
        return self.allocated_blocks - self.freed_blocks

    def reset_peak(self):
        """Reset the peaks to the current values."""
        self.peak, self.peak_blocks = self.current, self.blocks
        self.peak_reserved = self.reserved

    def reset_accumulated(self):
        """Reset the accumulated sums to the current values."""
        self.allocated, self.freed = self.current, 0
        self.allocated_blocks, self.freed_blocks = self.blocks, 0

    def empty_cache(self):
        """Free reserved memory that is not in use."""
        self.reserved = self.current


counters = Counters()


class _Block:
    """The memory of one storage, counted until the storage is freed.

    torch keeps the Python object of a storage until the C++ object is freed; a block is an
    attribute of the Python object and is freed with it.
    """

    __slots__ = ("size",)

    def __init__(self, size, counters=counters):
        self.size = size
        blocks = counters.allocated_blocks = counters.allocated_blocks + 1
        # comparisons, because a call of max() takes as long as the rest of this function
        if blocks - counters.freed_blocks > counters.peak_blocks:  # noqa: PLR1730
            counters.peak_blocks = blocks - counters.freed_blocks
        allocated = counters.allocated = counters.allocated + size
        current = allocated - counters.freed
        if current > counters.peak:  # noqa: PLR1730
            counters.peak = current
        if current > counters.reserved:
            counters.reserved = current
            counters.peak_reserved = max(counters.peak_reserved, current)

    def __del__(self, counters=counters):
        counters.freed += self.size
        counters.freed_blocks += 1


def _keeps_its_object():
    """Whether torch keeps the Python object of a storage: from 2.2 on."""
    tensor = torch.zeros(1)
    return tensor.untyped_storage() is tensor.untyped_storage()


if _keeps_its_object():

    def is_held(storage):
        """Whether a storage is npu memory."""
        return "_npu_block" in storage.__dict__

    def holds(tensor):
        """Count the storage of a tensor as npu memory, unless it is counted already."""
        storage = tensor.untyped_storage()
        attributes = storage.__dict__
        if "_npu_block" not in attributes:
            attributes["_npu_block"] = _Block(storage.nbytes())

    def hold_again(storage):
        """Count a storage with the size it has now."""
        storage.__dict__["_npu_block"] = _Block(storage.nbytes())

    def pin(storage):
        """Mark a storage of the host as pinned memory."""
        storage.__dict__["_npu_pinned"] = True

    def is_pinned(storage):
        """Whether a storage is marked as pinned memory."""
        return "_npu_pinned" in storage.__dict__

else:
    from torch_npu._device import older_storages

    is_held, holds = older_storages.is_held, older_storages.holds
    hold_again = older_storages.hold_again
    pin, is_pinned = older_storages.pinned.add, older_storages.pinned.__contains__
