"""What calls outside the project do with a value, as far as who follows it can say."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ascendify.source.nodes import receiver
from ascendify.source.values import Member, Ref, Value


@dataclass(frozen=True)
class Outside:
    """Calls that pass a value on, and calls that only look at it; all others take it."""

    same: frozenset[str] = frozenset()
    """Methods that give the object they are called on, or a copy of it, by their last name."""
    copies: frozenset[str] = frozenset()
    """Functions that return their first argument or a copy of it."""
    looks: tuple[str, ...] = ()
    """Functions that keep nothing of their arguments; a trailing dot means everything below."""

    def source(self, call: ast.Call, called: Value) -> ast.expr | None:
        """The expression whose value a call passes on, None when it makes a value of its own."""
        if isinstance(called, Member) and called.name.rpartition(".")[2] in self.same:
            return receiver(call)
        if isinstance(called, Ref) and called.name in self.copies and call.args:
            return call.args[0]
        return None

    def only_looks(self, called: Ref | Member) -> bool:
        """Whether a call does nothing with its arguments that lasts."""
        return any(
            called.name.startswith(name) if name.endswith(".") else called.name == name
            for name in self.looks
        )
