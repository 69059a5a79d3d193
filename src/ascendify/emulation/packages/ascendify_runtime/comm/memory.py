"""Memory for large results, reused when a result is no longer referenced.

The system clears new memory page by page, which takes longer than computing the result.
"""

import collections
import mmap
import weakref

import numpy as np

SMALLEST = 1 << 20
"""Bytes; for smaller arrays numpy's own memory is as fast."""
STEP = 1 << 20
MOST_FREE = 2
MOST_FREE_BYTES = 512 << 20

_free = collections.deque()
"""Unused blocks. A block is returned when its result is garbage-collected, possibly during
``empty``, so that a lock could deadlock: only atomic operations are used."""


def empty(count, dtype):
    """Return an uninitialised array of ``count`` elements."""
    nbytes = count * dtype.itemsize
    if nbytes < SMALLEST:
        return np.empty(count, dtype)
    size = -(-nbytes // STEP) * STEP
    piece = _take(size) or _fresh(size)
    array = np.frombuffer(piece, dtype, count)
    weakref.finalize(array, _give_back, piece).atexit = False
    return array


def _take(size):
    for _ in range(len(_free)):
        try:
            piece = _free.popleft()
        except IndexError:
            return None
        if size <= len(piece) <= 2 * size:
            return piece
        _free.append(piece)
    return None


def _fresh(size):
    piece = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_HUGEPAGE") and hasattr(piece, "madvise"):
        try:
            piece.madvise(mmap.MADV_HUGEPAGE)
        except OSError:
            pass  # a kernel without large pages
    return piece


def _give_back(piece):
    if len(piece) > MOST_FREE_BYTES:
        return
    _free.append(piece)
    while len(_free) > MOST_FREE or sum(map(len, tuple(_free))) > MOST_FREE_BYTES:
        try:
            _free.popleft()
        except IndexError:
            return
