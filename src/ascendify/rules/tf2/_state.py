"""What calls of TensorFlow leave behind, and whether it survives the opening of the NPU.

``npu_device.open()`` replaces the eager context of the process. Seeds and settings made before
are forgotten without a word, variables and built models fail when they are used. Tensors,
datasets and functions that were not traced yet survive.
"""

from __future__ import annotations

import ast

from ascendify.rules.keras import _script_run
from ascendify.rules.kit import File
from ascendify.source.module import Module
from ascendify.source.nodes import DEFINITIONS

SEEDS = frozenset({"tf2.random.set_seed", "tf.set_random_seed", "tf2.keras.utils.set_random_seed"})
_SETTINGS = (
    "tf2.config.set_", "tf2.config.optimizer.set_",
    "tf2.config.experimental.set_", "tf2.config.experimental.enable_", "tf2.debugging.set_log",
    "tf.config.set_", "tf.config.optimizer.set_",
    "tf.config.experimental.set_",
)  # fmt: skip
"""Settings in TensorFlow's eager context; another rule handles the numbers of threads."""
_HARMLESS = (
    "tf2.function", "tf2.TensorSpec", "tf2.TensorShape", "tf2.get_logger", "tf2.autograph.",
    "tf2.io.", "tf2.version.", "tf2.keras.utils.register_keras_serializable",
    "tf.logging.", "tf.app.", "tf.flags.", "tf.gfile.", "tf.enable_", "tf.disable_",
    "tf2.dtypes.as_dtype", "tf2.python.platform.", "tf2.keras.backend.set_", "tf2.get_static_value",
)  # fmt: skip
"""Calls that do not touch the eager context."""
_LOST = (
    "tf2.Variable", "tf2.random.Generator", "tf2.saved_model.load", "tf2.keras.Model",
    "tf2.keras.Sequential", "tf2.keras.models.", "tf2.keras.applications.", "tf2.keras.metrics.",
    "tf2.keras.optimizers.",
    "tf2.random.get_global_generator", "tf2.random.set_global_generator",
    "tensorflow_hub.load", "tensorflow_hub.KerasLayer",
)  # fmt: skip
"""Functions that create variables, which are unusable once the NPU is open; layers do so later."""
_KEPT = ("tf2.keras.optimizers.schedules.",)
"""Objects of such modules that hold numbers only."""


def touches(file: File, statement: ast.stmt) -> bool:
    """Whether running a statement reaches TensorFlow in a way that the opening must come before."""
    if isinstance(statement, (*DEFINITIONS, ast.Import, ast.ImportFrom)):
        return False
    return any(is_touching(name) for name in _script_run.follow(file, [statement]).names)


def is_touching(name: str) -> bool:
    """Whether a call computes, or changes something that belongs to the eager context."""
    is_framework = name.startswith(("tf2.", "tf.", "tensorflow_hub."))
    return is_framework and not name.startswith(_HARMLESS)


def is_lost(name: str) -> bool:
    """Whether what a call creates or sets is lost once the NPU is opened."""
    return name in SEEDS or name.startswith(_SETTINGS) or makes_variables(name)


def makes_variables(name: str) -> bool:
    """Whether a call makes variables: a model, an optimizer, a metric."""
    return name.startswith(_LOST) and not name.startswith(_KEPT)


def lost(file: File, statement: ast.stmt) -> str:
    """The name of a call that a statement makes too early before the opening; empty: none."""
    if isinstance(statement, (*DEFINITIONS, ast.Import, ast.ImportFrom)):
        return ""
    names = _script_run.follow(file, [statement]).names
    return min((name for name in names if is_lost(name)), default="")


def setting(file: File, statement: ast.stmt) -> str:
    """The name of a seed or setting that is all a statement does; empty for any other."""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return ""
    name = file.name(statement.value.func) or ""
    if name not in SEEDS and not name.startswith(_SETTINGS):
        return ""
    calls = [item for item in ast.walk(statement.value) if isinstance(item, ast.Call)]
    return name if len(calls) == 1 else ""


def lost_at_import(file: File, path: str) -> tuple[Module, ast.stmt, str] | None:
    """What a module of the project, or one it imports, makes as soon as it is imported."""
    project = file.resolver.project
    pending, seen = [path], {path, file.path}
    while pending:
        module = project.module(pending.pop())
        if module is None:
            continue
        module.index  # noqa: B018 - the walk that marks scopes, before any question
        other = file.of(module)
        for statement in module.tree.body:
            name = "" if is_guard(statement) else lost(other, statement)
            if name:
                return module, statement, name
        new = project.imports(module.path, module.source.text)
        pending.extend(item for item in new if item not in seen)
        seen.update(new)
    return None


def is_guard(node: ast.AST) -> bool:
    """Whether a statement is ``if __name__ == ...:``."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and node.test.left.id == "__name__"
    )
