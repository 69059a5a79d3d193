"""Stand-in for Horovod, for programs that are run where Horovod is not installed.

It is found only after everything else on the search path, so an installed Horovod wins. TensorFlow
graphs are what it knows: sums in the order of the ranks, averages as sums divided by their number,
names and signatures of release 0.28. What it lacks says so with NotImplementedError.

The ranks talk through ``ascendify_runtime``, which lies in one folder with the stand-ins for the
NPU's packages. A program that is not migrated must not find those, so that folder stays off the
search path: the one package is loaded from it by its place, and Python finds the package's own
modules from there.
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
