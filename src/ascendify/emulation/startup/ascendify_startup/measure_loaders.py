"""Count the samples in the batches of PyTorch's DataLoader."""

import functools

from ascendify_startup.measure_torch import Batches


def begin(meter):
    """Watch every loader."""
    from torch.utils.data import dataloader

    _watch_batches(meter, dataloader._BaseDataLoaderIter)
    _watch_beginnings(meter, dataloader.DataLoader)


def _watch_batches(meter, iterator):
    original = iterator.__next__

    @functools.wraps(original)
    def following(self):
        batch = original(self)
        meter.safely(_note, batch)
        return batch

    iterator.__next__ = following


def _watch_beginnings(meter, loader):
    """Start the time of a step with each pass over the data; a test before it does not count."""
    original = loader.__iter__

    @functools.wraps(original)
    def beginning(self):
        meter.safely(meter.begin)
        return original(self)

    loader.__iter__ = beginning


def _note(batch):
    Batches.size = _size(batch) or 0


def _size(batch):
    """Return the first dimension of the first tensor in a batch."""
    if isinstance(batch, dict):
        batch = list(batch.values())
    if isinstance(batch, (list, tuple)):
        for one in batch:
            found = _size(one)
            if found is not None:
                return found
        return None
    shape = getattr(batch, "shape", None)
    return int(shape[0]) if shape is not None and len(shape) else None
