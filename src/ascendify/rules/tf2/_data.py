"""Input data of TensorFlow 2 programs: tensorflow_datasets, arrays, training switches."""

from __future__ import annotations

import ast

from ascendify.rules.kit import File
from ascendify.rules.tf1._purpose import Purpose, is_switch, said
from ascendify.source.flow import backward
from ascendify.source.inference.parameters import default
from ascendify.source.nodes import functions_around, receiver
from ascendify.source.scopes import FunctionNode
from ascendify.source.values import Const

_CATALOGUE = "tensorflow_datasets."
_LOADED = frozenset({"load", "as_dataset", "load_dataset"})
_ARRAY_METHODS = frozenset(
    {
        "astype", "reshape", "copy", "transpose", "squeeze", "flatten", "ravel", "clip", "repeat",
        "swapaxes", "to_numpy", "view",
    }
)  # fmt: skip
"""Methods of an array that give one with as many rows, or whose rows are not of interest."""
_ARRAY_MODULES = ("numpy.", "sklearn.model_selection.train_test_split", "scipy.io.")
_LOADERS = ("tf2.keras.datasets.", "tf.keras.datasets.")
_NOT_ARRAYS = ("numpy.save", "numpy.random.seed", "numpy.shape", "numpy.ndim", "numpy.unique")
_DEPTH = 8


def is_of_catalogue(file: File, node: ast.expr) -> bool:
    """Whether a dataset is made from what tensorflow_datasets loads, as far as the file shows."""
    current: ast.expr | None = node
    for _ in range(20):
        if isinstance(current, ast.Call):
            if _loads(file, current):
                return True
            current = receiver(current)
        elif isinstance(current, ast.Subscript):
            current = current.value
        elif isinstance(current, ast.Name):
            current = _only_value(current)
        else:
            return False
    return False


def _loads(file: File, call: ast.Call) -> bool:
    names, _ = file.names(call.func)
    if any(name.startswith(_CATALOGUE) for name in names):
        return getattr(call.func, "attr", "") in _LOADED
    built = receiver(call)
    if getattr(call.func, "attr", "") != "as_dataset" or not isinstance(built, ast.Name):
        return False
    made = _only_value(built)
    return isinstance(made, ast.Call) and any(
        name.startswith(_CATALOGUE) for name in file.names(made.func)[0]
    )


def _only_value(name: ast.Name) -> ast.expr | None:
    """What the one assignment that reaches a name gives, unpacked or whole."""
    found = backward.definitions(name)
    return found[0].value if len(found) == 1 and found[0].kind == "assign" else None


def training_switch(file: File, node: ast.AST) -> str | None:
    """What is True in training only, for the code at a node: ``is_training``, ``not is_eval``.

    A parameter of a function around it that is a bool wherever it is visibly given.
    """
    for function in functions_around(node):
        for argument in (*function.args.args, *function.args.kwonlyargs):
            meant = said(argument.arg) if is_switch(argument.arg) else None
            if meant in (Purpose.TRAIN, Purpose.EVAL) and _is_bool(file, function, argument):
                return argument.arg if meant is Purpose.TRAIN else f"not {argument.arg}"
    return None


def _is_bool(file: File, function: FunctionNode, argument: ast.arg) -> bool:
    if any(_assigns(item, argument.arg) for item in ast.walk(function)):
        return False
    usual = default(function.args, argument)
    values = [] if usual is None else [isinstance(getattr(usual, "value", None), bool)]
    for value in backward.passed_values(file.resolver, file.module, argument):
        values.append(isinstance(value, Const) and isinstance(value.value, bool))
    annotation = argument.annotation
    values += [True] if isinstance(annotation, ast.Name) and annotation.id == "bool" else []
    return bool(values) and all(values)


def _assigns(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def is_array(file: File, node: ast.expr, depth: int = _DEPTH) -> bool:
    """Whether an expression surely is an array: made by numpy or one of Keras' datasets."""
    if depth == 0:
        return False
    if isinstance(node, ast.Name):
        found = backward.definitions(node)
        return bool(found) and all(
            item.kind == "assign"
            and item.value is not None
            and (not item.path or _unpacks(file, item.value))
            and is_array(file, item.value, depth - 1)
            for item in found
        )
    if isinstance(node, ast.Subscript):
        return is_array(file, node.value, depth - 1)
    if isinstance(node, ast.BinOp):
        return is_array(file, node.left, depth - 1) or is_array(file, node.right, depth - 1)
    if isinstance(node, ast.Call):
        return _makes_array(file, node, depth)
    return False


def _unpacks(file: File, node: ast.expr) -> bool:
    """Whether a call gives several arrays at once."""
    name = file.name(node.func) if isinstance(node, ast.Call) else None
    return name is not None and (name.startswith(_LOADERS) or "train_test_split" in name)


def _makes_array(file: File, call: ast.Call, depth: int) -> bool:
    name = file.name(call.func) or ""
    if name.startswith(_NOT_ARRAYS):
        return False
    if name.startswith(_ARRAY_MODULES) or name.startswith(_LOADERS):
        return True
    if name in ("tf2.keras.utils.to_categorical", "tf2.keras.utils.pad_sequences"):
        return True
    owner = receiver(call)
    is_method = owner is not None and getattr(call.func, "attr", "") in _ARRAY_METHODS
    return is_method and owner is not None and is_array(file, owner, depth - 1)
