"""Fate: what finally becomes of an object, one use at a time.

An object that must be closed may be used for a moment, closed, handed to somebody who closes it,
or kept where it cannot be seen. The caller defines what methods and functions do.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable
from dataclasses import dataclass

from ascendify.source.flow.forward import Slot, bound_parameters, parameter, reads_of
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import is_called
from ascendify.source.scopes import Scope, ancestors, parent, scope_of
from ascendify.source.values import Function

_DEPTH = 4
"""How many functions an object is followed into."""


class Fate(enum.Enum):
    """What one use does with an object."""

    BORROWED = "borrowed"
    """The object is used briefly: nothing holds it afterwards."""
    CLOSED = "closed"
    RETURNED = "returned"
    """The object is returned or yielded to code that may close it."""
    OWNED = "owned"
    """Something outside the program keeps it and uses it until the process ends."""
    KEPT = "kept"
    """It may be used later through something else."""


@dataclass(frozen=True)
class Handling:
    """What methods of an object, and functions outside the project, do with it."""

    closing: frozenset[str]
    """Methods that close it."""
    looking: frozenset[str]
    """Attributes whose value does not hold the object."""
    borrowing: frozenset[str]
    """Methods that use it while they run."""
    entered: frozenset[str]
    """Methods whose result uses it while a ``with`` block runs."""
    closers: frozenset[str]
    """Functions that close their argument."""
    owners: frozenset[str]
    """Functions that keep it for good."""
    is_brief: Callable[[str], bool]
    """Whether a function of this name gives the object back when it returns."""


def fate(
    resolver: Resolver, module: Module, use: ast.expr, scope: Scope, handling: Handling
) -> Fate:
    """What one use of a variable does with the object it holds."""
    return _Question(resolver, handling).of_use(module, use, scope, _DEPTH)


@dataclass(frozen=True)
class _Question:
    resolver: Resolver
    handling: Handling

    def of_use(self, module: Module, use: ast.expr, scope: Scope, depth: int) -> Fate:
        around = parent(use)
        if isinstance(around, ast.withitem):
            return Fate.CLOSED
        if isinstance(around, ast.Attribute):
            return self._of_member(around, use, scope)
        if _is_returned(use):
            return Fate.RETURNED
        if isinstance(around, ast.Compare):
            return Fate.BORROWED
        slot: Slot = None
        if isinstance(around, ast.keyword):
            slot, around = around.arg, parent(around)
        elif isinstance(around, ast.Call) and use is not around.func:
            place = around.args.index(use)
            starred = any(isinstance(item, ast.Starred) for item in around.args[:place])
            slot = None if starred else place
        if not isinstance(around, ast.Call) or use is around.func:
            return Fate.KEPT
        found = self._of_argument(module, around, slot, depth)
        return Fate.KEPT if found is Fate.BORROWED and _is_inner(use, scope) else found

    def _of_member(self, member: ast.Attribute, use: ast.expr, scope: Scope) -> Fate:
        if member.attr in self.handling.closing:
            return Fate.CLOSED
        if _is_inner(use, scope):
            return Fate.KEPT
        if member.attr in self.handling.looking:
            return Fate.BORROWED
        if member.attr in self.handling.entered:
            # entered by hand it would stay open
            brief = isinstance(parent(parent(member)), ast.withitem)
        else:
            brief = is_called(member) and member.attr in self.handling.borrowing
        return Fate.BORROWED if brief else Fate.KEPT

    def _of_argument(self, module: Module, call: ast.Call, slot: Slot, depth: int) -> Fate:
        names, certain = self.resolver.names(module, call.func)
        if not self.handling.closers.isdisjoint(names):
            return Fate.CLOSED
        if not self.handling.owners.isdisjoint(names):
            return Fate.OWNED
        if names and certain:
            return Fate.BORROWED if all(map(self.handling.is_brief, names)) else Fate.KEPT
        values = self.resolver.infer(module, call.func)
        functions = [value for value in values if isinstance(value, Function)]
        if not functions or len(functions) < len(values) or depth == 0:
            return Fate.KEPT
        fates = {self._of_parameter(module, call, item, slot, depth) for item in functions}
        return fates.pop() if len(fates) == 1 else Fate.KEPT

    def _of_parameter(
        self, module: Module, call: ast.Call, function: Function, slot: Slot, depth: int
    ) -> Fate:
        """What a function of the project does with the argument for a parameter."""
        bound = bound_parameters(self.resolver, module, call, function.node)
        argument = parameter(function.node, slot, bound)
        scope = scope_of(function.node)
        if (
            argument is None
            or isinstance(function.node, ast.Lambda)
            or scope.generator
            or len(scope.bindings[argument.arg]) != 1
        ):
            return Fate.KEPT
        found = {
            self.of_use(function.module, use, scope, depth - 1)
            for use in reads_of(scope, argument.arg)
        }
        for fate in (Fate.CLOSED, Fate.OWNED):
            if fate in found:
                return fate
        return Fate.BORROWED if found <= {Fate.BORROWED} else Fate.KEPT


def _is_inner(use: ast.expr, scope: Scope) -> bool:
    """Whether a use is in a function inside the scope, which may run at any time."""
    inner = scope_of(use)
    while inner is not scope and inner.kind == "comprehension" and inner.parent is not None:
        inner = inner.parent
    return inner is not scope


def _is_returned(use: ast.expr) -> bool:
    """Whether the object itself, or a tuple or list with it, is returned or yielded."""
    for ancestor in ancestors(use):
        if isinstance(ancestor, (ast.Return, ast.Yield, ast.YieldFrom, ast.Lambda)):
            return True
        if not isinstance(ancestor, (ast.Tuple, ast.List, ast.Dict, ast.IfExp)):
            return False
    return False
