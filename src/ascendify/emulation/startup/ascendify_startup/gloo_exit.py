"""Prevent crashes at the exit of a process that uses gloo, PyTorch's collectives on a CPU.

gloo's threads hold the tensors of a collective slightly longer than the program that waited for it,
and the last holder of a tensor needs the GIL to free it. On a busy machine this causes two crashes,
both after all work is done:

- Python terminates a thread that waits for the GIL while the interpreter shuts down, inside C++
  code that cannot be terminated there: "terminate called without an active exception".
- The tensor held the last reference to its process group, whose destructor then runs in, and waits
  for, the same thread: "Resource deadlock avoided".
"""

import atexit
import ctypes
import os
import sys
import time

_PATIENCE = 2.0
"""Most seconds to wait: a thread of the program may run for ever."""
_PAUSE = 0.01
_TASKS = "/proc/self/task"


def begin():
    """Wait for gloo's threads at exit, after the functions that are registered later."""
    atexit.register(_let_threads_finish)


def keep(group):
    """Keep a process group alive until the process has exited."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(group))


def _let_threads_finish():
    if "torch.distributed" not in sys.modules:
        return
    until = time.time() + _PATIENCE
    time.sleep(_PAUSE)  # releases the GIL for the threads that wait for it
    while _others_run() and time.time() < until:
        time.sleep(_PAUSE)


def _others_run():
    """Whether another thread runs or waits for a core; known only on Linux."""
    own = str(os.getpid())  # the main thread, which runs the exit functions
    try:
        return any(_runs(thread) for thread in os.listdir(_TASKS) if thread != own)
    except OSError:
        return False


def _runs(thread):
    try:
        with open("%s/%s/stat" % (_TASKS, thread)) as stat:
            # the name of a thread is in brackets, and may contain brackets
            return stat.read().rpartition(")")[2].split()[0] == "R"
    except OSError:  # the thread has finished
        return False
