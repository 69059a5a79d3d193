"""Follow values backward: what a name may hold, and which calls made an expression's value."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from ascendify.source.flow.outside import Outside
from ascendify.source.flow.reaching import reaching
from ascendify.source.inference.names import lineage
from ascendify.source.inference.parameters import MAX_CALLERS, default, given, hides_arguments
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import decorators, is_literal
from ascendify.source.scopes import Binding, FunctionNode, scope_of
from ascendify.source.values import (
    ANYTHING,
    Class,
    Function,
    Member,
    Object,
    Package,
    Ref,
    Value,
)

_NO_STEPS = Outside()


def bindings(name: ast.Name) -> list[Binding]:
    """Every binding of the variable that a name refers to; none for builtins and star imports."""
    scope = scope_of(name).find(name.id)
    return [] if scope is None else scope.bounded(scope.bindings[name.id])


def definitions(name: ast.Name) -> list[Binding]:
    """The bindings that can be in effect where a name is used."""
    use = scope_of(name)
    scope = use.find(name.id)
    return [] if scope is None else reaching(name, scope.bindings[name.id], scope, use)


def assigned(binding: Binding) -> ast.expr | None:
    """The value of a plain assignment; None for parameters, imports, loops and unpacking."""
    return binding.value if binding.kind == "assign" and not binding.path else None


def unpacked(binding: Binding) -> tuple[ast.expr | None, tuple[int, ...]]:
    """What an assignment gives, tuples that are written out taken apart, and the path left in it.

    ``a, b = f(), g()`` gives ``f()`` and no path for ``a``; ``a, b = f()`` gives ``f()`` and 0.
    """
    value, path = binding.value, binding.path
    if binding.kind != "assign":
        return None, ()
    while path and isinstance(value, (ast.Tuple, ast.List)) and path[0] < len(value.elts):
        if any(isinstance(item, ast.Starred) for item in value.elts):
            break
        value, path = value.elts[path[0]], path[1:]
    return value, path


def only_value(name: ast.Name) -> ast.expr | None:
    """The value of a variable, if exactly one assignment reaches its use."""
    found = definitions(name)
    return assigned(found[0]) if len(found) == 1 else None


def passed(
    resolver: Resolver, module: Module, argument: ast.arg, *, defaults: bool = False
) -> Iterator[tuple[Module, ast.expr | None]]:
    """What each visible call of its function gives for a parameter; None where none is seen.

    ``defaults``: where a call surely leaves it out, the parameter's default is what is given.
    """
    function = cast(FunctionNode, scope_of(argument).node)
    usual = default(function.args, argument) if defaults else None
    for caller, call, bound in resolver.callers(Function(module, function)):
        value = given(call, argument, function, bound)
        if value is not None:
            yield caller, value
        else:
            yield module, None if hides_arguments(call) else usual


def given_or_default(
    call: ast.Call, argument: ast.arg, function: FunctionNode, bound: int
) -> ast.expr | None:
    """What one call gives for a parameter, or its default; None where that is not seen."""
    value = given(call, argument, function, bound)
    return value or (None if hides_arguments(call) else default(function.args, argument))


def passed_values(resolver: Resolver, module: Module, argument: ast.arg) -> list[Value]:
    """The values that visible calls pass for a parameter; empty when there are none."""
    found: list[Value] = []
    for caller, expression in passed(resolver, module, argument, defaults=True):
        found.extend(ANYTHING if expression is None else resolver.infer(caller, expression))
    return found


@dataclass
class Origins:
    """The calls and literals that an expression's value may come from."""

    calls: list[tuple[Module, ast.Call]] = field(default_factory=list)
    """Calls that make it, of functions and classes outside the project or of project classes."""
    nothing: bool = False
    """It may be None."""
    unknown: bool = False
    """It may be something that cannot be followed."""


def origins(
    resolver: Resolver, module: Module, node: ast.expr, outside: Outside = _NO_STEPS
) -> Origins:
    """Every call an expression's value may come from."""
    walk = _Backward(resolver, outside)
    walk.expression(module, node)
    return walk.found


