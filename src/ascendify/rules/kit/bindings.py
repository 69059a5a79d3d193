"""Assignments to a variable, to an attribute of an object, or to a name of another file."""

from __future__ import annotations

import ast

from ascendify.rules.site import File
from ascendify.source.flow import backward
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.scopes import Binding, Scope, scope_of
from ascendify.source.values import Object, Package


def bindings(resolver: Resolver, module: Module, node: ast.expr) -> list[tuple[Module, Binding]]:
    """The assignments that give a variable its value, in its function, class or file."""
    if isinstance(node, ast.Name):
        return [(module, binding) for binding in backward.definitions(node)]
    if not isinstance(node, ast.Attribute):
        return []
    found: list[tuple[Module, Binding]] = []
    for value in resolver.infer(module, node.value):
        if isinstance(value, Object):
            owner: Module | None = value.cls.module
            owned = scope_of(value.cls.node).attributes
        elif isinstance(value, Package) and value.path is not None:
            owner = resolver.project.module(value.path)
            owned = {} if owner is None else owner.index.module.bindings
        else:
            continue
        if owner is not None:
            found.extend((owner, binding) for binding in owned.get(node.attr, ()))
    return found


def running_scope(node: ast.AST) -> Scope:
    """The function whose run evaluates a node, or the module: not a class, not a comprehension."""
    scope = scope_of(node)
    while scope.kind in ("class", "comprehension") and scope.parent is not None:
        scope = scope.parent
    return scope


def values(file: File, node: ast.expr) -> list[ast.expr]:
    """The values that the file assigns to a variable or attribute; empty if some are unknown."""
    given = [
        backward.assigned(binding) if module is file.module else None
        for module, binding in bindings(file.resolver, file.module, node)
    ]
    known = [value for value in given if value is not None]
    return known if len(known) == len(given) else []
