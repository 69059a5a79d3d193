"""Find a program's training steps, who calls them, and in which loop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from ascendify.rules.kit import File, gradients
from ascendify.source.inference.functions import is_method
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
    bound: int = 0
    """How many leading parameters of the function the call does not give."""


def callers(file: File, module: Module, function: FunctionNode) -> Iterator[Call]:
    """Calls of a function, and calls that it is handed to: ``strategy.run(train_step, ...)``.

    Calls under another name are found as well: ``step = self.train_step``, then ``step(x)``.
    """
    if isinstance(function, ast.Lambda):
        return
    value = Function(module, function)
    called = set()
    for where, call, bound in file.resolver.callers(value):
        called.add(call.func)
        yield Call(where, call, call, bound)
    for reader in (module, *file.resolver.project.importers(module.path)):
        renamed = False
        for reference in reader.index.references:
            if last_name(reference) != function.name or reference in called:
                continue
            if value not in file.resolver.infer(reader, reference):
                continue
            if isinstance(parent(reference), (ast.Call, ast.keyword)):
                yield Call(reader, reference)
            else:
                renamed = True
        if renamed:
            yield from _under_another_name(file, reader, value)


def _under_another_name(file: File, reader: Module, value: Function) -> Iterator[Call]:
    """Calls of a function by variables that may hold it, in a module that puts it into one."""
    bound = int(is_method(value.node))
    for call in reader.index.calls:
        named = isinstance(call.func, ast.Name) and call.func.id != getattr(value.node, "name", "")
        if named and value in file.resolver.infer(reader, call.func):
            yield Call(reader, call, call, bound)


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
    path: tuple[Call, ...] = ()
    """The calls that lead to the step, from the innermost function to the loop."""


def training_loop(file: File, module: Module, node: ast.AST) -> StepLoop | None:
    """The outermost loop that runs a step, in the function that has it; None where none is seen.

    Goes from the step to the functions that call it, up to the first that has a loop. Loops of a
    ``tf.function`` are part of the step.
    """
    pending: list[tuple[Module, ast.AST, tuple[Call, ...]]] = [(module, node, ())]
    seen: set[ast.AST] = set()
    found: StepLoop | None = None
    while pending:
        where, at, path = pending.pop(0)
        function = function_around(at)
        if not _is_traced(function):
            loops = [item for item in _inside(at) if isinstance(item, LOOPS)]
            step = statement(at)
            if loops and found is None:
                found = StepLoop(where, loops[-1], None if step in loops else step, path=path)
            elif loops and found is not None and _is_other_step(found, loops, step):
                found = replace(found, others=(*found.others, step))
            if loops:
                continue
            if function is None and path and found is None:
                return StepLoop(where, statement(at), path=path)
        if function is None or function in seen or len(path) == _MAX_DEPTH:
            continue
        seen.add(function)
        pending.extend(
            (call.module, call.node, (*path, call)) for call in callers(file, where, function)
        )
    return found


def applied_by_callers(
    file: File,
    node: ast.Call,
    ends: Collection[str],
    unless: Callable[[File, ast.Call], bool] = lambda file, call: False,
) -> ast.Call | None:
    """The ``apply_gradients`` of a function that gets gradients as the result of another.

    None if a call of that function is one for which ``unless`` is true.
    """
    function = function_around(node)
    if function is None or not _is_returned(node, function):
        return None
    for call in callers(file, file.module, function):
        if call.call is None:
            continue
        block = function_around(call.call) or call.module.tree
        if any(unless(file.of(call.module), item) for item in gradients.calls_in(block)):
            return None
        applied = gradients.applied(call.call, block, ends)
        if applied is not None:
            return applied
    return None


def _is_returned(node: ast.Call, function: ast.AST) -> bool:
    names = {
        item.id
        for statement in ast.walk(function)
        if isinstance(statement, ast.Assign) and any(part is node for part in ast.walk(statement))
        for target in statement.targets
        for item in ast.walk(target)
        if isinstance(item, ast.Name)
    }
    return any(
        isinstance(statement, ast.Return)
        and any(
            part is node or (isinstance(part, ast.Name) and part.id in names)
            for part in ast.walk(statement)
        )
        for statement in ast.walk(function)
    )


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