class _Backward:
    def __init__(self, resolver: Resolver, outside: Outside) -> None:
        self.resolver = resolver
        self.outside = outside
        self.found = Origins()
        self.seen: set[object] = set()

    def _visited(self, key: object) -> bool:
        if key in self.seen:
            return True
        self.seen.add(key)
        return False

    def _lost(self) -> None:
        self.found.unknown = True

    def expression(self, module: Module, node: ast.expr, path: tuple[int, ...] = ()) -> None:
        """Follow an expression, or the part of it at a path of indices."""
        if self._visited((node, path)):
            return
        if path and isinstance(node, (ast.Tuple, ast.List)) and path[0] < len(node.elts):
            self.expression(module, node.elts[path[0]], path[1:])
        elif isinstance(node, ast.Call):
            self._call(module, node, path)
        elif path:
            self._lost()
        elif is_literal(node, None):
            self.found.nothing = True
        elif isinstance(node, ast.IfExp):
            self.expression(module, node.body)
            self.expression(module, node.orelse)
        elif isinstance(node, ast.BoolOp):
            self._boolean(module, node)
        elif isinstance(node, ast.NamedExpr):
            self.expression(module, node.value)
        elif isinstance(node, ast.Name):
            self._bindings(module, definitions(node))
        elif isinstance(node, ast.Attribute):
            self._attribute(module, node)
        else:
            self._lost()

    def _boolean(self, module: Module, node: ast.BoolOp) -> None:
        """Follow ``given or Config()``, which is never the None that ``given`` may be."""
        nothing = self.found.nothing
        for value in node.values[:-1]:
            self.expression(module, value)
        if isinstance(node.op, ast.Or):
            self.found.nothing = nothing
        self.expression(module, node.values[-1])

    def _bindings(self, module: Module, found: Sequence[Binding]) -> None:
        for binding in found:
            if binding.kind == "assign" and binding.value is not None:
                self.expression(module, binding.value, binding.path)
            elif isinstance(binding.node, ast.arg):
                self._parameter(module, binding.node)
            elif binding.kind == "import":
                self._import(module, binding.origin)
            else:
                self._lost()
        if not found:
            self._lost()

    def _import(self, module: Module, origin: str) -> None:
        located = self.resolver.project.locate(module.path, origin)
        if located is None or located[0] is None or len(located[2]) != 1:
            self._lost()
        else:
            self._global(located[0], located[2][0])

    def _global(self, path: str, name: str) -> None:
        if not self._visited((path, name)):
            module = self.resolver.project.defining(path, name)
            if module is None:
                self._lost()
            else:
                self._bindings(module, module.quiet_index.module.bindings.get(name, []))

    def _parameter(self, module: Module, argument: ast.arg) -> None:
        if self._visited(argument):
            return
        given = list(passed(self.resolver, module, argument, defaults=True))
        if not 0 < len(given) < MAX_CALLERS or _is_variadic(argument):
            self._lost()
            return
        for caller, value in given:
            if value is None:
                self._lost()
            else:
                self.expression(caller, value)

    def _attribute(self, module: Module, node: ast.Attribute) -> None:
        for value in self.resolver.infer(module, node.value):
            if isinstance(value, Object):
                self._member(value.cls, node.attr)
            elif isinstance(value, Package) and value.path is not None:
                self._global(value.path, node.attr)
            else:
                self._lost()

    def _member(self, cls: Class, name: str) -> None:
        known = False
        for ancestor in lineage(self.resolver, cls):
            scope = scope_of(ancestor.node)
            for binding in (*scope.attributes.get(name, ()), *scope.bindings.get(name, ())):
                known = True
                if binding.kind == "def" and "property" in decorators(binding.node):
                    function = Function(ancestor.module, cast(FunctionNode, binding.node))
                    self._returned(function, ())
                else:
                    self._bindings(ancestor.module, [binding])
        if not known:
            self._lost()

    def _call(self, module: Module, node: ast.Call, path: tuple[int, ...]) -> None:
        values = self.resolver.infer(module, node.func)
        for value in values:
            source = self.outside.source(node, value)
            if isinstance(value, Function):
                self._returned(value, path)
            elif path or not isinstance(value, (Ref, Member, Class)):
                self._lost()
            elif source is not None:
                self.expression(module, source)
            elif (module, node) not in self.found.calls:
                self.found.calls.append((module, node))
        if not values:
            self._lost()

    def _returned(self, function: Function, path: tuple[int, ...]) -> None:
        scope = scope_of(function.node)
        if scope.generator or isinstance(function.node, ast.AsyncFunctionDef):
            self._lost()
        elif not scope.returns:
            self.found.nothing = True
        for value in scope.returns:
            self.expression(function.module, value, path)


def _is_variadic(argument: ast.arg) -> bool:
    arguments = cast(FunctionNode, scope_of(argument).node).args
    return argument in (arguments.vararg, arguments.kwarg)
