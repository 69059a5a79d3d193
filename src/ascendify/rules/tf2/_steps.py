"""Find a program's training steps, who calls them, and in which loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ascendify.rules.kit import File
from ascendify.source.module import Module
from ascendify.source.nodes import FUNCTIONS, LOOPS, function_around, last_name
from ascendify.source.scopes import FunctionNode, ancestors, parent, statement
from ascendify.source.values import Function

_MAX_DEPTH = 6


@dataclass(frozen=True)
class Call:
    """A place that calls a function, or passes it to something that calls it."""

    module: Module
    node: ast.AST
    call: ast.Call | None = None
    """The call of the function itself; None where it is only handed on."""


def callers(file: File, module: Module, function: FunctionNode) -> Iterator[Call]:
    """Calls of a function, and calls that it is handed to: ``strategy.run(train_step, ...)``."""
    if isinstance(function, ast.Lambda):
        return
    value = Function(module, function)
    called = set()
    for where, call, _ in file.resolver.callers(value):
        called.add(call.func)
        yield Call(where, call, call)
    for reader in (module, *file.resolver.project.importers(module.path)):
        for reference in reader.index.references:
            if last_name(reference) != function.name or reference in called:
                continue
            if isinstance(parent(reference), (ast.Call, ast.keyword)) and value in (
                file.resolver.infer(reader, reference)
            ):
                yield Call(reader, reference)


@dataclass(frozen=True)
class StepLoop:
    """A loop that runs training steps."""

    module: Module
    statement: ast.stmt
    """The outermost loop, or the one statement that runs a step outside of loops."""
    step: ast.stmt | None = None
    """The statement in the loop that runs one step; None where it is part of a loop's header."""
    others: tuple[ast.stmt, ...] = ()
    """Statements in other branches of the loop that run a step as well."""


def training_loop(file: File, module: Module, node: ast.AST) -> StepLoop | None:
    """The outermost loop that runs a step, in the function that has it; None where none is seen.

    Goes from the step to the functions that call it, up to the first that has a loop. Loops of a
    ``tf.function`` are part of the step.
    """
    pending: list[tuple[Module, ast.AST, int]] = [(module, node, 0)]
    seen: set[ast.AST] = set()
    found: StepLoop | None = None
    while pending:
        where, at, depth = pending.pop(0)
        function = function_around(at)
        if not _is_traced(function):
            loops = [item for item in _inside(at) if isinstance(item, LOOPS)]
            step = statement(at)
            if loops and found is None:
                found = StepLoop(where, loops[-1], None if step in loops else step)
            elif loops and found is not None and _is_other_step(found, loops, step):
                found = replace(found, others=(*found.others, step))
            if loops:
                continue
            if function is None and depth and found is None:
                return StepLoop(where, statement(at))
        if function is None or function in seen or depth == _MAX_DEPTH:
            continue
        seen.add(function)
        pending.extend(
            (call.module, call.node, depth + 1) for call in callers(file, where, function)
        )
    return found


def _is_other_step(found: StepLoop, loops: Sequence[ast.AST], step: ast.stmt) -> bool:
    """Whether a statement of the same loop runs a step too."""
    known = (*loops, found.step, *found.others)
    return found.step is not None and loops[-1] is found.statement and step not in known


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes around a node, up to its function."""
    for item in ancestors(node):
        if isinstance(item, FUNCTIONS):
            return
        yield item


def _is_traced(function: FunctionNode | None) -> bool:
    """Whether a function is a ``tf.function``."""
    if function is None or isinstance(function, ast.Lambda):
        return False
    return any(
        last_name(item.func if isinstance(item, ast.Call) else item) == "function"
        for item in function.decorator_list
    )
