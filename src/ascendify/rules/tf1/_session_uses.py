"""What a program does with a session it holds: uses it for a moment, closes it, or hands it on."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from ascendify.catalog import types
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import position, positional_parameters
from ascendify.source.scopes import FunctionNode, Scope, ancestors, parent, scope_of
from ascendify.source.values import Function

_DEPTH = 4
"""How many functions a session is followed into."""
_CLOSERS = ("contextlib.closing", "npu.close_session", "npu.shutdown_resource")
_OWNERS = ("tf.keras.backend.set_session", "keras.backend.set_session")
"""What a session may be given to for good: closing it is their business."""
_KEEPERS = ("tf.train.start_queue_runners", "tf.train.QueueRunner.create_threads")
"""What goes on using a session after the call."""
_BRIEF_BUILTINS = ("print", "isinstance", "str", "repr", "type", "id", "hasattr")


class Fate(enum.Enum):
    """What one use does with the session."""

    BORROWED = "borrowed"
    """It is used and given back: nothing holds it afterwards."""
    CLOSED = "closed"
    RETURNED = "returned"
    """Somebody else has it now and may close it."""
    KEPT = "kept"
    """It may be used later through something else."""


def uses(scope: Scope, name: str) -> list[ast.Name]:
    """Every place that reads a variable of a scope, in the order of the text."""
    return sorted(scope.uses(name), key=position)


def fate(
    resolver: Resolver, module: Module, use: ast.expr, scope: Scope, depth: int = _DEPTH
) -> Fate:
    """What one use of a session variable does with it."""
    around = parent(use)
    if isinstance(around, ast.withitem):
        return Fate.CLOSED
    if isinstance(around, ast.Attribute):
        return _of_attribute(around, use, scope)
    if _is_returned(use):
        return Fate.RETURNED
    if isinstance(around, ast.Compare):
        return Fate.BORROWED
    if isinstance(around, ast.keyword):
        around = parent(around)
    if isinstance(around, ast.Call) and use is not around.func:
        found = _of_argument(resolver, module, around, use, depth)
        return Fate.KEPT if found is Fate.BORROWED and _is_inner(use, scope) else found
    return Fate.KEPT


def _of_attribute(attribute: ast.Attribute, use: ast.expr, scope: Scope) -> Fate:
    outside = parent(attribute)
    if attribute.attr in ("close", "__exit__"):
        return Fate.CLOSED
    if _is_inner(use, scope):
        return Fate.KEPT
    if attribute.attr in ("graph", "graph_def", "sess_str"):
        return Fate.BORROWED
    called = isinstance(outside, ast.Call) and outside.func is attribute
    if attribute.attr == "as_default":
        # entered by hand it would stay the default session
        return Fate.BORROWED if isinstance(parent(outside), ast.withitem) else Fate.KEPT
    brief = ("run", "list_devices", "partial_run", "should_stop")
    return Fate.BORROWED if called and attribute.attr in brief else Fate.KEPT


def _of_argument(
    resolver: Resolver, module: Module, call: ast.Call, use: ast.expr, depth: int
) -> Fate:
    names, certain = resolver.names(module, call.func)
    if any(name in _CLOSERS for name in names):
        return Fate.CLOSED
    if any(name in _OWNERS for name in names):
        return Fate.RETURNED
    if names and certain:
        return Fate.BORROWED if all(_is_brief(name) for name in names) else Fate.KEPT
    values = resolver.infer(module, call.func)
    functions = [value for value in values if isinstance(value, Function)]
    if not functions or len(functions) < len(values) or depth == 0:
        return Fate.KEPT
    fates = [_of_parameter(resolver, item, call, use, depth) for item in functions]
    return fates[0] if len(set(fates)) == 1 else Fate.KEPT


def _of_parameter(
    resolver: Resolver, function: Function, call: ast.Call, use: ast.expr, depth: int
) -> Fate:
    """What a function of the project does with the session it is given."""
    name = _parameter_name(function.node, call, use)
    if name is None or isinstance(function.node, ast.Lambda):
        return Fate.KEPT
    scope = scope_of(function.node)
    if scope.generator or len(scope.bindings.get(name, [])) != 1:
        return Fate.KEPT
    found = {fate(resolver, function.module, item, scope, depth - 1) for item in uses(scope, name)}
    if Fate.CLOSED in found:
        return Fate.CLOSED
    return Fate.BORROWED if found <= {Fate.BORROWED} else Fate.KEPT


def _parameter_name(node: FunctionNode, call: ast.Call, use: ast.expr) -> str | None:
    for keyword in call.keywords:
        if keyword.value is use:
            return keyword.arg
    arguments = positional_parameters(node)
    if isinstance(parent(node), ast.ClassDef):
        arguments = arguments[1:]
    position = call.args.index(use)
    if any(isinstance(item, ast.Starred) for item in call.args[:position]):
        return None
    return arguments[position].arg if position < len(arguments) else None


def _is_brief(name: str) -> bool:
    """Whether a known function gives the session back when it returns."""
    if name.startswith("builtins."):
        return name[len("builtins.") :] in _BRIEF_BUILTINS
    return name.startswith("tf.") and not types.is_class(name) and name not in _KEEPERS


def _is_inner(use: ast.expr, scope: Scope) -> bool:
    """Whether a use stands in a function inside the scope, which may run at any time."""
    inner = scope_of(use)
    while inner is not scope and inner.kind == "comprehension" and inner.parent is not None:
        inner = inner.parent
    return inner is not scope


def _is_returned(use: ast.expr) -> bool:
    """Whether the session itself, or a tuple or list with it, is returned or yielded."""
    for ancestor in ancestors(use):
        if isinstance(ancestor, (ast.Return, ast.Yield, ast.YieldFrom, ast.Lambda)):
            return True
        if not isinstance(ancestor, (ast.Tuple, ast.List, ast.Dict, ast.IfExp)):
            return False
    return False


def jumps(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that leave the block these statements stand in before its end."""
    for node in statements:
        yield from _jumps(node, in_loop=False)


def _jumps(node: ast.AST, in_loop: bool) -> Iterator[ast.stmt]:
    if isinstance(node, ast.Return) or (
        isinstance(node, (ast.Break, ast.Continue)) and not in_loop
    ):
        yield node
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return
    loop = in_loop or isinstance(node, (ast.For, ast.AsyncFor, ast.While))
    for child in ast.iter_child_nodes(node):
        yield from _jumps(child, loop)
