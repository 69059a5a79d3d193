"""Hide an installed ``torch_npu`` from the original project, which is written for GPUs.

The requirements of a migrated project name ``torch_npu``, and both projects often share an
environment. Without an NPU the real package cannot be imported, but PyTorch and other libraries
import it if it is installed: an original project that does not use an NPU would fail.
"""

import importlib.machinery
import os
import sys

_PACKAGE = "torch_npu"


def begin():
    """Hide the package from PyTorch and from imports."""
    # PyTorch 2.5 and newer import the device backends that are installed, unless this is 0
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    for number, finder in enumerate(sys.meta_path):
        if finder is importlib.machinery.PathFinder:
            sys.meta_path[number] = _Finder


class _Finder(importlib.machinery.PathFinder):
    """Python's own finder for modules on ``sys.path``, without one package."""

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        """Find a module, unless it belongs to the hidden package."""
        if fullname.partition(".")[0] == _PACKAGE:
            return None
        return super(_Finder, cls).find_spec(fullname, path, target)
