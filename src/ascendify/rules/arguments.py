"""Arguments of a call bound to the signature of what is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from ascendify.catalog.signatures import Signature


@dataclass(frozen=True)
class Argument:
    """One argument as the user wrote it."""

    name: str
    value: ast.expr
    keyword: ast.keyword | None = None
    """None when it was given by position."""

    @property
    def node(self) -> ast.AST:
        """The range for an edit of the whole argument: ``name=value``, or only the value."""
        return self.keyword or self.value


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call by parameter name."""

    call: ast.Call
    by_name: dict[str, Argument] = field(default_factory=dict)
    starred: bool = False
    """Whether ``*args`` or ``**kwargs`` is present, so that an argument may be given out of our
    sight."""
    surplus: tuple[ast.expr, ...] = ()
    """Positional arguments no parameter is known for."""

    @classmethod
    def bind(cls, call: ast.Call, signature: Signature | None, skip: int = 0) -> Arguments:
        """Bind a call, passing over ``skip`` leading positional arguments."""
        names = () if signature is None else signature.positional
        bound: dict[str, Argument] = {}
        surplus: list[ast.expr] = []
        starred = False
        for number, value in enumerate(call.args[skip:]):
            if isinstance(value, ast.Starred):
                starred = True
                break
            if number < len(names):
                bound[names[number]] = Argument(names[number], value)
            else:
                surplus.append(value)
        for keyword in call.keywords:
            if keyword.arg is None:
                starred = True
            else:
                bound[keyword.arg] = Argument(keyword.arg, keyword.value, keyword)
        return cls(call, bound, starred, tuple(surplus))

    def get(self, name: str) -> Argument | None:
        """The argument for a parameter, None when it is not (visibly) given."""
        return self.by_name.get(name)

    def value(self, name: str) -> ast.expr | None:
        """The expression given for a parameter."""
        found = self.by_name.get(name)
        return None if found is None else found.value

    def __iter__(self) -> Iterator[Argument]:
        return iter(self.by_name.values())

    def __contains__(self, name: object) -> bool:
        return name in self.by_name
