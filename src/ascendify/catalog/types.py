"""What an expression is: class hierarchy, and the kinds that calls, attributes and ``with`` give.

A kind is a canonical class name (``tf.Session``) or a built-in one (``int``, ``list``, ``str``).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ascendify.catalog import names
from ascendify.catalog._data import table


def is_class(api: str) -> bool:
    """Whether a canonical name is a class."""
    return names.primary(api) in _table()["bases"]


@cache
def bases(api: str) -> tuple[str, ...]:
    """Every public base of a class, nearest first; another spelling of itself comes before."""
    name = names.primary(api)
    above = _table()["bases"].get(name)
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
    found = _member_kind(_kinds("returns"), api)
    if found is None and is_class(api):
        return api
    return found


@cache
def attribute(api: str) -> str | None:
    """The kind of an attribute of an instance, for example of ``tf.ConfigProto.gpu_options``."""
    return _member_kind(_kinds("attributes"), api)


@cache
def enters(api: str) -> str | None:
    """The kind ``with`` binds for a value of this kind or a call of this name."""
    kinds: dict[str, str] = _table()["enters"]
    found = _member_kind(kinds, api)
    if found is None:
        found = next((kinds[base] for base in bases(api) if base in kinds), None)
    return found


def _member_kind(kinds: dict[str, str], api: str) -> str | None:
    """The kind stored for a name, or for the same member of a base class."""
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
    """A name below a class as (class, member, what is below the member)."""
    end = len(api)
    while (dot := api.rfind(".", 0, end)) > 0:
        if is_class(api[:dot]):
            name, below, rest = api[dot + 1 :].partition(".")
            return api[:dot], name, below + rest
        end = dot
    return None


@cache
def _members(cls: str) -> frozenset[str]:
    return frozenset(_table()["members"].get(cls, "").split())


@cache
def _kinds(section: str) -> dict[str, str]:
    """Name -> kind, from ``{kind: {module: "names"}}``."""
    return {
        f"{module}.{word}": kind
        for kind, modules in _table()[section].items()
        for module, words in modules.items()
        for word in words.split()
    }


def _table() -> dict[str, Any]:
    return table("types-tf1")
