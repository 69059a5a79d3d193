"""Record which modules a process imported from outside the project.

An installed package or a folder on PYTHONPATH can shadow the project's own files; the runner
decides whether that matters.
"""

import atexit
import os
import sys

_STANDARD = os.path.dirname(os.path.realpath(os.__file__))
_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
_INSTALLED = ("site-packages", "dist-packages")


def begin(recorder, root):
    """Record it when the process exits."""
    atexit.register(_record, recorder, os.path.realpath(root))


def _record(recorder, root):
    found = dict(_elsewhere(root))
    if found:
        recorder.write({"source": "modules", "files": found})


def _elsewhere(root):
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if not isinstance(path, str) or not path.endswith(".py"):
            continue
        path = os.path.realpath(path)
        if not (_below(path, root) or _below(path, _OURS) or _is_standard(path)):
            yield name, path


def _is_standard(path):
    return _below(path, _STANDARD) and not any(part in path for part in _INSTALLED)


def _below(path, folder):
    return path.startswith(folder + os.sep)
