"""The values of a parameter: those that callers pass, and its default."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional, cast

from ascendify.source.inference.functions import is_method, takes_class
from ascendify.source.module import Module
from ascendify.source.nodes import positional_parameters
from ascendify.source.scopes import FunctionNode, Scope, parent
from ascendify.source.values import (
    ANYTHING,
    NOTHING,
    UNKNOWN,
    Class,
    Const,
    Function,
    Object,
    Value,
    Values,
)

if TYPE_CHECKING:
    from ascendify.source.inference.resolver import Resolver

Gift = tuple[Module, Optional[ast.expr], bool]
"""What a call gives for a parameter, where it can be seen, in which module, and whether arguments
that cannot be seen may give it."""
MAX_CALLERS = 40
"""The most calls of a function that are recorded; where there are so many, some may be missing."""


def parameter(resolver: Resolver, module: Module, argument: ast.arg, scope: Scope) -> Values:
    """The values a parameter may have inside its function."""
    node = cast(FunctionNode, scope.node)
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if is_method(node) and positional and positional[0] is argument:
        cls = Class(module, cast(ast.ClassDef, parent(node)))
        return (cls,) if takes_class(node) else (Object(cls),)
    if argument is arguments.vararg or argument is arguments.kwarg:
        return ANYTHING
    usual = default(arguments, argument)
    defaults = NOTHING if usual is None else resolver.infer(module, usual)
    values: list[Value] = []
    callers = resolver.callers(Function(module, node))
    for caller, expression, hidden in _gifts(resolver, callers, argument, node):
        if expression is not None:
            values.extend(resolver.infer(caller, expression))
        elif usual is None or hidden:
            values.extend(ANYTHING)
        else:
            values.extend(defaults)
    if not callers:
        values.extend(defaults)
    # that nobody gives it another value here does not make a parameter a constant
    constant = all(isinstance(value, Const) for value in values)
    if constant or not 0 < len(callers) < MAX_CALLERS:
        values.append(UNKNOWN)
    return tuple(values)


def _gifts(
    resolver: Resolver,
    callers: list[tuple[Module, ast.Call, int]],
    argument: ast.arg,
    function: FunctionNode,
) -> list[Gift]:
    """What each of some callers gives for a parameter; found once for one list of callers."""
    known = resolver.gifts.get(argument)
    if known is None or known[0] is not callers:
        found = [
            (caller, given(call, argument, function, bound), hides_arguments(call))
            for caller, call, bound in callers
        ]
        known = resolver.gifts[argument] = (callers, found)
    return known[1]


def hides_arguments(call: ast.Call) -> bool:
    """Whether ``*args`` or ``**kwargs`` may give a parameter that is not visibly given."""
    return any(isinstance(arg, ast.Starred) for arg in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    )


def given(call: ast.Call, argument: ast.arg, function: FunctionNode, bound: int) -> ast.expr | None:
    """The expression a call gives for a parameter, None when it cannot be seen.

    So many of the function's first parameters are bound already.
    """
    for keyword in call.keywords:
        if keyword.arg == argument.arg:
            return keyword.value
    positional = positional_parameters(function)
    if argument not in positional:
        return None
    number = positional.index(argument) - bound
    before = call.args[: number + 1]
    if 0 <= number < len(call.args) and not any(isinstance(a, ast.Starred) for a in before):
        return call.args[number]
    return None


def default(arguments: ast.arguments, argument: ast.arg) -> ast.expr | None:
    """The default of a parameter, if it has one."""
    positional = [*arguments.posonlyargs, *arguments.args]
    if argument in positional:
        number = positional.index(argument) - (len(positional) - len(arguments.defaults))
        return arguments.defaults[number] if number >= 0 else None
    if argument in arguments.kwonlyargs:
        return arguments.kw_defaults[arguments.kwonlyargs.index(argument)]
    return None
