"""Who calls a function of the project."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Union

from ascendify.source.inference import names
from ascendify.source.inference.functions import decorated, is_method
from ascendify.source.inference.parameters import MAX_CALLERS
from ascendify.source.module import Module
from ascendify.source.scopes import parent
from ascendify.source.values import Class, Function, Value

if TYPE_CHECKING:
    from ascendify.source.inference.resolver import Resolver


def find(resolver: Resolver, function: Function) -> list[tuple[Module, ast.Call, int]]:
    """Calls of a function: module, call, and how many leading parameters are bound."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return []
    found: list[tuple[Module, ast.Call, int]] = []
    for module in _users(resolver, function.module):
        calls = _calls_named(module, _called_as(node, module))
        resolver.project.searched_for_calls(module, bool(calls))
        for call in calls:
            if len(found) >= MAX_CALLERS:
                return found
            for value in resolver.infer(module, call.func):
                if value == function:
                    through_class = not decorated(node, "classmethod") and (
                        _through_class(resolver, module, call)
                    )
                    found.append((module, call, int(is_method(node) and not through_class)))
                elif _makes(resolver, value, function):
                    found.append((module, call, 1))
    return found


def _makes(resolver: Resolver, value: Value, function: Function) -> bool:
    """Whether calling a value runs a function as its constructor."""
    return (
        isinstance(value, Class)
        and getattr(function.node, "name", "") == "__init__"
        and function in names.class_attribute(resolver, value, "__init__")
    )


def _users(resolver: Resolver, module: Module) -> list[Module]:
    """A module and those that may use what it defines, also through a package's own file."""
    found = map(resolver.project.module_to_search, resolver.once(_importers, module))
    return [module, *(other for other in found if other is not None)]


def _through_class(resolver: Resolver, module: Module, call: ast.Call) -> bool:
    """Whether a method is called on its class, so that ``self`` is the first argument."""
    func = call.func
    return isinstance(func, ast.Attribute) and any(
        isinstance(value, Class) for value in resolver.infer(module, func.value)
    )


def _importers(resolver: Resolver, module: Module) -> list[str]:
    """The files that import a module, and those that import a package which passes it on."""
    project = resolver.project
    found = {module.path: None}
    pending = [module.path]
    while pending:
        for importer in project.importer_paths(pending.pop()):
            if importer not in found and project.module_to_search(importer) is not None:
                found[importer] = None
                if importer.endswith("__init__.py"):
                    pending.append(importer)
    return list(found)[1:]


def _called_as(node: Union[ast.FunctionDef, ast.AsyncFunctionDef], module: Module) -> list[str]:
    """Names under which a module may call a function: its own, or those of its class."""
    owner = parent(node)
    if not (isinstance(owner, ast.ClassDef) and node.name == "__init__"):
        return [node.name]
    return [owner.name, "__init__", "cls", *module.index.heirs.get(owner.name, ())]


def _calls_named(module: Module, wanted: list[str]) -> list[ast.Call]:
    """Calls in a module of something with one of these names, or imported from it as another."""
    calls, renamed = module.index.calls_by_name, module.index.renamed
    spelled = dict.fromkeys(wanted)
    for name in wanted:
        if name in renamed:
            spelled.update(dict.fromkeys(renamed[name]))
    return [call for name in spelled if name in calls for call in calls[name]]
