"""Whether code trains: it applies gradients, or calls a function that does."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import File
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import is_inside, last_name
from ascendify.source.scopes import FunctionNode, ancestors
from ascendify.source.values import Class, Function

_STEPS = ("minimize", "apply_gradients", "create_train_op", "optimize_loss")
"""Methods that make a training step; the names are rarely used for anything else."""
_FETCHED = re.compile(r"train|optim|minimi[sz]e|update", re.I)
"""Names of operations that are a training step."""
_DEPTH = 4
"""How many functions are followed."""


def trains(file: File, node: ast.AST) -> bool:
    """Whether the function around a node trains; at the top of a file or in a class, the file.

    It trains where it, or a function it calls in any file of the project, makes a training step,
    or where the file makes one and the function runs something that is named like one.
    """
    function = _outermost(node)
    if function is None:
        return bool(_steps(file.module))
    if _reaches(file.resolver, file.module, function, _DEPTH, set()):
        return True
    return bool(_steps(file.module)) and _runs_a_step(file.module, function)


def _outermost(node: ast.AST) -> FunctionNode | None:
    """The function at the top of the file that holds a node; None in a class and outside."""
    around = [item for item in ancestors(node) if not isinstance(item, ast.Module)]
    if any(isinstance(item, ast.ClassDef) for item in around):
        return None
    functions = [
        item for item in around if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    return functions[-1] if functions else None


def _steps(module: Module) -> list[ast.Call]:
    by_name = module.index.calls_by_name
    return [call for name in _STEPS for call in by_name.get(name, ())]


def _reaches(
    resolver: Resolver, module: Module, node: ast.AST, depth: int, seen: set[ast.AST]
) -> bool:
    """Whether a function or class makes a training step, itself or through what it calls."""
    if node in seen:
        return False
    seen.add(node)
    if any(is_inside(call, node) for call in _steps(module)):
        return True
    if depth == 0:
        return False
    for call in module.index.calls:
        if not is_inside(call, node):
            continue
        for value in resolver.infer(module, call.func):
            if isinstance(value, (Function, Class)) and _reaches(
                resolver, value.module, value.node, depth - 1, seen
            ):
                return True
    return False


def _runs_a_step(module: Module, function: FunctionNode) -> bool:
    return any(
        _FETCHED.search(name)
        for call in module.index.calls_by_name.get("run", ())
        if is_inside(call, function)
        for argument in call.args[:1]
        for name in map(last_name, ast.walk(argument))
    )
