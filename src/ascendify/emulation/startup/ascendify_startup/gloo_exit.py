"""The end of a process whose ranks talk through gloo, PyTorch's collectives on a CPU.

gloo's threads hold the tensors of a work a little longer than the program that waited for it, and
the last to hold a tensor needs Python's lock to drop it. Two ends come of this on a busy machine,
both after all work is done:

- Python ends a thread that waits for its lock while the interpreter is taken down, in a place where
  C++ takes no end: "terminate called without an active exception".
- The tensor was the last to hold its group, which then ends in a thread it waits for itself:
  "Resource deadlock avoided".
"""

import atexit
import ctypes
import os
import sys
import time

_PATIENCE = 2.0
"""Seconds: a thread of the program may run for ever."""
_PAUSE = 0.01
_TASKS = "/proc/self/task"


def begin():
    """Wait at the end of the process; what registers later comes before."""
    atexit.register(_let_threads_finish)


def keep(group):
    """Keep a group until the process has ended."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(group))


def _let_threads_finish():
    if "torch.distributed" not in sys.modules:
        return
    until = time.time() + _PATIENCE
    time.sleep(_PAUSE)  # gives Python's lock to those who wait for it
    while _others_run() and time.time() < until:
        time.sleep(_PAUSE)


def _others_run():
    """Whether a thread that is not this one computes, or waits for a core; only Linux tells."""
    own = str(os.getpid())  # the main thread, which runs what is left for the end
    try:
        return any(_runs(thread) for thread in os.listdir(_TASKS) if thread != own)
    except OSError:
        return False


def _runs(thread):
    try:
        with open("%s/%s/stat" % (_TASKS, thread)) as stat:
            # the name of a thread is in brackets, and may have some itself
            return stat.read().rpartition(")")[2].split()[0] == "R"
    except OSError:  # it has ended
        return False
