"""Which assignments of a name can reach a use of it: an approximation good enough to trust.

Straight-line reassignment (``x = a(); x = b(x)``) is told apart; branches and loops keep every
assignment that may still be live.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ascendify.source.nodes import FUNCTIONS, LOOPS, place_in, position
from ascendify.source.scopes import Binding, Scope, ancestors, parent

_FEW = 8
"""Up to this many bindings are checked one by one; of more, only those that can precede a use."""
_SHORT_BLOCK = 50
_MOST_LIVE = 50
_MOST_LOOKED_AT = 200
"""Generated code may give one name thousands of values; a use that can see more of them than this
may see anything."""


def reaching(
    use: ast.AST, bindings: list[Binding], scope: Scope, use_scope: Scope
) -> list[Binding]:
    """The bindings of ``scope`` a use standing in ``use_scope`` may see.

    A use in another scope (a closure, a function reading a global) may run at any time and sees
    all of them. The right-hand side of an assignment does not see that assignment.
    """
    if len(bindings) < 2:
        return bindings
    if not _runs_in(use_scope, scope):
        return scope.bounded(bindings)
    trail = _trail(use)
    place = position(use)
    loops = [node for node in trail if isinstance(node, LOOPS) and _repeats(node, trail)]
    live: list[Binding] = []
    # from the nearest binding backwards: whatever comes before one that surely runs is hidden
    for looked_at, binding in enumerate(_candidates(bindings, scope, place, loops)):
        if len(live) == _MOST_LIVE or looked_at == _MOST_LOOKED_AT:
            live.append(Binding("opaque", binding.node))
            break
        if _surely_runs(binding, trail, place):
            # a loop around it brings nothing past it
            inner = [loop for loop in loops if not _contains(loop, _trail(binding.node))]
            live = [item for item in live if _may_reach(item, trail, place, inner)]
            live.append(binding)
            break
        if _may_reach(binding, trail, place, loops):
            live.append(binding)
    live.reverse()
    return live or scope.bounded(bindings)


def _surely_runs(binding: Binding, trail: list[ast.AST], place: tuple[int, int]) -> bool:
    """Whether a binding always comes before the use, and none that is older reaches it."""
    node = binding.node
    if _contains(node, trail):
        return _bound_around(binding, trail, place)
    if binding.kind != "param" and position(node) >= place:
        return False
    # a loop may not run at all, so its variable does not hide earlier bindings
    return binding.kind != "iter" and _dominates(node, trail)


def _may_reach(
    binding: Binding, trail: list[ast.AST], place: tuple[int, int], loops: Sequence[ast.stmt]
) -> bool:
    """Whether a binding may reach the use, in the same round of these loops or in a later one."""
    node = binding.node
    if _contains(node, trail):
        # ``x = f(x)``: only a loop brings its own value back to it; the targets of for, with
        # and except are bound before the body runs.
        return bool(loops)
    if binding.kind == "param" or position(node) < place:
        return bool(loops) or not _passes_by(node, trail)
    return any(_contains(loop, _trail(node)) for loop in loops)


def _candidates(
    bindings: list[Binding], scope: Scope, place: tuple[int, int], loops: Sequence[ast.stmt]
) -> Iterator[Binding]:
    """The bindings that may be in effect at a place, the last one first.

    Of the code after the place, only that inside the outermost loop around it counts.
    """
    end = len(bindings)
    if end > _FEW:
        places = scope.places(bindings)
        if places is not None:
            last = ((loops[-1].end_lineno or 0) + 1, 0) if loops else place
            end = bisect_left(places, last)
    return (bindings[number] for number in range(end - 1, -1, -1))


def _runs_in(use_scope: Scope, scope: Scope) -> bool:
    """Whether a use runs when the scope does: it stands in it, or in a list made on the spot."""
    while use_scope is not scope and use_scope.parent is not None:
        if use_scope.kind != "comprehension" or isinstance(use_scope.node, ast.GeneratorExp):
            return False
        use_scope = use_scope.parent
    return use_scope is scope


def _repeats(loop: ast.AST, trail: list[ast.AST]) -> bool:
    """Whether a loop repeats a use: its iterable is evaluated only once."""
    return isinstance(loop, ast.While) or not _in_header(loop, trail)


def _bound_around(binding: Binding, trail: list[ast.AST], place: tuple[int, int]) -> bool:
    """Whether a use inside the statement that binds the name comes after the binding."""
    node = binding.node
    if binding.kind == "with" and binding.value is not None:
        # later items of one ``with`` see the earlier ones
        return not _contains(binding.value, trail) and position(binding.value) < place
    if binding.kind == "iter" or isinstance(node, ast.ExceptHandler):
        return not _in_header(node, trail)
    return False


def _passes_by(node: ast.AST, trail: list[ast.AST]) -> bool:
    """Whether a run that binds the name at a node cannot come to the use."""
    while not isinstance(node, ast.stmt):
        node = parent(node)
    while not isinstance(node, ast.Module):
        owner = parent(node)
        if isinstance(owner, FUNCTIONS):
            return False
        if _contains(owner, trail):
            below = trail[trail.index(owner) - 1]
            return isinstance(owner, ast.If) and (
                (_is_in(node, owner.body) and _is_in(below, owner.orelse))
                or (_is_in(node, owner.orelse) and _is_in(below, owner.body))
            )
        for name in ("body", "orelse"):
            block = getattr(owner, name, None)
            if not isinstance(block, list) or not _is_in(node, block):
                continue
            if isinstance(block[-1], (ast.Return, ast.Raise)) and not _is_guarded(owner):
                return True
        node = owner
    return False


def _is_guarded(node: ast.AST) -> bool:
    """Whether execution may continue after a raise or return, because of a ``try`` around it."""
    around = [node, *ancestors(node)]
    return any(hasattr(item, "handlers") for item in around)


def _trail(node: ast.AST) -> list[ast.AST]:
    """The node and its ancestors up to the scope it runs in."""
    trail = [node]
    for ancestor in ancestors(node):
        trail.append(ancestor)
        if isinstance(ancestor, FUNCTIONS):
            break
    return trail


def _contains(node: ast.AST, trail: list[ast.AST]) -> bool:
    return node in trail  # nodes are compared by identity


def _in_header(node: ast.AST, trail: list[ast.AST]) -> bool:
    """Whether the use is in the header of the ``for ... in`` or ``except`` itself."""
    below = trail[trail.index(node) - 1]
    return not any(_is_in(below, getattr(node, name, [])) for name in ("body", "orelse"))


def _dominates(node: ast.AST, trail: list[ast.AST]) -> bool:
    """Whether a binding always runs before the use: it is in a block around the use."""
    if isinstance(node, ast.arg):
        return True
    while not isinstance(node, (ast.stmt, ast.Lambda, ast.comprehension)):
        node = parent(node)
    owner = parent(node)
    while isinstance(owner, (ast.With, ast.AsyncWith)) and not _contains(owner, trail):
        # the body of a ``with`` always runs when the ``with`` does
        node, owner = owner, parent(owner)
    if owner not in trail:
        return False
    index = trail.index(owner)
    return _same_block(owner, node, trail[index - 1] if index else owner)


def _same_block(owner: ast.AST, first: ast.AST, second: ast.AST) -> bool:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(owner, name, None)
        if isinstance(block, list) and _is_in(first, block):
            return _is_in(second, block) or name == "finalbody"
    return False


def _is_in(node: ast.AST, block: list[ast.stmt]) -> bool:
    # looking through a short list takes less time than halving it
    return node in block if len(block) < _SHORT_BLOCK else place_in(block, node) is not None
