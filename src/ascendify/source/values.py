"""The kinds of values that inference distinguishes."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Protocol, Union

from ascendify.source.module import Module
from ascendify.source.scopes import FunctionNode

SELF = "Self"
"""The result of a method that returns the object it was called on."""


class Knowledge(Protocol):
    """What is known about dotted names of frameworks; :mod:`ascendify.catalog` implements it."""

    def canonical(self, name: str, path: str = "") -> str:
        """The canonical spelling of a name.

        The value of an import may depend on its file, whose path is then given.
        """

    def returns(self, name: str, path: str = "") -> str | None:
        """The class of the result of calling ``name``; :data:`SELF` if it is the receiver.

        It may depend on the calling file, whose path is then given.
        """

    def attribute(self, name: str) -> str | None:
        """The class of the data attribute ``class.attribute``."""

    def item(self, kind: str, place: int | None) -> str | None:
        """The class of the item at a place of a container, of any item when it is None."""

    def enters(self, name: str) -> str | None:
        """The class of the value that ``with`` binds for an instance of this class."""

    def member(self, name: str) -> str:
        """The name under which the base class that defines ``class.method`` declares it."""

    def known(self, name: str) -> bool:
        """Whether such a name exists."""


@dataclass(frozen=True)
class Ref:
    """Something outside the project, by its canonical dotted name: a module, class or function."""

    name: str


@dataclass(frozen=True)
class Instance:
    """An instance of a class outside the project."""

    kind: str


@dataclass(frozen=True)
class Member:
    """A bound method (or unknown attribute) of an instance of a class outside the project."""

    name: str


@dataclass(frozen=True)
class Function:
    """A function of the project."""

    module: Module
    node: FunctionNode


@dataclass(frozen=True)
class Class:
    """A class of the project."""

    module: Module
    node: ast.ClassDef


@dataclass(frozen=True)
class Object:
    """An instance of a class of the project."""

    cls: Class


@dataclass(frozen=True)
class Package:
    """A module or package of the project; ``path`` is None for a folder without ``__init__``."""

    path: str | None
    folder: str


@dataclass(frozen=True)
class Const:
    """A literal."""

    value: object


@dataclass(frozen=True)
class Sequence:
    """A tuple or list display."""

    items: tuple[tuple[Value, ...], ...]
    fixed: bool = True
    """False for a list, which may have got more items since."""


@dataclass(frozen=True)
class Partial:
    """A callable with arguments that ``functools.partial`` added and a call of it does not show."""

    target: Value


class Unknown:
    """The class of :data:`UNKNOWN`, the only value of its kind."""

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __reduce__(self) -> str:
        return "UNKNOWN"  # copies and unpickled objects are the same object


UNKNOWN = Unknown()
"""A value that inference cannot determine; compare with ``is``."""
Value = Union[
    Ref, Instance, Member, Function, Class, Object, Package, Const, Sequence, Partial, Unknown
]
Values = tuple[Value, ...]
NOTHING: Values = ()
ANYTHING: Values = (UNKNOWN,)


def is_none(value: Value) -> bool:
    """Whether a value is None."""
    return isinstance(value, Const) and value.value is None
