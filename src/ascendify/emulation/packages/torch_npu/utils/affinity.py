"""The cores that this thread may use."""

import os

_at_start = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None


def set_thread_affinity(core_range=None):
    """Let this thread use cores first to last; without a range, all cores it had at the start."""
    if core_range is None:
        reset_thread_affinity()
        return
    if len(core_range) != 2 or core_range[0] > core_range[1] or core_range[0] < 0:
        raise ValueError("core_range must be [first, last], not %s" % (core_range,))
    wanted = set(range(core_range[0], core_range[1] + 1))
    # an NPU server has more cores than most other machines: only existing cores are used
    usable = wanted & (_at_start or set())
    if usable:
        os.sched_setaffinity(0, usable)


def reset_thread_affinity():
    """Let this thread use the cores it had at the start."""
    if _at_start:
        os.sched_setaffinity(0, _at_start)
