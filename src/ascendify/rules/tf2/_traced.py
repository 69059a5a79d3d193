"""Functions that tf.function turns into a graph, and their calls."""

from __future__ import annotations

import ast

from ascendify.rules.kit import File
from ascendify.source.flow.forward import reads
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import assigned_name, call_of, functions_around
from ascendify.source.scopes import FunctionNode
from ascendify.source.values import Function

_TRAINING = frozenset({"GradientTape", "apply_gradients", "minimize"})
_TRACES = frozenset({"tf2.function", "tf.function", "tf.compat.v2.function"})


def around(resolver: Resolver, module: Module, node: ast.AST) -> FunctionNode | None:
    """The innermost function around a node that is traced."""
    found = (item for item in functions_around(node) if is_function(resolver, module, item))
    return next(found, None)


def is_traced(file: File, function: FunctionNode) -> bool:
    """Whether a function of a file is decorated with tf.function, or wrapped in it there."""
    return is_function(file.resolver, file.module, function)


def is_function(resolver: Resolver, module: Module, function: FunctionNode) -> bool:
    """Whether a function of a module is decorated with tf.function, or wrapped in it there."""
    decorators = getattr(function, "decorator_list", [])
    if any(_is_tracing(resolver, module, item) for item in decorators):
        return True
    return any(node is function for _, node in resolver.once(_wrapped, module))


def trains(function: ast.AST) -> bool:
    """Whether a function computes or applies gradients."""
    return any(
        isinstance(item, ast.Attribute) and item.attr in _TRAINING for item in ast.walk(function)
    )


def calls(
    resolver: Resolver, module: Module, function: FunctionNode
) -> list[tuple[Module, ast.Call, int]]:
    """The visible calls of a traced function, and how many parameters each does not give."""
    found = [
        (caller, call, bound)
        for caller, call, bound in resolver.callers(Function(module, function))
    ]
    for wrapper, node in resolver.once(_wrapped, module):
        target = assigned_name(wrapper) if node is function else None
        for read in () if target is None else reads(target):
            call = call_of(read)
            if call is not None and all(call is not other for _, other, _ in found):
                found.append((module, call, 0))
    return found


def is_call(file: File, call: ast.Call) -> bool:
    """Whether a call surely runs a function of the file's project that is traced."""
    values = file.resolver.infer(file.module, call.func)
    if values and all(
        isinstance(value, Function) and is_function(file.resolver, value.module, value.node)
        for value in values
    ):
        return True
    return any(
        call_of(read) is call
        for wrapper, _ in file.resolver.once(_wrapped, file.module)
        for target in [assigned_name(wrapper)]
        for read in (() if target is None else reads(target))
    )


def _is_tracing(resolver: Resolver, module: Module, decorator: ast.expr) -> bool:
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    names, _ = resolver.names(module, func)
    if any(name in _TRACES for name in names):
        return True
    # functools.partial(tf.function, ...)
    return isinstance(decorator, ast.Call) and any(
        name in _TRACES for item in decorator.args for name in resolver.names(module, item)[0]
    )


def _wrapped(resolver: Resolver, module: Module) -> tuple[tuple[ast.Call, FunctionNode], ...]:
    """``tf.function(f)``: the call and the function of the module."""
    found: list[tuple[ast.Call, FunctionNode]] = []
    for call in module.index.calls_by_name.get("function", ()):
        if call.args and any(name in _TRACES for name in resolver.names(module, call.func)[0]):
            for value in resolver.infer(module, call.args[0]):
                if isinstance(value, Function) and value.module is module:
                    found.append((call, value.node))
    return tuple(found)
