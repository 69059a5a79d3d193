"""What a string is used for, as far as the syntax around it shows."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ascendify.rules.torch import _options
from ascendify.source.nodes import last_name
from ascendify.source.scopes import parent

COMPARING = frozenset(
    ["startswith", "endswith", "replace", "removeprefix", "removesuffix", "split", "rsplit",
     "partition", "rpartition", "find", "rfind", "index", "count", "strip", "lstrip"]
)  # fmt: skip
"""Methods of a string that search for another one in it."""
_LOOKING_UP = frozenset(["get", "pop", "setdefault", "has_key", "__getitem__", "__contains__"])
_BY_NAME = frozenset(["getattr", "hasattr", "setattr", "delattr"])
_CONTAINERS = (ast.List, ast.Tuple, ast.Set)


@dataclass(frozen=True)
class Place:
    """What the syntax around a string shows."""

    kind: str
    """compared, choice, key, attribute, option, or value when it shows nothing."""
    subject: ast.expr | None = None
    """What a string is compared with, or the object whose attribute it names."""
    group: ast.expr | None = None
    """The list that contains it."""


def place_of(node: ast.expr) -> Place:
    """The place of a string, or of an expression with a string as its value."""
    whole = _chosen(node)
    owner = parent(whole)
    group = None
    if isinstance(owner, _CONTAINERS):
        group, owner = owner, parent(owner)
    inner = group or whole
    if isinstance(owner, ast.Call) and isinstance(owner.func, (ast.Name, ast.Attribute)):
        return _called(owner, inner, group)
    if isinstance(owner, ast.keyword):
        call = parent(owner)
        option = _options.option(call) if isinstance(call, ast.Call) else None
        if option is not None and option.lists_choices(owner.arg):
            return Place("choice", group=group)
    if isinstance(owner, ast.Compare):
        return _compared(owner, inner, group)
    if isinstance(owner, ast.Dict) and any(key is inner for key in owner.keys):
        return Place("key", group=owner)
    if isinstance(owner, ast.Subscript) and owner.slice is inner:
        name = last_name(owner.value)
        return Place("choice", group=group or inner) if name == "Literal" else Place("key")
    if owner.__class__.__name__ == "MatchValue":
        return _matched(owner)
    return Place("value")


def _chosen(node: ast.expr) -> ast.expr:
    """The conditional expression that a string is a possible value of."""
    owner = parent(node)
    while (isinstance(owner, ast.IfExp) and node is not owner.test) or isinstance(
        owner, ast.BoolOp
    ):
        node, owner = owner, parent(owner)
    return node


def _called(call: ast.Call, inner: ast.expr, group: ast.expr | None) -> Place:
    """The place of a positional argument."""
    func, last = call.func, last_name(call.func)
    place = next((i for i, item in enumerate(call.args) if item is inner), None)
    if isinstance(func, ast.Attribute) and place == 0 and last in COMPARING:
        return Place("compared", func.value, group)
    if isinstance(func, ast.Attribute) and place == 0 and last in _LOOKING_UP:
        return Place("key")
    if (last in _BY_NAME and place == 1) or last in ("methodcaller", "attrgetter"):
        return Place("attribute", call.args[0] if last in _BY_NAME else None)
    if last == "Choice" and group is not None:
        return Place("choice", group=group)
    option = _options.option(call)
    if option is not None and option.lists_choices(place):
        return Place("choice", group=group)
    if option is not None and option.flag and place is not None and not option.gives_value(place):
        return Place("option")
    return Place("value")


def _compared(node: ast.Compare, inner: ast.expr, group: ast.expr | None) -> Place:
    sides = [node.left, *node.comparators]
    number = next(i for i, item in enumerate(sides) if item is inner)
    other = sides[number - 1] if number else sides[1]
    contains = isinstance(node.ops[max(number - 1, 0)], (ast.In, ast.NotIn))
    if contains and number == 0 and isinstance(other, _CONTAINERS):
        return Place("value")
    return Place("compared", other, group)


def _matched(owner: ast.AST) -> Place:
    node = owner
    while node.__class__.__name__ != "Match":
        node = parent(node)
    return Place("compared", node.subject)  # type: ignore[attr-defined]  # Python 3.9 has no ast.Match
