"""Process groups of gloo that live until the process has ended."""

import ctypes


def keep_for_ever(group):
    """Keep a group until the process has ended.

    gloo's own threads hold a group while they let go of their last work. Where theirs is the last
    hold, the group ends in a thread it waits for, and the process with "Resource deadlock avoided".
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(group))
