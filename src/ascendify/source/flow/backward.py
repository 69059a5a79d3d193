"""Backward: what a name may hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import cast

from ascendify.source.flow.reaching import reaching
from ascendify.source.inference.parameters import default, given, hides_arguments
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.scopes import Binding, FunctionNode, scope_of
from ascendify.source.values import ANYTHING, Function, Value


def bindings(name: ast.Name) -> list[Binding]:
    """Every binding of the variable a name stands for; none for builtins and star imports."""
    scope = scope_of(name).find(name.id)
    return [] if scope is None else scope.bindings[name.id]


def definitions(name: ast.Name) -> list[Binding]:
    """The bindings of its variable that a name may see where it stands."""
    use = scope_of(name)
    scope = use.find(name.id)
    return [] if scope is None else reaching(name, scope.bindings[name.id], scope, use)


def assigned(binding: Binding) -> ast.expr | None:
    """What a plain assignment gives; None for parameters, imports, loops and unpacking."""
    return binding.value if binding.kind == "assign" and not binding.path else None


def only_value(name: ast.Name) -> ast.expr | None:
    """What a variable was given, where exactly one assignment reaches its use."""
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


def passed_values(resolver: Resolver, module: Module, argument: ast.arg) -> list[Value]:
    """What the visible calls of its function give for a parameter; empty when nobody calls it."""
    found: list[Value] = []
    for caller, expression in passed(resolver, module, argument, defaults=True):
        found.extend(ANYTHING if expression is None else resolver.infer(caller, expression))
    return found
