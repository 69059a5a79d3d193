"""Every use of a value: the forward walk for a value that must not get out of sight."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Union, cast

from ascendify.source.flow.forward import Forward, Path, Slot, Step, attribute_reads
from ascendify.source.flow.outside import Outside
from ascendify.source.inference.names import lineage
from ascendify.source.inference.parameters import MAX_CALLERS
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import call_of, decorators, function_around, is_called
from ascendify.source.scopes import parent, scope_of
from ascendify.source.values import Class, Function, Member, Object, Ref

_Definition = Union[ast.FunctionDef, ast.AsyncFunctionDef]
_READS = (
    "Compare", "UnaryOp", "If", "While", "Assert", "Expr", "FormattedValue", "BinOp", "Delete",
)  # fmt: skip
"""Places that use a value without passing it on."""


@dataclass(frozen=True)
class OutsideCall:
    """A call outside the project's functions that a value is passed to."""

    module: Module
    call: ast.Call
    value: ast.expr
    """The expression of the argument."""


@dataclass
class ValueUses:
    """The places where a value is used."""

    calls: list[OutsideCall] = field(default_factory=list)
    attributes: list[tuple[Module, ast.Attribute]] = field(default_factory=list)
    """Reads of its attributes, and calls of its methods."""
    escapes: tuple[Module, ast.AST] | None = None
    """The first place at which it can no longer be followed."""


def uses(resolver: Resolver, module: Module, node: ast.expr, outside: Outside) -> ValueUses:
    """Every call the value of an expression may be passed to."""
    walk = UsesWalk(resolver, outside)
    walk.follow(module, node)
    return walk.found


