"""Where names of the native ``keras`` package live in ``tf.keras`` of TF 1.15.

The NPU adapter supports tf.keras only. Native code is read as the tf.keras code it becomes, so one
set of rules serves both; a name that tf.keras does not have keeps its native spelling.
"""

from __future__ import annotations

from functools import cache

from ascendify.catalog import names, signatures, types
from ascendify.catalog._data import table

_HOMES = {
    "keras.backend.tensorflow_backend": ("keras.backend",),
    "keras.engine": ("keras.layers", "keras.models", "keras.utils", "keras"),
    "keras.engine.base_layer": ("keras.layers", "keras"),
    "keras.engine.input_layer": ("keras.layers", "keras"),
    "keras.engine.network": ("keras.utils",),
    "keras.engine.saving": ("keras.models",),
    "keras.engine.sequential": ("keras.models",),
    "keras.engine.topology": ("keras.layers", "keras.utils", "keras"),
    "keras.engine.training": ("keras.models",),
    "keras.objectives": ("keras.losses",),
    "keras.utils.training_utils": ("keras.utils",),
    "keras.utils.multi_gpu_utils": ("keras.utils",),
}
"""Modules of keras 2.0 to 2.3 that tf.keras does not have, and where their names went.

Modules that TensorFlow keeps under ``tensorflow.python.keras`` are looked up there.
"""
_RENAMED = {
    f"keras.optimizers.{name.lower()}": f"keras.optimizers.{name}"
    for name in ("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam")
}
"""Second names of keras 2.0 to 2.2 that tf.keras does not have."""
_ALWAYS = frozenset({"__version__", "__name__", "__file__", "__path__", "__doc__"})
"""What every module has."""


@cache
def canonical(name: str) -> str:
    """The canonical tf.keras name of ``keras.<...>``; the name itself when there is none."""
    for candidate in _candidates(name):
        found = names.canonical(candidate)
        if exists(found):
            return found
    return name


def _candidates(name: str) -> list[str]:
    rest = name[len("keras") :]
    found = [f"tensorflow.keras{rest}", f"tensorflow.python.keras{rest}"]
    if name in _RENAMED:
        found.append(f"tensorflow.{_RENAMED[name]}")
    module = name
    while "." in module:
        module = module.rpartition(".")[0]
        for home in _HOMES.get(module, ()):
            found.append(f"tensorflow.{home}{name[len(module) :]}")
    homes = _HOMES.get(name, ())
    return [*found, f"tensorflow.{homes[0]}"] if len(homes) == 1 else found


def renamed(name: str) -> str | None:
    """The name tf.keras has in place of a second name of keras: ``Adam`` for ``adam``."""
    return _RENAMED.get(name, "").rpartition(".")[2] or None


@cache
def exists(name: str) -> bool:
    """Whether TF 1.15 has this name: a module of tf.keras, a class, a function or a member."""
    if name in modules() or types.is_class(name) or signatures.signature(name) is not None:
        return True
    owner, _, last = name.rpartition(".")
    return types.is_class(owner) or (owner in modules() and last in _ALWAYS)


@cache
def modules() -> frozenset[str]:
    """Public modules of tf.keras, by canonical name."""
    found: set[str] = set()
    for module in (*table("signatures-tf1")["names"], *table("names-tf1")["moved"]):
        if module.startswith("tf.keras") and not types.is_class(module):
            parts = module.split(".")
            found.update(".".join(parts[:end]) for end in range(2, len(parts) + 1))
    return frozenset(found)


def is_public(dotted: str) -> bool:
    """Whether ``tensorflow.<dotted>`` can be written as it stands, for ``keras.layers.Dense``."""
    return exists(names.canonical(f"tensorflow.{dotted}"))
