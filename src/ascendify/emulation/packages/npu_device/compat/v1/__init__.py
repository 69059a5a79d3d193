"""The adapter of TensorFlow 1 under TensorFlow 2: the modules of `npu_bridge` by other names.

`npu_device.compat.v1.X` is the module `npu_bridge.X`. Only `npu_init` is a module of its own, and
the loss scale modules are missing, as on the device.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys

from npu_device.compat.utils import SessionConfigBuilder

_ORIGIN = "npu_bridge"
_MISSING = ("npu_loss_scale_manager", "npu_loss_scale_optimizer")


class _Aliases(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of this package among those of `npu_bridge`."""

    def find_spec(self, name, path=None, target=None):
        """Return a spec for every module of `npu_bridge` that TensorFlow 2 has."""
        own = __name__ + "."
        if not name.startswith(own) or name == own + "npu_init":
            return None
        if name.rpartition(".")[2] in _MISSING:
            raise ModuleNotFoundError("No module named {!r}".format(name), name=name)
        if importlib.util.find_spec(_ORIGIN + "." + name[len(own) :]) is None:
            return None
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        """Return the module of `npu_bridge` itself."""
        module = importlib.import_module(_ORIGIN + spec.name[len(__name__) :])
        self._attributes = {key: getattr(module, key, None) for key in _OF_A_SPEC}
        return module

    def exec_module(self, module):
        """Give the module back its own name, which the import has just replaced."""
        for key, value in self._attributes.items():
            setattr(module, key, value)


_OF_A_SPEC = ("__name__", "__spec__", "__loader__", "__package__", "__path__")
__path__ = list(__path__)
if not any(isinstance(finder, _Aliases) for finder in sys.meta_path):
    sys.meta_path.insert(0, _Aliases())
