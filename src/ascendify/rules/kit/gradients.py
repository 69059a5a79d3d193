"""Follow gradients from the call that computes them to the call that applies them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ascendify.source.nodes import is_inside, last_name, values_given


def calls_in(node: ast.AST) -> list[ast.Call]:
    """Every call inside a node."""
    return [item for item in ast.walk(node) if isinstance(item, ast.Call)]


def applied(gradients: ast.Call, block: ast.AST, ends: Collection[str] = ()) -> ast.Call | None:
    """The ``apply_gradients`` that gets these gradients, through variables of the same function.

    Calls named in ``ends`` make something else of them: a loss with a penalty on gradients, say,
    whose own gradients are computed next.
    """
    for call in _carrying(gradients, block, ends):
        if last_name(call.func) == "apply_gradients":
            return call
    return None


def carrying(gradients: ast.Call, block: ast.AST, ends: Collection[str] = ()) -> list[ast.Call]:
    """The calls of a function that these gradients, or values computed from them, are passed to."""
    return list(_carrying(gradients, block, ends))


def _carrying(gradients: ast.Call, block: ast.AST, ends: Collection[str]) -> Iterator[ast.Call]:
    names: set[str] = set()
    for statement in sorted(_statements(block), key=lambda item: item.lineno):
        walked = statement.iter if isinstance(statement, ast.For) else statement
        held = [node for node in ast.walk(walked) if _holds(node, gradients, names)]
        stops = [call for call in calls_in(walked) if last_name(call.func) in ends]
        held = [
            node
            for node in held
            if not any(node is not stop and is_inside(node, stop) for stop in stops)
        ]
        if not held:
            continue
        for call in calls_in(walked):
            given = values_given(call)
            if any(item is node for item in held for value in given for node in ast.walk(value)):
                yield call
        names.update(
            node.id
            for target in _targets(statement)
            for node in ast.walk(target)
            if isinstance(node, ast.Name)
        )


def _holds(node: ast.AST, gradients: ast.Call, names: set[str]) -> bool:
    return node is gradients or (isinstance(node, ast.Name) and node.id in names)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    """The targets of a statement's assignments."""
    if isinstance(statement, ast.For):
        return [statement.target]
    return statement.targets if isinstance(statement, ast.Assign) else []


def _statements(block: ast.AST) -> list[ast.stmt]:
    """The simple statements of a block and the heads of its loops, nested ones included."""
    simple = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.AnnAssign, ast.For)
    return [node for node in ast.walk(block) if isinstance(node, simple)]
