"""Whether code trains: it applies gradients, or calls a function that does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import File
from ascendify.rules.tf1._steps import MAKERS, runs_step
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import is_inside, last_name
from ascendify.source.scopes import FunctionNode, ancestors
from ascendify.source.values import Class, Function

_FETCHED = re.compile(r"train|optim|minimi[sz]e|update", re.I)
"""Names of operations that are a training step."""
_TRAINING_METHOD = re.compile(r"_*(train|fit|learn)(_(model|network|epochs?|steps?|loop|batch))?")
"""Names of methods that train."""
_DEPTH = 4
"""How many functions are followed."""


def trains(file: File, node: ast.AST) -> bool:
    """Whether the function around a node trains; at the top of a file or in a class, the file.

    It trains where it, or a function it calls in any file of the project, makes a training step,
    or where the file makes one and the function runs something that is named like one. Code that
    runs a step of a model trains, too, whichever file makes it. A class with a method to train
    does, whichever file makes the step that a class derived from it runs.
    """
    function = _outermost(node)
    if function is None:
        if _steps(file.module) or _has_training_method(node):
            return True
    elif _reaches_once(file.resolver, file.module, function, _DEPTH) or (
        _steps(file.module) and _runs_a_step(file.module, function)
    ):
        return True
    around = function or _outermost_class(node) or file.module.tree
    return _runs_once(file.resolver, file.module, around, _DEPTH)


def makes_steps(module: Module) -> bool:
    """Whether a file makes an operation that trains."""
    return bool(_steps(module))


def _outermost(node: ast.AST) -> FunctionNode | None:
    """The function at the top of the file that holds a node; None in a class and outside."""
    around = [item for item in ancestors(node) if not isinstance(item, ast.Module)]
    if any(isinstance(item, ast.ClassDef) for item in around):
        return None
    functions = [
        item for item in around if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    return functions[-1] if functions else None


def _outermost_class(node: ast.AST) -> ast.ClassDef | None:
    classes = [item for item in ancestors(node) if isinstance(item, ast.ClassDef)]
    return classes[-1] if classes else None


def _has_training_method(node: ast.AST) -> bool:
    return any(
        isinstance(method, ast.FunctionDef) and _TRAINING_METHOD.fullmatch(method.name)
        for around in ancestors(node)
        if isinstance(around, ast.ClassDef)
        for method in around.body
    )


def _steps(module: Module) -> list[ast.Call]:
    by_name = module.index.calls_by_name
    return [call for name in MAKERS for call in by_name.get(name, ())]


def _reaches(resolver: Resolver, module: Module, node: ast.AST, depth: int) -> bool:
    """Whether a function or class makes a training step, itself or through its calls."""
    calls = module.index.calls_within(node)
    if any(last_name(call.func) in MAKERS for call in calls):
        return True
    return depth > 0 and any(
        _reaches_once(resolver, value.module, value.node, depth - 1)
        for value in _called(resolver, module, calls)
    )


def _reaches_once(resolver: Resolver, module: Module, node: ast.AST, depth: int) -> bool:
    """``_reaches``, computed once per function, because many functions share callees."""
    key = (_reaches, node, depth)
    return resolver.remembered(key, lambda: _reaches(resolver, module, node, depth))


def _called(
    resolver: Resolver, module: Module, calls: list[ast.Call]
) -> Iterator[Function | Class]:
    """The functions and classes of the project that are called."""
    for call in calls:
        if resolver.spelled(module, call.func) is None:
            for value in resolver.infer(module, call.func):
                if isinstance(value, (Function, Class)):
                    yield value


def _runs(resolver: Resolver, module: Module, node: ast.AST, depth: int) -> bool:
    """Whether a function, class or file certainly runs a training step, itself or by its calls."""
    calls = module.index.calls_within(node)
    if any(
        last_name(call.func) == "run" and runs_step(resolver, module, call, named=False)
        for call in calls
    ):
        return True
    return depth > 0 and any(
        isinstance(value, Function) and _runs_once(resolver, value.module, value.node, depth - 1)
        for value in _called(resolver, module, calls)
    )


def _runs_once(resolver: Resolver, module: Module, node: ast.AST, depth: int) -> bool:
    key = (_runs, node, depth)
    return resolver.remembered(key, lambda: _runs(resolver, module, node, depth))


def _runs_a_step(module: Module, function: FunctionNode) -> bool:
    return any(
        _FETCHED.search(name)
        for call in module.index.calls_by_name.get("run", ())
        if is_inside(call, function)
        for argument in call.args[:1]
        for name in map(last_name, ast.walk(argument))
    )
