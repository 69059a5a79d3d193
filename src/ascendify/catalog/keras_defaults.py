"""Defaults in which the native ``keras`` package differs from ``tf.keras``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ascendify.catalog._data import table

_TABLE = "keras-defaults"


@dataclass(frozen=True)
class Default:
    """A parameter whose default differs."""

    parameter: str
    """Its name in tf.keras."""
    names: frozenset[str]
    """All names under which a program may give it."""
    native: str
    """Source text of the default of the keras package."""
    new: str
    """Source text of the default of tf.keras."""


@cache
def differing(name: str, framework: str, release: str = "") -> tuple[Default, ...]:
    """Return the defaults that differ, for a class such as ``optimizers.Adadelta``.

    Args:
        name: The class, below ``keras``.
        framework: ``tf1`` or ``tf2``: whose tf.keras takes its place.
        release: Of the keras package, such as ``2.3``; empty where it is not known. Then only
            those are returned that differ from every release.
    """
    found = []
    for item in table(_TABLE)["defaults"].get(name, ()):
        natives = item["native"]
        values = {natives[release]} if release in natives else set(natives.values())
        if len(values) == 1 and item[framework] not in values:
            names = frozenset({item["parameter"], *item.get("names", ())})
            found.append(Default(item["parameter"], names, values.pop(), item[framework]))
    return tuple(found)


def depends_on_release(name: str, framework: str) -> bool:
    """Whether a class has a default that differs from some releases of keras only."""
    return any(
        len(set(item["native"].values())) > 1 and set(item["native"].values()) != {item[framework]}
        for item in table(_TABLE)["defaults"].get(name, ())
    )


def positional(name: str) -> tuple[str, ...]:
    """Return the parameters of a class of keras 2.0 to 2.2 in their order, where that differs."""
    return tuple(table(_TABLE)["positional"].get(name, ()))


def of_string(text: object) -> str | None:
    """Return the class that compile() makes of a text, where it has another default."""
    found: str | None = table(_TABLE)["strings"].get(str(text).lower())
    return found
