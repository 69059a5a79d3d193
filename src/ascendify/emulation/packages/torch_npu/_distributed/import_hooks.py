"""Patch modules that are slow to import only when a program imports them itself."""

import importlib.abc
import importlib.util
import sys


class _Watcher(importlib.abc.MetaPathFinder):
    """Finder that patches one module after it has been executed."""

    def __init__(self, name, change):
        self.name, self.change = name, change

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                self.change(sys.modules[name])  # a module may put another in its place

            spec.loader.exec_module = exec_module
        return spec


def after_import(name, change):
    """Call change(module) now, or after the module's first import."""
    if name in sys.modules:
        change(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Watcher(name, change))
