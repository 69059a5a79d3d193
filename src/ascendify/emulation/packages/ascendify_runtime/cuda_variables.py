"""Record which environment variables of CUDA the user's program reads and sets.

This starts before the program, because programs set such variables before any import.
"""

import json
import os
import re
import sys

from ascendify_runtime import findings

_DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "gpu_variables.json")

READ = "read"
SET = "set"
touched = {}
"""(name, read or set, line of the program) -> how often."""


def _read():
    with open(_DATA, encoding="utf-8") as file:
        rows = json.load(file)["variables"]
    return [(re.compile(row["pattern"]), row["todo"]) for row in rows]


_VARIABLES = _read()
"""Patterns of names and what to do about them, the first that matches counts."""


def todo(name):
    """Return what to do about a variable that only GPU software reads; None for any other."""
    return next((todo for pattern, todo in _VARIABLES if pattern.match(name)), None)


def begin():
    """Watch ``os.environ`` from now on."""
    kind = type(os.environ)
    get, put = kind.__getitem__, kind.__setitem__

    def __getitem__(self, key):
        if self is os.environ:
            _note(key, READ)
        return get(self, key)

    def __setitem__(self, key, value):
        if self is os.environ:
            _note(key, SET)
        put(self, key, value)

    kind.__getitem__ = __getitem__
    kind.__setitem__ = __setitem__


def _note(key, how):
    if not isinstance(key, str) or todo(key) is None:
        return
    frame = sys._getframe(2)
    while frame is not None and _is_plumbing(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is not None and findings.is_user_file(frame.f_code.co_filename):
        entry = (key, how, (os.path.realpath(frame.f_code.co_filename), frame.f_lineno))
        touched[entry] = touched.get(entry, 0) + 1


def _is_plumbing(path):
    """Whether a file belongs to ``os`` or to the base classes of mappings."""
    return path.startswith("<") or os.path.basename(path) in ("os.py", "_collections_abc.py")
