"""Start-up code that every Python process of a run imports before the user's program.

The user's own ``sitecustomize`` runs first. Our part runs only if a variable ``ASCENDIFY_*`` is
set, and an error in it never stops the user's program.
"""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _hand_over():
    """Run the ``sitecustomize`` that Python would have found without this folder."""
    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _begin():
    """Load our part only if a variable ``ASCENDIFY_*`` is set."""
    if any(name.startswith("ASCENDIFY_") for name in os.environ):
        import ascendify_startup

        ascendify_startup.begin()


try:
    _hand_over()
finally:
    try:
        _begin()
    except Exception as error:
        sys.stderr.write(
            "ascendify: nothing is captured or measured in this process: %r\n" % (error,)
        )
