"""Which assignments of a name can reach a use of it: an approximation good enough to trust.

Straight-line reassignment (``x = a(); x = b(x)``) is told apart; branches and loops keep every
assignment that may still be live.
"""

from __future__ import annotations

import ast

from ascendify.source.scopes import Binding, Scope, ancestors, parent

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def reaching(
    use: ast.AST, bindings: list[Binding], scope: Scope, use_scope: Scope
) -> list[Binding]:
    """The bindings of ``scope`` a use standing in ``use_scope`` may see.

    A use in another scope (a closure, a function reading a global) may run at any time and sees
    all of them. The right-hand side of an assignment does not see that assignment.
    """
    if len(bindings) < 2 or use_scope is not scope:
        return bindings
    trail = _trail(use)
    position = _position(use)
    loops = [node for node in trail if isinstance(node, _LOOPS)]
    live: list[Binding] = []
    for binding in bindings:
        node = binding.node
        if _contains(node, trail):
            # ``x = f(x)``: only a loop brings its own value back to it; a for or with target
            # is bound before the body runs.
            if binding.kind in ("iter", "with") and not _in_header(use, node, trail):
                live = [binding]
            elif loops:
                live.append(binding)
            continue
        if binding.kind in ("param", "def", "class", "import") or _position(node) < position:
            if _dominates(node, trail):
                live = [binding]
            else:
                live.append(binding)
        elif any(_contains(loop, _trail(node)) for loop in loops):
            live.append(binding)
    return live or bindings


def _position(node: ast.AST) -> tuple[int, int]:
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


def _trail(node: ast.AST) -> list[ast.AST]:
    """The node and its ancestors up to the scope it runs in."""
    trail = [node]
    for ancestor in ancestors(node):
        trail.append(ancestor)
        if isinstance(ancestor, _FUNCTIONS):
            break
    return trail


def _contains(node: ast.AST, trail: list[ast.AST]) -> bool:
    return any(item is node for item in trail)


def _in_header(use: ast.AST, node: ast.AST, trail: list[ast.AST]) -> bool:
    """Whether the use stands in the ``for ... in`` or ``with`` expression itself."""
    below = trail[next(i for i, item in enumerate(trail) if item is node) - 1]
    return below not in getattr(node, "body", []) and below not in getattr(node, "orelse", [])


def _dominates(node: ast.AST, trail: list[ast.AST]) -> bool:
    """Whether the binding's statement runs before the use: it stands in a block around it."""
    if isinstance(node, ast.arg):
        return True
    while not isinstance(node, (ast.stmt, ast.Lambda, ast.comprehension)):
        node = parent(node)
    owner = parent(node)
    for index, item in enumerate(trail):
        if item is owner:
            below = trail[index - 1] if index else item
            return _same_block(owner, node, below)
    return False


def _same_block(owner: ast.AST, first: ast.AST, second: ast.AST) -> bool:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(owner, name, None)
        if isinstance(block, list) and first in block:
            return second in block or name == "finalbody"
    return False
