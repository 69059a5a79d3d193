"""Run functions right after a module was imported."""

import importlib.util
import sys

_ACTIONS = {}
"""Module name to the functions that run after its import."""


class _Watcher(object):
    """Finder that returns the spec of another finder, with a loader that runs our functions."""

    def __init__(self):
        self._asking = set()

    def find_spec(self, name, path=None, target=None):
        """Return the module's own spec, with a loader that then runs the waiting functions."""
        if name not in _ACTIONS or name in self._asking:
            return None
        self._asking.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asking.discard(name)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            _follow(spec.loader, name)
        return spec


def _follow(loader, name):
    """Make the loader of this one module run the waiting functions afterwards."""
    load = loader.exec_module

    def exec_module(module):
        load(module)
        act(name)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        # A built-in loader takes no attributes; no module of interest has such a loader.
        return


def act(name):
    """Run the functions that wait for a module, once; an error is printed, the program goes on."""
    for action in _ACTIONS.pop(name, ()):
        try:
            action()
        except Exception as error:
            sys.stderr.write("ascendify: after import of %s: %r\n" % (name, error))


def after(name, action):
    """Run the action after the import of a module, or now if it is already imported."""
    if not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())
    _ACTIONS.setdefault(name, []).append(action)
    if name in sys.modules:
        act(name)
