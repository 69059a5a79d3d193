"""How many steps the device runs of a loop that takes its input from an iterator.

A loop over `tf.range(n)` that calls `next(iterator)` runs on the device as a whole, with the number
of steps from NPU_LOOP_SIZE or `set_npu_loop_size`, whatever n is. Here the loop runs n times, and
strict mode reports another size.
"""

import os

from absl import logging

_size = [None]


def set_size(size):
    """Set the number of steps; numbers below 1 are logged and ignored."""
    if size <= 0:
        logging.error("Npu loop size must be greater than 0, got %s", size)
        return
    _size[0] = size


def size():
    """Return the number of steps."""
    if _size[0] is None:
        given = os.environ.get("NPU_LOOP_SIZE", "1")
        _size[0] = int(given) if given.isdigit() and int(given) > 0 else 1
    return _size[0]
