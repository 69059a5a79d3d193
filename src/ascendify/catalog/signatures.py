"""Signatures of the frameworks' functions, to bind the arguments of a call without running it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cache

from ascendify.catalog import names, types
from ascendify.catalog._data import framework, table


class ParameterKind(str, enum.Enum):
    """How an argument reaches a parameter."""

    NORMAL = "normal"
    """By position or by keyword."""
    VAR_POSITIONAL = "*"
    KEYWORD_ONLY = "keyword"
    VAR_KEYWORD = "**"


@dataclass(frozen=True)
class Parameter:
    """One parameter, self left out."""

    name: str
    kind: ParameterKind
    default: str | None
    """Source text of the default, ``...`` when it has no short one, None when required."""

    def __str__(self) -> str:
        stars = self.kind.value if self.kind.value.startswith("*") else ""
        return f"{stars}{self.name}" + ("" if self.default is None else f"={self.default}")


@dataclass(frozen=True)
class Signature:
    """The parameters of a function, a method (without self) or a constructor."""

    api: str
    """The name it is declared under; for an inherited method that of the base class."""
    parameters: tuple[Parameter, ...]

    @property
    def positional(self) -> tuple[str, ...]:
        """Names of the parameters that can be given by position, in order."""
        return tuple(item.name for item in self.parameters if item.kind is ParameterKind.NORMAL)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of this name."""
        return next((item for item in self.parameters if item.name == name), None)

    def index(self, name: str) -> int | None:
        """Position of a parameter among those that can be given by position, None otherwise."""
        positional = self.positional
        return positional.index(name) if name in positional else None

    def __str__(self) -> str:
        texts: list[str] = []
        star = False
        for item in self.parameters:
            if item.kind is ParameterKind.KEYWORD_ONLY and not star:
                texts.append("*")
            star = star or item.kind in (ParameterKind.KEYWORD_ONLY, ParameterKind.VAR_POSITIONAL)
            texts.append(str(item))
        return f"{self.api}({', '.join(texts)})"


@cache
def signature(api: str) -> Signature | None:
    """The signature of a canonical name; methods are looked up through base classes."""
    name = names.primary(api)
    found = _declared(name)
    if found is not None:
        return found
    owner, _, method = name.rpartition(".")
    for base in types.bases(owner):
        found = _declared(f"{base}.{method}")
        if found is not None:
            return found
    return None


@cache
def _declared(name: str) -> Signature | None:
    known = framework(name)
    if known is None:
        return None
    data = table(f"signatures-{known}")
    module, _, last = name.rpartition(".")
    shape = data["names"].get(module, {}).get(last)
    if shape is None:
        return None
    texts = data["parameters"]
    return Signature(name, tuple(_parameter(texts[index]) for index in data["shapes"][shape]))


@cache
def _parameter(text: str) -> Parameter:
    """A packed parameter: ``x``, ``x=1``, ``*args``, ``~keyword_only=None``, ``**kwargs``."""
    head, equals, default = text.partition("=")
    kind = ParameterKind.NORMAL
    for mark, marked in (
        ("**", ParameterKind.VAR_KEYWORD),
        ("*", ParameterKind.VAR_POSITIONAL),
        ("~", ParameterKind.KEYWORD_ONLY),
    ):
        if head.startswith(mark):
            head, kind = head[len(mark) :], marked
            break
    return Parameter(head, kind, default if equals else None)
