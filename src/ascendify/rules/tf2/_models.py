"""Keras models: whether their variables exist where they are to be broadcast."""

from __future__ import annotations

import ast

from ascendify.rules.kit import File
from ascendify.rules.tensorflow.passing import origins
from ascendify.source.flow import backward
from ascendify.source.nodes import keyword_value, last_name, position
from ascendify.source.scopes import scope_of

_MODEL = frozenset({"tf2.keras.Model", "tf2.keras.models.Model"})
_SEQUENTIAL = frozenset({"tf2.keras.Sequential", "tf2.keras.models.Sequential"})
_BUILT = ("tf2.keras.applications.", "tf2.keras.models.load_model")
_SHAPES = ("input_shape", "input_dim", "batch_input_shape", "batch_shape", "shape")
_INPUTS = frozenset({"tf2.keras.Input", "tf2.keras.layers.Input", "tf2.keras.layers.InputLayer"})
VARIABLES = frozenset({"trainable_variables", "trainable_weights", "variables", "weights"})


def of_sources(node: ast.expr, depth: int = 3) -> list[ast.expr]:
    """The models whose variables an expression collects; empty where it holds anything else."""
    if isinstance(node, ast.Attribute):
        return [node.value] if node.attr in VARIABLES else []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = of_sources(node.left, depth), of_sources(node.right, depth)
        return [*sides[0], *sides[1]] if all(sides) else []
    if isinstance(node, ast.Name) and depth:
        value = backward.only_value(node)
        return [] if value is None else of_sources(value, depth - 1)
    return []


def is_built(file: File, node: ast.expr, before: ast.AST) -> bool:
    """Whether a model surely has its variables before a statement runs."""
    if _is_built_before(file, node, before):
        return True
    made = origins(file.resolver, file.module, node)
    return (
        bool(made.calls)
        and not made.unknown
        and all(_makes_built(file.of(module), call) for module, call in made.calls)
    )


def _makes_built(file: File, call: ast.Call) -> bool:
    name = file.name(call.func) or ""
    if name in _MODEL:
        return bool(call.args) or any(item.arg == "inputs" for item in call.keywords)
    if name in _SEQUENTIAL:
        return _has_input(file, call)
    return name.startswith(_BUILT)


def _has_input(file: File, call: ast.Call) -> bool:
    """Whether a Sequential gets the shape of its input when it is made."""
    given = call.args[0] if call.args else keyword_value(call, "layers")
    if isinstance(given, ast.Name):
        given = backward.only_value(given)
    if isinstance(given, (ast.List, ast.Tuple)) and given.elts:
        return _tells_shape(file, given.elts[0])
    if given is not None:
        return False
    added = _first_added(call)
    return added is not None and _tells_shape(file, added)


def _first_added(call: ast.Call) -> ast.expr | None:
    """The first layer that is added to ``model = Sequential()`` in the same function."""
    scope = scope_of(call)
    names = [
        name
        for name, bindings in scope.bindings.items()
        if any(binding.value is call for binding in bindings)
    ]
    adds = [
        node
        for node in ast.walk(scope.node)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "add"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in names
        and node.args
    ]
    return min(adds, key=position).args[0] if adds else None


def _tells_shape(file: File, layer: ast.expr) -> bool:
    if isinstance(layer, ast.Name):
        value = backward.only_value(layer)
        return value is not None and _tells_shape(file, value)
    if not isinstance(layer, ast.Call):
        return False
    if file.name(layer.func) in _INPUTS:
        return True
    if any(item.arg in _SHAPES for item in layer.keywords):
        return True
    return _makes_built(file, layer)


def _is_built_before(file: File, node: ast.expr, before: ast.AST) -> bool:
    """Whether ``model.build(...)`` or ``model.summary()``, which needs variables, ran before."""
    text = ast.dump(node)
    return any(
        isinstance(call.func, ast.Attribute)
        and ast.dump(call.func.value) == text
        and position(call) < position(before)
        and scope_of(call) is scope_of(before)
        for last in ("build", "summary")
        for call in file.module.index.calls_by_name.get(last, ())
        if last_name(call.func) == last
    )
