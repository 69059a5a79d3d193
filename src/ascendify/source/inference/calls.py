"""The values that a call may return."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Callable, cast

from ascendify.source.inference import names
from ascendify.source.module import Module
from ascendify.source.scopes import Scope, scope_of
from ascendify.source.values import (
    ANYTHING,
    SELF,
    UNKNOWN,
    Class,
    Function,
    Instance,
    Member,
    Object,
    Partial,
    Ref,
    Value,
    Values,
)

if TYPE_CHECKING:
    from ascendify.source.inference.resolver import Resolver


def call(resolver: Resolver, module: Module, node: ast.Call) -> Values:
    """The values that a call may return."""
    found: list[Value] = []
    for value in resolver.infer(module, node.func):
        found.extend(_called(resolver, module, node, value))
    return tuple(found)


def _called(resolver: Resolver, module: Module, node: ast.Call, value: Value) -> Values:
    if isinstance(value, (Ref, Member)):
        return _called_outside(resolver, module, node, value.name)
    if isinstance(value, Function):
        return names.returned(resolver, value)
    if isinstance(value, Class):
        return (Object(value),)
    if isinstance(value, Partial):
        return _called(resolver, module, node, value.target)
    if isinstance(value, Object):
        for member in names.class_attribute(resolver, value.cls, "__call__"):
            if isinstance(member, Function):
                return names.returned(resolver, member)
        for base in resolver.external_bases(value.cls):
            kind = resolver.knowledge.returns(f"{base}.__call__")
            if kind:
                return (Instance(kind),)
    if isinstance(value, Instance):
        kind = resolver.knowledge.returns(resolver.knowledge.member(f"{value.kind}.__call__"))
        if kind:
            return (Instance(kind),)
    return ANYTHING


def _called_outside(resolver: Resolver, module: Module, node: ast.Call, name: str) -> Values:
    """The value that a call of something outside the project returns."""
    special = _SPECIAL.get(name)
    if special is not None:
        return special(resolver, module, node)
    kind = resolver.knowledge.returns(name, module.path)
    if kind == SELF:
        return _receiver(resolver, module, node, name)
    return (Instance(kind),) if kind else ANYTHING


def _receiver(resolver: Resolver, module: Module, node: ast.Call, method: str) -> Values:
    """The object of a method that returns it: ``Net()`` of ``Net().cuda()``."""
    declared = Instance(method.rpartition(".")[0])
    if not isinstance(node.func, ast.Attribute):
        return (declared,)
    found = [
        value
        for value in resolver.infer(module, node.func.value)
        if value is UNKNOWN or isinstance(value, (Instance, Object))
    ]
    return tuple(found) or (declared,)


def _super(resolver: Resolver, module: Module, node: ast.Call) -> Values:
    scope: Scope | None = scope_of(node)
    while scope is not None and scope.kind != "class":
        scope = scope.parent
    if scope is None:
        return ANYTHING
    found: list[Value] = []
    for base in cast(ast.ClassDef, scope.node).bases:
        for value in resolver.infer(module, base):
            if isinstance(value, Class):
                found.append(Object(value))
            elif isinstance(value, Ref):
                found.append(Instance(value.name))
    return tuple(found) or ANYTHING


def _getattr(resolver: Resolver, module: Module, node: ast.Call) -> Values:
    if len(node.args) >= 2 and isinstance(node.args[1], ast.Constant):
        attr = node.args[1].value
        if isinstance(attr, str):
            found = names.attribute_of(resolver, resolver.infer(module, node.args[0]), attr)
            return (*found, *(v for arg in node.args[2:3] for v in resolver.infer(module, arg)))
    return ANYTHING


def _partial(resolver: Resolver, module: Module, node: ast.Call) -> Values:
    if not node.args:
        return ANYTHING
    values = resolver.infer(module, node.args[0])
    if len(node.args) == 1 and not node.keywords:
        return values
    callables = (Ref, Member, Function, Class)
    return tuple(Partial(item) if isinstance(item, callables) else item for item in values)


def _next(resolver: Resolver, module: Module, node: ast.Call) -> Values:
    if not node.args:
        return ANYTHING
    values = resolver.infer(module, node.args[0])
    default = (value for item in node.args[1:] for value in resolver.infer(module, item))
    return (*(names.part(resolver, value, None) for value in values), *default)


def _rearranged(resolver: Resolver, module: Module, node: ast.Call) -> Values:
    """The items of ``enumerate``, ``zip`` and ``list`` over iterables whose items are known."""
    name = node.func.id if isinstance(node.func, ast.Name) else "list"
    kinds = [_kind_of_items(resolver, module, item) for item in node.args]
    if not kinds or not any(kinds):
        return ANYTHING
    held = ",".join(kind or "?" for kind in kinds)
    if name == "enumerate":
        return (Instance(f"iterator[tuple[int,{kinds[0]}]]"),)
    return (Instance(f"iterator[tuple[{held}]]" if name == "zip" else f"list[{held}]"),)


def _kind_of_items(resolver: Resolver, module: Module, node: ast.expr) -> str | None:
    values = resolver.infer(module, node)
    parts = {names.part(resolver, value, None) for value in values}
    only = parts.pop() if len(parts) == 1 else UNKNOWN
    return only.kind if isinstance(only, Instance) else None


_SPECIAL: dict[str, Callable[[Resolver, Module, ast.Call], Values]] = {
    "builtins.super": _super,
    "builtins.getattr": _getattr,
    "builtins.next": _next,
    "builtins.enumerate": _rearranged,
    "builtins.list": _rearranged,
    "builtins.zip": _rearranged,
    "functools.partial": _partial,
}