class UsesWalk(Forward):
    """The walk; a subclass may record more."""

    def __init__(self, resolver: Resolver, outside: Outside) -> None:
        super().__init__(resolver)
        self.outside = outside
        self.found = ValueUses()

    def follow(self, module: Module, node: ast.expr, path: Path = ()) -> None:
        """Go on from the value itself; one that a container holds is out of sight."""
        if path:
            self.lost(module, node)
        else:
            super().follow(module, node)

    def lost(self, module: Module, node: ast.AST) -> None:
        """Keep the first place that cannot be looked into."""
        if self.found.escapes is None:
            self.found.escapes = (module, node)

    def on_keyword(self, module: Module, node: ast.expr, around: ast.keyword, path: Path) -> None:
        """An argument by name; ``**options`` and keywords of a class hide it."""
        if around.arg is None or not isinstance(parent(around), ast.Call):
            self.lost(module, node)
        else:
            super().on_keyword(module, node, around, path)

    def on_call(self, module: Module, node: ast.expr, around: ast.Call, path: Path) -> None:
        """Record a positional argument; calling the value is only a use."""
        if node is not around.func:
            super().on_call(module, node, around, path)

    def on_member(self, module: Module, node: ast.expr, around: ast.Attribute, path: Path) -> None:
        """Record a read attribute; a method may return the same object."""
        call = call_of(around)
        if call is not None and around.attr in self.outside.same:
            self.follow(module, call)
        else:
            self.found.attributes.append((module, around))

    def on_item(
        self, module: Module, node: ast.expr, around: Union[ast.Tuple, ast.List], path: Path
    ) -> None:
        """An item of a display that is unpacked at once, here or by whoever calls the function."""
        number = around.elts.index(node)
        owner = parent(around)
        function = function_around(owner)
        assigned: list[tuple[Module, ast.AST]] = []
        if isinstance(owner, ast.Assign):
            assigned = [(module, owner)]
        elif isinstance(owner, ast.Return):
            for other, call in self._results(module, cast(_Definition, function)):
                if isinstance(parent(call), ast.Assign):
                    assigned.append((other, parent(call)))
                elif not isinstance(parent(call), ast.Expr):
                    self.lost(other, call)
        else:
            self.lost(module, node)
        for other, statement in assigned:
            for target in cast(ast.Assign, statement).targets:
                if isinstance(target, (ast.Tuple, ast.List)) and number < len(target.elts):
                    self.store(other, target.elts[number], statement, ())
                else:
                    self.lost(other, target)

    def returned(self, module: Module, function: _Definition, path: Path) -> None:
        """Go on from every expression that is the result of a function."""
        for other, call in self._results(module, function):
            self.follow(other, call)

    def _results(self, module: Module, function: _Definition) -> list[tuple[Module, ast.expr]]:
        """Every expression that is the result of a function; who else may call it is an escape."""
        owner = parent(function)
        names = decorators(function)
        if names & {"property", "cached_property"} and isinstance(owner, ast.ClassDef):
            return self._attribute_reads(Class(module, owner), function.name)
        callers = self.resolver.callers(Function(module, function))
        if not 0 < len(callers) < MAX_CALLERS or not names <= {"staticmethod", "classmethod"}:
            self.lost(module, function)
        mention = self._mention(Function(module, function), function.name)
        if mention is not None:
            self.lost(*mention)
        return [(caller, call) for caller, call, _ in callers]

    def _mention(self, function: Function, name: str) -> tuple[Module, ast.AST] | None:
        """A place that passes the function itself on, so that other code may call it."""
        for module in (function.module, *self.resolver.project.importers(function.module.path)):
            for node in module.index.ending(frozenset({name})):
                if not is_called(node) and function in self.resolver.infer(module, node):
                    return module, node
        return None

    def store(self, module: Module, target: ast.expr, binding: ast.AST, path: Path) -> None:
        """Continue from the target of an assignment; attributes of a class are not followed."""
        scope = scope_of(target).find(target.id) if isinstance(target, ast.Name) else None
        if isinstance(target, ast.Name) and (scope is None or scope.kind == "class"):
            self.lost(module, target)
        else:
            super().store(module, target, binding, path)

    def attribute(self, module: Module, target: ast.Attribute, path: Path) -> None:
        """Go on from every read of the attribute, where the object is one of the project's."""
        objects = self.resolver.infer(module, target.value)
        if not objects or not all(isinstance(value, Object) for value in objects):
            self.lost(module, target)
            return
        for value in objects:
            for reader, node in self._attribute_reads(cast(Object, value).cls, target.attr):
                self.follow(reader, node)

    def _attribute_reads(self, cls: Class, name: str) -> list[tuple[Module, ast.expr]]:
        """Every read of an attribute of instances of a project class."""
        family = {item.node for item in lineage(self.resolver, cls)}
        found: list[tuple[Module, ast.expr]] = []
        for module in (cls.module, *self.resolver.project.importers(cls.module.path)):
            for node in attribute_reads(self.resolver, module, name):
                classes = [
                    value.cls
                    for value in self.resolver.infer(module, node.value)
                    if isinstance(value, Object)
                ]
                if any(item.node in family or self._derives(item, cls) for item in classes):
                    found.append((module, node))
        return found

    def _derives(self, cls: Class, base: Class) -> bool:
        return any(item.node is base.node for item in lineage(self.resolver, cls))

    def argument(
        self, module: Module, call: ast.Call, node: ast.expr, slot: Slot, path: Path
    ) -> None:
        """Go on inside the project; a call of anything else takes the value."""
        for value in self.resolver.infer(module, call.func):
            entered = self.entered(module, call, value)
            if entered is not None:
                if not self.enter(*entered, slot, path):
                    self.lost(module, node)
            elif self.outside.source(call, value) is node:
                self.follow(module, call)
            elif not isinstance(value, (Ref, Member, Class)):
                self.lost(module, call)
            elif isinstance(value, Class) or not self.outside.only_looks(value):
                self.found.calls.append(OutsideCall(module, call, node))

    steps: ClassVar[Mapping[str, Step]] = {
        **dict.fromkeys(_READS, Forward.on_read),
        **dict.fromkeys(("IfExp", "BoolOp", "NamedExpr"), Forward.on_whole),
        **dict.fromkeys(("Assign", "AnnAssign"), Forward.on_assignment),
        **dict.fromkeys(("Tuple", "List"), on_item),
        "keyword": on_keyword,
        "Call": on_call,
        "Attribute": on_member,
        "Return": Forward.on_return,
        "arguments": Forward.on_default,
    }
