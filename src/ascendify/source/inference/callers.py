"""Who calls a function of the project."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Union, cast

from ascendify.source.inference import names
from ascendify.source.inference.functions import decorated, is_method
from ascendify.source.inference.parameters import MAX_CALLERS
from ascendify.source.module import CallNames, Module
from ascendify.source.scopes import parent
from ascendify.source.values import Class, Function, Value

if TYPE_CHECKING:
    from ascendify.source.inference.resolver import Resolver


_Definition = Union[ast.FunctionDef, ast.AsyncFunctionDef]


def find(resolver: Resolver, function: Function) -> list[tuple[Module, ast.Call, int]]:
    """Calls of a function: module, call, and how many leading parameters are bound."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return []
    known_as = _known_as(node)
    searched: list[tuple[Module, list[ast.Call]]] = []
    found: list[tuple[Module, ast.Call, int]] = []
    for module in _that_may_call(resolver, function, resolver.once(_users, function.module)):
        calls = module.quiet_index.calls_known_as(known_as)
        if calls:
            searched.append((module, calls))
        for number, call in enumerate(calls):
            callers = list(_as_caller(resolver, function, module, call))
            if callers:
                resolver.project.looked_at_caller(module, known_as, number, call)
                found.extend(callers)
            if len(found) >= MAX_CALLERS:
                break
        if len(found) >= MAX_CALLERS:
            break
    resolver.project.looked_at_calls(function.module.path, known_as, searched)
    return found


def _as_caller(
    resolver: Resolver, function: Function, module: Module, call: ast.Call
) -> Iterator[tuple[Module, ast.Call, int]]:
    """The call with how many leading parameters are bound, for each way in which it may be one."""
    node = function.node
    for value in resolver.infer(module, call.func):
        if value == function:
            through_class = not decorated(node, "classmethod") and (
                _through_class(resolver, module, call)
            )
            yield module, call, int(is_method(node) and not through_class)
        elif _makes(resolver, value, function):
            yield module, call, 1


def _makes(resolver: Resolver, value: Value, function: Function) -> bool:
    """Whether calling a value runs a function as its constructor."""
    return (
        isinstance(value, Class)
        and getattr(function.node, "name", "") == "__init__"
        and function in names.class_attribute(resolver, value, "__init__")
    )


def _users(resolver: Resolver, module: Module) -> dict[CallNames, int]:
    """A module and those that may use its definitions, also through a package's ``__init__``.

    Each comes with its place in their order.
    """
    found = map(resolver.project.call_names, resolver.once(_importers, module))
    users = [module.call_names, *(other for other in found if other is not None)]
    resolver.project.searched_for_calls(module.path, users)
    for user in users:
        resolver.calling.add(user)
    return {user: number for number, user in enumerate(users)}


def _that_may_call(
    resolver: Resolver,
    function: Function,
    users: dict[CallNames, int],
) -> Iterator[Module]:
    """Of the users of a module, in their order, those with a name a function may be called by."""
    named = resolver.calling.named
    known_as = _known_as(cast("_Definition", function.node))
    found = {user for name in known_as for user in named.get(name, ()) if user in users}
    own = function.module.call_names
    for user in sorted(found, key=users.__getitem__):
        module = function.module if user is own else resolver.project.module_to_search(user.path)
        if module is not None:
            yield module


class Calling:
    """Files by the names that they call, import under another name, or derive classes from."""

    def __init__(self) -> None:
        self.named: dict[str, list[CallNames]] = {}
        self._files: set[CallNames] = set()

    def add(self, file: CallNames) -> None:
        """Take in a file, once."""
        if file in self._files:
            return
        self._files.add(file)
        for name in file.names:
            self.named.setdefault(name, []).append(file)


def _through_class(resolver: Resolver, module: Module, call: ast.Call) -> bool:
    """Whether a method is called on its class, so that ``self`` is the first argument."""
    func = call.func
    return isinstance(func, ast.Attribute) and any(
        isinstance(value, Class) for value in resolver.infer(module, func.value)
    )


def _importers(resolver: Resolver, module: Module) -> list[str]:
    """The files that import a module, directly or through a package that re-exports it."""
    project = resolver.project
    found = {module.path: None}
    pending = [module.path]
    while pending:
        for importer in project.importer_paths(pending.pop()):
            if importer not in found and project.call_names(importer) is not None:
                found[importer] = None
                if importer.endswith("__init__.py"):
                    pending.append(importer)
    return list(found)[1:]


def _known_as(node: _Definition) -> list[str]:
    """Names of a function in every module that imports it as it is."""
    owner = parent(node)
    if not (isinstance(owner, ast.ClassDef) and node.name == "__init__"):
        return [node.name]
    return [owner.name, "__init__", "cls"]
