"""Stand-in for Horovod, for programs that are run where Horovod is not installed.

It is the last entry of the search path, so an installed Horovod is preferred. It supports
TensorFlow graphs, with the names and signatures of release 0.28: sums are computed in the order of
the ranks, averages are sums divided by the number of ranks. Unsupported functions raise
NotImplementedError.

The ranks communicate through ``ascendify_runtime``, which is in one folder with the stand-ins for
the NPU's packages. A program that is not migrated must not find those, so that folder is not on the
search path: the package is loaded by its file path.
"""

import importlib.machinery
import importlib.util
import os
import sys

__version__ = "0.28.1"

_RUNTIME = "ascendify_runtime"


def _load_runtime():
    if importlib.util.find_spec(_RUNTIME) is not None:
        return
    above = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    spec = importlib.machinery.PathFinder.find_spec(_RUNTIME, [os.path.join(above, "packages")])
    module = importlib.util.module_from_spec(spec)
    sys.modules[_RUNTIME] = module
    spec.loader.exec_module(module)


_load_runtime()
