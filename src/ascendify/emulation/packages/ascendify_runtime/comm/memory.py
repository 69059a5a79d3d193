"""Memory for large results, used again once a result is no longer referred to.

Fresh memory must be cleared by the system page by page, which takes longer than adding up what goes
into it.
"""

import collections
import mmap
import weakref

import numpy as np

SMALLEST = 1 << 20
"""Below this, numpy's own memory is as good."""
STEP = 1 << 20
MOST_FREE = 2
MOST_FREE_BYTES = 512 << 20

_free = collections.deque()
"""Unused pieces. Pieces come back whenever a result is collected, perhaps in the middle of
``empty``: so there is no lock, only operations that are whole by themselves."""


def empty(count, dtype):
    """An array of so many elements, with any contents."""
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
