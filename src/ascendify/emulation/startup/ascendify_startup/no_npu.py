"""Hides an installed ``torch_npu`` from an original, which is a program for GPUs.

The requirements of a migrated project name ``torch_npu``, and both projects often share an
environment. Without an NPU the real package cannot be imported, and PyTorch and libraries around it
import it on their own where it is installed: an original would fail that never asks for an NPU.
"""

import importlib.machinery
import os
import sys

_PACKAGE = "torch_npu"


def begin():
    """Let neither PyTorch nor an import find the package."""
    # PyTorch 2.5 and newer import the device backends that are installed, unless this is 0
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    for number, finder in enumerate(sys.meta_path):
        if finder is importlib.machinery.PathFinder:
            sys.meta_path[number] = _Finder


class _Finder(importlib.machinery.PathFinder):
    """Python's own finder for modules on ``sys.path``, without one package."""

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        """Find what is not to be hidden; what is hidden is as if it were not installed."""
        if fullname.partition(".")[0] == _PACKAGE:
            return None
        return super(_Finder, cls).find_spec(fullname, path, target)
