"""Where names of the native ``keras`` package live in ``tf.keras``.

The NPU adapters support tf.keras only, that of TF 1.15 and of TF 2.6. Native code is read as the
tf.keras code it becomes, so one set of rules serves both; a name that tf.keras does not have keeps
its native spelling. Among them are those of Keras 3, which is no part of either TensorFlow.
"""

from __future__ import annotations

from functools import cache

from ascendify.catalog import names, signatures, types
from ascendify.catalog._data import TENSORFLOW, TENSORFLOW2, table

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
_TABLES = {"tf": TENSORFLOW, "tf2": TENSORFLOW2}
"""First part of a canonical name -> the tables that list such names."""
_ALWAYS = frozenset({"__version__", "__name__", "__file__", "__path__", "__doc__"})
"""Attributes that every Python module has."""
_ONLY_IN_KERAS_3 = """
    Function KerasTensor Operation Quantizer StatelessScope Variable config device distillation
    distribution dtype_policies ops quantizers random tree visualization
"""
_KERAS_3 = frozenset(f"keras.{name}" for name in _ONLY_IN_KERAS_3.split())
"""What only Keras 3 has, as the public API of 3.0 to 3.11 lists it and that of 2.15 does not."""


@cache
def canonical(name: str, release: str = TENSORFLOW) -> str:
    """The canonical tf.keras name of ``keras.<...>``; the name itself when there is none."""
    for candidate in _candidates(name):
        found = names.canonical(candidate, release)
        if exists(found):
            return found
    return name


def is_keras_3(name: str) -> bool:
    """Whether a native name is one that only Keras 3 has: ``keras.ops.matmul``."""
    return ".".join(name.split(".")[:2]) in _KERAS_3


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
    """Whether TensorFlow has this name: a module of tf.keras, a class, a function or a member."""
    root = name.partition(".")[0]
    known = modules(root) if root in _TABLES else frozenset()
    if name in known or types.is_class(name) or signatures.signature(name) is not None:
        return True
    owner, _, last = name.rpartition(".")
    return types.is_class(owner) or (owner in known and last in _ALWAYS)


@cache
def modules(root: str = "tf") -> frozenset[str]:
    """Public modules of tf.keras, by canonical name."""
    tables, start = _TABLES[root], f"{root}.keras"
    found: set[str] = set()
    for module in (*table(f"signatures-{tables}")["names"], *table(f"names-{tables}")["moved"]):
        if module.startswith(start) and not types.is_class(module):
            parts = module.split(".")
            found.update(".".join(parts[:end]) for end in range(2, len(parts) + 1))
    return frozenset(found)


def is_public(dotted: str, release: str = TENSORFLOW) -> bool:
    """Whether ``keras.layers.Dense`` can also be written ``tensorflow.keras.layers.Dense``."""
    return exists(names.canonical(f"tensorflow.{dotted}", release))
