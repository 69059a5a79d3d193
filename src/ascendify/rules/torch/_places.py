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
class StringPlace:
    """What the syntax around a string shows."""

    kind: str
    """compared, choice, key, attribute, option, or value when it shows nothing."""
    subject: ast.expr | None = None
    """What a string is compared with, or the object whose attribute it names."""
    group: ast.expr | None = None
    """The list that contains it."""


def place_of(node: ast.expr) -> StringPlace:
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
            return StringPlace("choice", group=group)
    if isinstance(owner, ast.Compare):
        return _compared(owner, inner, group)
    if isinstance(owner, ast.Dict) and any(key is inner for key in owner.keys):
        return StringPlace("key", group=owner)
    if isinstance(owner, ast.Subscript) and owner.slice is inner:
        name = last_name(owner.value)
        return (
            StringPlace("choice", group=group or inner) if name == "Literal" else StringPlace("key")
        )
    if owner.__class__.__name__ == "MatchValue":
        return _matched(owner)
    return StringPlace("value")


def _chosen(node: ast.expr) -> ast.expr:
    """The conditional expression that a string is a possible value of."""
    owner = parent(node)
    while (isinstance(owner, ast.IfExp) and node is not owner.test) or isinstance(
        owner, ast.BoolOp
    ):
        node, owner = owner, parent(owner)
    return node


def _called(call: ast.Call, inner: ast.expr, group: ast.expr | None) -> StringPlace:
    """The place of a positional argument."""
    func, last = call.func, last_name(call.func)
    place = next((i for i, item in enumerate(call.args) if item is inner), None)
    if isinstance(func, ast.Attribute) and place == 0 and last in COMPARING:
        return StringPlace("compared", func.value, group)
    if isinstance(func, ast.Attribute) and place == 0 and last in _LOOKING_UP:
        return StringPlace("key")
    if (last in _BY_NAME and place == 1) or last in ("methodcaller", "attrgetter"):
        return StringPlace("attribute", call.args[0] if last in _BY_NAME else None)
    if last == "Choice" and group is not None:
        return StringPlace("choice", group=group)
    option = _options.option(call)
    if option is not None and option.lists_choices(place):
        return StringPlace("choice", group=group)
    if option is not None and option.flag and place is not None and not option.gives_value(place):
        return StringPlace("option")
    return StringPlace("value")


def _compared(node: ast.Compare, inner: ast.expr, group: ast.expr | None) -> StringPlace:
    sides = [node.left, *node.comparators]
    number = next(i for i, item in enumerate(sides) if item is inner)
    other = sides[number - 1] if number else sides[1]
    contains = isinstance(node.ops[max(number - 1, 0)], (ast.In, ast.NotIn))
    if contains and number == 0 and isinstance(other, _CONTAINERS):
        return StringPlace("value")
    return StringPlace("compared", other, group)


def _matched(owner: ast.AST) -> StringPlace:
    node = owner
    while node.__class__.__name__ != "Match":
        node = parent(node)
    return StringPlace("compared", node.subject)  # type: ignore[attr-defined]  # Python 3.9 has no ast.Match
