"""The values of an expression, by the kind of its node."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Union

from ascendify.source.inference import calls, names
from ascendify.source.module import Module
from ascendify.source.scopes import scope_of
from ascendify.source.values import (
    ANYTHING,
    UNKNOWN,
    Const,
    Function,
    Instance,
    Sequence,
    Value,
    Values,
)

if TYPE_CHECKING:
    from ascendify.source.inference.resolver import Resolver


def _name(resolver: Resolver, module: Module, node: ast.Name) -> Values:
    use_scope = scope_of(node)
    return names.lookup(resolver, module, node.id, use_scope, node)


def _attribute(resolver: Resolver, module: Module, node: ast.Attribute) -> Values:
    return names.attribute_of(resolver, resolver.infer(module, node.value), node.attr)


def _constant(resolver: Resolver, module: Module, node: ast.Constant) -> Values:
    return (Const(node.value),)


def _sequence(resolver: Resolver, module: Module, node: Union[ast.Tuple, ast.List]) -> Values:
    items = tuple(resolver.infer(module, item) for item in node.elts)
    return (Sequence(items, fixed=isinstance(node, ast.Tuple)),)


def _subscript(resolver: Resolver, module: Module, node: ast.Subscript) -> Values:
    index = node.slice
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
        index = index.operand
        sign = -1
    else:
        sign = 1
    values = resolver.infer(module, node.value)
    if isinstance(index, ast.Slice):
        return tuple(_slice(resolver, value) for value in values)
    if isinstance(index, ast.Constant) and isinstance(index.value, int):
        number = sign * index.value
        found: list[Value] = []
        for value in values:
            if isinstance(value, Sequence) and -len(value.items) <= number < len(value.items):
                found.extend(value.items[number])
            else:
                found.append(_item(resolver, value, number))
        return tuple(found)
    return tuple(_item(resolver, value) for value in values)


def _slice(resolver: Resolver, value: Value) -> Value:
    holds = isinstance(value, Instance) and value.kind.endswith("]")
    return value if holds else _item(resolver, value)


def _item(resolver: Resolver, value: Value, place: int | None = None) -> Value:
    if isinstance(value, Instance):
        kind = resolver.knowledge.item(value.kind, place)
        if kind:
            return Instance(kind)
        kind = resolver.knowledge.returns(resolver.knowledge.member(f"{value.kind}.__getitem__"))
        if kind:
            return Instance(kind)
    return UNKNOWN


def _conditional(resolver: Resolver, module: Module, node: ast.IfExp) -> Values:
    return (*resolver.infer(module, node.body), *resolver.infer(module, node.orelse))


def _boolean(resolver: Resolver, module: Module, node: ast.BoolOp) -> Values:
    return tuple(value for item in node.values for value in resolver.infer(module, item))


def _binary(resolver: Resolver, module: Module, node: ast.BinOp) -> Values:
    left, right = resolver.infer(module, node.left), resolver.infer(module, node.right)
    found: list[Value] = []
    for value in (*left, *right):
        if isinstance(value, Instance):
            kind = resolver.knowledge.returns(resolver.knowledge.member(f"{value.kind}.__add__"))
            if kind:
                found.append(Instance(kind))
    return tuple(found[:1]) or ANYTHING


def _unary(resolver: Resolver, module: Module, node: ast.UnaryOp) -> Values:
    if isinstance(node.op, ast.Not):
        return ANYTHING
    return _operated(resolver, resolver.infer(module, node.operand), "__neg__")


def _compare(resolver: Resolver, module: Module, node: ast.Compare) -> Values:
    if len(node.ops) > 1 or isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        return ANYTHING
    return _operated(resolver, resolver.infer(module, node.left), "__gt__")


def _operated(resolver: Resolver, values: Values, operator: str) -> Values:
    """The result of an operator, if the class of its operands says so."""
    found: list[Value] = []
    for value in values:
        kind = None
        if isinstance(value, Instance):
            member = resolver.knowledge.member(f"{value.kind}.{operator}")
            kind = resolver.knowledge.returns(member)
        found.append(Instance(kind) if kind else UNKNOWN)
    return tuple(found) or ANYTHING


def _walrus(resolver: Resolver, module: Module, node: ast.NamedExpr) -> Values:
    return resolver.infer(module, node.value)


def _lambda(resolver: Resolver, module: Module, node: ast.Lambda) -> Values:
    return (Function(module, node),)


HANDLERS: dict[type, Any] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: calls.call,
    ast.Constant: _constant,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Subscript: _subscript,
    ast.IfExp: _conditional,
    ast.BoolOp: _boolean,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.NamedExpr: _walrus,
    ast.Lambda: _lambda,
}
"""Of other nodes nothing is known."""
