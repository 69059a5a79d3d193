"""The layout of a list of arrays in one buffer: arrays of one type are adjacent (a run)."""

import numpy as np

from . import memory

ALIGNMENT = 64


class Layout:
    """Offsets of a list of arrays in a buffer; they depend only on shapes and types."""

    def __init__(self, arrays):
        self.shapes = [array.shape for array in arrays]
        self.counts = [array.size for array in arrays]
        self.runs = []
        """(offset in bytes, type, number of elements) of each run."""
        self._members = []
        offset = 0
        for dtype, indexes in _by_dtype(arrays):
            count = sum(self.counts[index] for index in indexes)
            self.runs.append((offset, dtype, count))
            self._members.append(indexes)
            offset += -(-count * dtype.itemsize // ALIGNMENT) * ALIGNMENT
        self.nbytes = offset

    def flat(self, buffer):
        """Return each run of a buffer as one flat array."""
        return [
            np.frombuffer(buffer, dtype, count, offset) if count else np.empty(0, dtype)
            for offset, dtype, count in self.runs
        ]

    def pack(self, arrays, buffer):
        """Copy the arrays into a buffer."""
        for run, indexes in zip(self.flat(buffer), self._members):
            start = 0
            for index in indexes:
                stop = start + self.counts[index]
                run[start:stop].reshape(self.shapes[index])[...] = arrays[index]
                start = stop

    def unpack(self, runs):
        """Return the list of arrays in flat runs; they share the memory of the runs."""
        arrays = [None] * len(self.shapes)
        for run, indexes in zip(runs, self._members):
            start = 0
            for index in indexes:
                stop = start + self.counts[index]
                arrays[index] = run[start:stop].reshape(self.shapes[index])
                start = stop
        return arrays

    def empty_runs(self):
        """Return new memory for the runs."""
        return [memory.empty(count, dtype) for _, dtype, count in self.runs]


def _by_dtype(arrays):
    groups = {}
    order = []
    for index, array in enumerate(arrays):
        key = array.dtype.str if array.dtype.kind != "V" else array.dtype.name
        if key not in groups:
            groups[key] = (array.dtype, [])
            order.append(key)
        groups[key][1].append(index)
    return [groups[key] for key in order]


def plain(value):
    """Return a numpy array in this machine's byte order, of a type that has plain raw bytes."""
    array = np.asarray(value)
    if array.dtype.hasobject or array.dtype.kind in "SUMmO":
        raise TypeError("{} arrays cannot be given to a collective".format(array.dtype))
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array
