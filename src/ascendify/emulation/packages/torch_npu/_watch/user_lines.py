"""Find the line of the user's program that called a kernel; fast, because it runs for each kernel.

A kernel of a backward pass is called by the autograd engine. If no function of the user is between
the two, the line is that of the forward operator, if anomaly detection has stored it, and else the
line that called ``backward()``.
"""

import os
import re
import sys
import threading

import torch
from ascendify_runtime import findings

NOWHERE = ("", 0)
"""The place of a kernel without a line of the user."""
_TRACED = re.compile(r'File "([^"]+)", line (\d+)')
_LIBRARY = 0
_OTHER = 1
_USER = 2
_KINDS = {"user": _USER, "other": _OTHER, "library": _LIBRARY}
_STAND_INS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_DECORATORS = ("contextlib.py", "functools.py", "typing_extensions.py")
_OLD_NAMES = tuple(
    os.path.join("torch", "cuda", "amp", name) for name in ("autocast_mode.py", "grad_scaler.py")
)
_ENGINE = getattr(
    torch.autograd.graph,
    "_engine_run_backward",  # torch 2.3 and newer
    torch.autograd.backward,
).__code__
"""The innermost Python function that runs a backward pass."""
_known = {}
"""File name as in a frame -> (kind, full path)."""


def current():
    """Return (path, line) of the user's innermost frame, :data:`NOWHERE` if there is none."""
    frame = sys._getframe(1)
    return (
        _innermost(frame, _ENGINE)
        or _of_the_forward()
        or _innermost(frame)
        or _of_the_main_thread()
        or NOWHERE
    )


def caller():
    """Return file and line of the innermost frame outside the stand-ins."""
    frame = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if not path.startswith((_STAND_INS, "<")):
            return path, frame.f_lineno
        frame = frame.f_back
    return NOWHERE


def calling_user_line():
    """Return the user's line that called the current function; None if a library called it."""
    frame = sys._getframe(2)
    while frame is not None:
        path = frame.f_code.co_filename
        if not path.startswith((_STAND_INS, "<")) and not _is_plumbing(path):
            kind, full = _look_up(path)
            return (full, frame.f_lineno) if kind == _USER else None
        frame = frame.f_back
    return None


def _is_plumbing(path):
    """Whether a file only passes calls on: decorators, context managers, deprecated names."""
    return os.path.basename(path) in _DECORATORS or path.endswith(_OLD_NAMES)


def _innermost(frame, end=None):
    """Return the user's innermost frame, searched up to the frame of the code `end`."""
    fallback = None
    while frame is not None and frame.f_code is not end:
        kind, full = _look_up(frame.f_code.co_filename)
        if kind == _USER:
            return full, frame.f_lineno
        if kind == _OTHER and fallback is None:
            fallback = full, frame.f_lineno
        frame = frame.f_back
    return fallback


def _look_up(path):
    found = _known.get(path)
    if found is None:
        found = _known[path] = (_KINDS[findings.kind_of_file(path)], os.path.realpath(path))
    return found


def _of_the_forward():
    node = torch._C._current_autograd_node()
    traced = node.metadata.get("traceback_") if node is not None else None
    if traced:
        for path, line in reversed(_TRACED.findall("".join(traced))):
            kind, full = _look_up(path)
            if kind == _USER:
                return full, int(line)
    return None


def _of_the_main_thread():
    """Return the line at which the main thread waits: threads of the engine have no frames."""
    waiting = sys._current_frames().get(threading.main_thread().ident)
    return _innermost(waiting) if waiting is not None else None
