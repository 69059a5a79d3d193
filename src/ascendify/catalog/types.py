"""Class hierarchy, and the types of results, attributes and ``with`` targets.

A kind is a canonical class name (``tf.Session``) or a built-in one (``int``, ``list``, ``str``).
Containers may say what they hold: ``list[torch.Tensor]``, ``iterator[torch.nn.Parameter]``,
``tuple[str,torch.Tensor]`` by place and ``tuple[torch.Tensor,...]`` for any number. ``Self`` as a
result is the receiver of the call.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ascendify.catalog import names
from ascendify.catalog._data import TORCH, framework, table


def is_class(api: str) -> bool:
    """Whether a canonical name is a class."""
    name = names.primary(api)
    return name in _section(name, "bases")


@cache
def bases(api: str) -> tuple[str, ...]:
    """Every public base of a class, nearest first; another spelling of itself comes before."""
    name = names.primary(api)
    above = _section(name, "bases").get(name)
    if above is None:
        return ()
    return tuple(above.split()) if name == api else (name, *above.split())


def is_a(api: str, base: str) -> bool:
    """Whether a class is the base or inherits from it."""
    return api == base or base in bases(api) or names.primary(base) in bases(api)


@cache
def member(api: str) -> str:
    """The name a member of a class was first declared under.

    ``tf.train.AdamOptimizer.minimize`` is ``tf.train.Optimizer.minimize``, so a rule declared on
    the base fires on every subclass. Anything else is returned unchanged.
    """
    split = _split(api)
    if split is None:
        return api
    owner, name, rest = split
    for cls in (*reversed(bases(owner)), owner):
        if name in _members(names.primary(cls)):
            return f"{cls}.{name}{rest}"
    return api


def declares(owner: str, name: str) -> bool:
    """Whether a class, or one it inherits from, has a method or attribute of this name."""
    return any(name in _members(names.primary(cls)) for cls in (owner, *bases(owner)))


@cache
def returns(api: str) -> str | None:
    """The kind a call of this name gives; a constructor gives its class."""
    if api == "list.__add__":
        return "list"
    found = _member_kind(_kinds(framework(api), "returns"), api)
    if found is None and is_class(api):
        return api
    return found


@cache
def attribute(api: str) -> str | None:
    """The kind of an attribute of an instance, for example of ``tf.ConfigProto.gpu_options``."""
    return _member_kind(_kinds(framework(api), "attributes"), api)


@cache
def item(kind: str, place: int | None = None) -> str | None:
    """The kind of one item of a container, at a given place or at any.

    A slice of the container is not an item.
    """
    _, bracket, inside = kind.partition("[")
    if bracket:
        return _held(inside[:-1], place)
    if framework(kind) != TORCH:
        # the kind of a TF 1 result may stand for a whole structure of them
        return None
    return _member_kind(_kinds(framework(kind), "returns"), f"{kind}.__getitem__")


def _held(inside: str, place: int | None) -> str | None:
    """The kind at a place of ``a,b``, or of every place when they are equal; ``?`` is unknown."""
    words = re.split(r",(?![^\[]*\])", inside)
    if len(words) == 1 or words[-1] == "...":
        found = words[0]
    elif place is None:
        found = words[0] if len(set(words)) == 1 else "?"
    else:
        found = words[place] if -len(words) <= place < len(words) else "?"
    return None if found == "?" else found


@cache
def enters(api: str) -> str | None:
    """The kind ``with`` binds for a value of this kind or a call of this name."""
    kinds: dict[str, str] = _section(api, "enters")
    found = _member_kind(kinds, api)
    if found is None:
        found = next((kinds[base] for base in bases(api) if base in kinds), None)
    return found


def _member_kind(kinds: dict[str, str], api: str) -> str | None:
    """The kind listed for a name; if there is none, that of the same member of a base class."""
    name = names.primary(api)
    if name in kinds:
        return kinds[name]
    split = _split(name)
    if split is None:
        return None
    owner, member_name, rest = split
    candidates = (f"{base}.{member_name}{rest}" for base in bases(owner))
    return next((kinds[item] for item in candidates if item in kinds), None)


def _split(api: str) -> tuple[str, str, str] | None:
    """Split a name into its class, the member of the class, and what follows the member."""
    end = len(api)
    while (dot := api.rfind(".", 0, end)) > 0:
        if is_class(api[:dot]):
            name, below, rest = api[dot + 1 :].partition(".")
            return api[:dot], name, below + rest
        end = dot
    return None


@cache
def _members(cls: str) -> frozenset[str]:
    return frozenset(_section(cls, "members").get(cls, "").split())


@cache
def _kinds(known: str | None, section: str) -> dict[str, str]:
    """Name -> kind, from ``{kind: {module: "names"}}``."""
    if known is None:
        return {}
    return {
        f"{module}.{word}": kind
        for kind, modules in table(f"types-{known}")[section].items()
        for module, words in modules.items()
        for word in words.split()
    }


def _section(api: str, section: str) -> dict[str, Any]:
    """A part of the table of the framework a name belongs to."""
    known = framework(api)
    found: dict[str, Any] = {} if known is None else table(f"types-{known}")[section]
    return found
