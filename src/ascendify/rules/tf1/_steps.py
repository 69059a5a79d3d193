"""Whether a session runs a training step."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit.bindings import bindings
from ascendify.rules.kit.entries import entries
from ascendify.source.flow import backward
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import keyword_value, last_name

MAKERS = frozenset({"minimize", "apply_gradients", "create_train_op", "optimize_loss"})
"""Methods that make a training step; the names are rarely used for anything else."""
_STEP = re.compile(r"train|optim|minimi[sz]e|update|solver|apply_grad", re.I)
_NO_STEP = re.compile(r"loss|acc|summar|cost|err|metric|merged|writer", re.I)
"""Parts of names that belong to numbers about the training rather than to its step."""
_DEPTH = 4


def runs_step(resolver: Resolver, module: Module, call: ast.Call, *, named: bool) -> bool:
    """Whether ``sess.run(step, feed)`` or ``step.run(feed)`` runs a training step.

    Args:
        resolver: Knows the project.
        module: The file of the call.
        call: A call of a method ``run``.
        named: Whether a name that sounds like a step is enough.
    """
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    if is_step(resolver, module, owner, named=named):
        return True
    fetches = call.args[0] if call.args else keyword_value(call, "fetches")
    return fetches is not None and _has_step(resolver, module, fetches, named=named)


def _has_step(resolver: Resolver, module: Module, fetches: ast.expr, *, named: bool) -> bool:
    """Whether a training step is among the fetched values of a run."""
    inner: list[ast.expr] = []
    if isinstance(fetches, (ast.List, ast.Tuple, ast.Set)):
        inner = fetches.elts
    elif isinstance(fetches, ast.Dict):
        inner = fetches.values
    elif isinstance(fetches, ast.BinOp):
        inner = [fetches.left, fetches.right]
    else:
        return is_step(resolver, module, fetches, named=named)
    return any(_has_step(resolver, module, item, named=named) for item in inner)


def is_step(
    resolver: Resolver, module: Module, node: ast.expr, *, named: bool, depth: int = _DEPTH
) -> bool:
    """Whether an expression is a training step, by its assignment or by its name."""
    if depth == 0 or not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        return False
    if isinstance(node, ast.Call):
        return last_name(node.func) in MAKERS
    if isinstance(node, ast.Subscript):
        return _is_stored_step(resolver, module, node) or (
            named and _named_like_step(last_name(node.value))
        )
    for owner, binding in bindings(resolver, module, node):
        value = backward.assigned(binding)
        if value is None:
            continue
        if isinstance(value, ast.Call) and last_name(value.func) in MAKERS:
            return True
        if isinstance(value, ast.Subscript) and _is_stored_step(resolver, owner, value):
            return True
        if isinstance(value, (ast.List, ast.Tuple)) and owner is module:
            items = (
                is_step(resolver, module, item, named=named, depth=depth - 1) for item in value.elts
            )
            return any(items)
    return (named and _named_like_step(last_name(node))) or _is_returned_step(
        resolver, module, node
    )


def _is_returned_step(resolver: Resolver, module: Module, node: ast.expr) -> bool:
    """Whether a training step is what functions of the project return for a name."""
    calls = backward.origins(resolver, module, node).calls
    return any(last_name(call.func) in MAKERS for _, call in calls)


def _is_stored_step(resolver: Resolver, module: Module, node: ast.Subscript) -> bool:
    """Whether all that the project stores under a key are training steps."""
    steps = [
        isinstance(value, ast.Call) and last_name(value.func) in MAKERS
        for other, entry in entries(resolver, module, node)
        for value in _values(other, entry)
    ]
    return bool(steps) and all(steps)


def _values(module: Module, entry: ast.expr) -> list[ast.expr | None]:
    """What an entry is: itself, or what its variable was given."""
    if not isinstance(entry, ast.Name):
        return [entry]
    return [backward.assigned(binding) for binding in backward.definitions(entry)]


def _named_like_step(name: str) -> bool:
    return _STEP.search(name) is not None and _NO_STEP.search(name) is None
