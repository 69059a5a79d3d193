"""Run something right after a module was imported, whoever imports it and whenever."""

import importlib.util
import sys

_ACTIONS = {}
"""Module name to the functions that wait for it."""


class _Watcher(object):
    """A finder that finds nothing itself: it lets the others find, and then waits for the end."""

    def __init__(self):
        self._asking = set()

    def find_spec(self, name, path=None, target=None):
        """The module's own spec, whose loader tells us when it is done."""
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
    """Have the loader, which serves this one module, run the waiting functions afterwards."""
    load = loader.exec_module

    def exec_module(module):
        load(module)
        act(name)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        # A built-in loader takes no attributes; none of the modules waited for has one.
        return


def act(name):
    """Run what waits for a module, once; a failure costs the user a line, not the program."""
    for action in _ACTIONS.pop(name, ()):
        try:
            action()
        except Exception as error:
            sys.stderr.write("ascendify: after import of %s: %r\n" % (name, error))


def after(name, action):
    """Run the action after the module is imported, or now when it has been already."""
    if not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())
    _ACTIONS.setdefault(name, []).append(action)
    if name in sys.modules:
        act(name)
