"""What a name or an attribute is: bound in a scope, a module, a class or a package."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, cast

from ascendify.source.flow.reaching import reaching
from ascendify.source.inference.functions import decorated, is_abstract
from ascendify.source.inference.parameters import parameter
from ascendify.source.module import Module
from ascendify.source.scopes import Binding, FunctionNode, Scope, scope_of
from ascendify.source.values import (
    ANYTHING,
    NOTHING,
    UNKNOWN,
    Class,
    Const,
    Function,
    Instance,
    Member,
    Object,
    Package,
    Ref,
    Sequence,
    Value,
    Values,
    is_none,
)

if TYPE_CHECKING:
    from ascendify.source.inference.resolver import Resolver

BUILTINS = frozenset(dir(builtins))
_PROPERTIES = ("property", "cached_property", "abstractproperty")
_LONGEST_NAME = 300
_MOST_ANCESTORS = 100
"""Far more than people derive classes from each other."""
_ACCESSORS = ("setter", "deleter")


def lookup(
    resolver: Resolver, module: Module, name: str, use_scope: Scope, use: ast.AST | None = None
) -> Values:
    """The values a name may have, in a scope or at one place where it is used."""
    scope = use_scope.find(name)
    if scope is None:
        return _starred(resolver, module, name)
    known = scope.bindings[name]
    bindings = known
    if len(known) > 1:
        if use is None:
            bindings = scope.bounded(known)
        elif (seen := scope.seen.get(use)) is not None:
            bindings = seen
        else:
            bindings = scope.seen[use] = reaching(use, known, scope, use_scope)
    values: list[Value] = []
    for binding in bindings:
        values.extend(_bound(resolver, module, binding, scope))
    return tuple(values)


def _starred(resolver: Resolver, module: Module, name: str) -> Values:
    """A name that a star import may have brought, or Python itself."""
    exported = not name.startswith("_")
    for origin in reversed(module.quiet_index.stars) if exported else ():
        for value in imported(resolver, module, origin):
            if isinstance(value, Package):
                found = _package_attribute(resolver, value, name, submodules=False)
                if found:
                    return found
            elif isinstance(value, Ref):
                dotted = resolver.knowledge.canonical(f"{value.name}.{name}")
                if resolver.knowledge.known(dotted):
                    return (Ref(dotted),)
    if name in BUILTINS:
        return (Ref(f"builtins.{name}"),)
    return ANYTHING


def _bound(resolver: Resolver, module: Module, binding: Binding, scope: Scope) -> Values:
    kind = binding.kind
    if kind == "import":
        return _bound_by_import(resolver, module, binding)
    if kind == "assign":
        given = resolver.infer(module, cast(ast.expr, binding.value))
        return _unpack(resolver, given, binding.path)
    if kind == "def":
        return (Function(module, cast(FunctionNode, binding.node)),)
    if kind == "class":
        return (Class(module, cast(ast.ClassDef, binding.node)),)
    if kind == "param":
        return parameter(resolver, module, cast(ast.arg, binding.node), scope)
    if kind == "with":
        context = resolver.infer(module, cast(ast.expr, binding.value))
        return _unpack(resolver, _entered(resolver, context), binding.path)
    if kind == "iter":
        items = _iterated(resolver, module, cast(ast.expr, binding.value))
        return _unpack(resolver, items, binding.path)
    return ANYTHING


def _bound_by_import(resolver: Resolver, module: Module, binding: Binding) -> Values:
    """The value that an import statement binds to a name."""
    node = binding.node
    if isinstance(node, ast.ImportFrom):
        # a name that the package binds comes before its module of the same name
        located = resolver.project.locate(module.path, "." * node.level + (node.module or ""))
        if located is not None and located[0] not in (None, module.path) and not located[2]:
            package = Package(located[0], located[1])
            name = binding.origin.rpartition(".")[2]
            found = _package_attribute(resolver, package, name)
            if found:
                return found
    return imported(resolver, module, binding.origin)


def imported(resolver: Resolver, module: Module, origin: str) -> Values:
    """The value that an import of a dotted origin (leading dots when relative) has in a file."""
    located = resolver.project.locate(module.path, origin)
    if located is None and origin.startswith("."):
        # a module of the project that is not there: generated, or left out
        return ANYTHING
    if located is None:
        return (Ref(resolver.knowledge.canonical(origin, module.path)),)
    path, folder, rest = located
    values: Values = (Package(path, folder),)
    for attr in rest:
        values = attribute_of(resolver, values, attr)
    return values


def _unpack(resolver: Resolver, values: Values, path: tuple[int, ...]) -> Values:
    """The value at a position of a nested assignment: ``(1, 0)`` is b of ``a, (b, c) = ...``."""
    for number in path:
        items: list[Value] = []
        for value in values:
            if isinstance(value, Sequence) and number < len(value.items):
                items.extend(value.items[number])
            else:
                items.append(part(resolver, value, number))
        values = tuple(items)
    return values


def part(resolver: Resolver, value: Value, place: int | None) -> Value:
    """One item of a container that is no display."""
    kind = resolver.knowledge.item(value.kind, place) if isinstance(value, Instance) else None
    return Instance(kind) if kind else UNKNOWN


def _entered(resolver: Resolver, values: Values) -> Values:
    """The value that ``with`` binds for a context."""
    found: list[Value] = []
    for value in values:
        if isinstance(value, Instance):
            kind = resolver.knowledge.enters(value.kind)
            found.append(Instance(kind) if kind else UNKNOWN)
        elif isinstance(value, Object):
            enter = class_attribute(resolver, value.cls, "__enter__")
            results = [r for v in enter if isinstance(v, Function) for r in returned(resolver, v)]
            found.extend(results or [UNKNOWN])
        else:
            found.append(UNKNOWN)
    return tuple(found)


def _iterated(resolver: Resolver, module: Module, node: ast.expr) -> Values:
    """The items of an expression that a loop iterates over."""
    found: list[Value] = []
    for value in resolver.infer(module, node):
        if isinstance(value, Sequence):
            found.extend(item for items in value.items for item in items)
            if not (value.fixed or isinstance(node, ast.List)):
                found.append(UNKNOWN)
        else:
            found.append(part(resolver, value, None))
    return tuple(found)


def attribute_of(resolver: Resolver, values: Values, attr: str) -> Values:
    """An attribute of any of these values."""
    found: list[Value] = []
    for value in values:
        if isinstance(value, Ref):
            # no name is that long: a generated chain, whose every link would make a longer text
            named = len(value.name) < _LONGEST_NAME
            name = resolver.knowledge.canonical(f"{value.name}.{attr}") if named else ""
            found.append(Ref(name) if named else UNKNOWN)
        elif isinstance(value, Instance):
            found.append(_instance_attribute(resolver, value.kind, attr))
        elif isinstance(value, Package):
            found.extend(_package_attribute(resolver, value, attr) or ANYTHING)
        elif isinstance(value, Class):
            own = class_attribute(resolver, value, attr)
            found.extend(own or _inherited(resolver, value, attr))
        elif isinstance(value, Object):
            found.extend(_object_attribute(resolver, value, attr))
        elif not is_none(value):
            found.append(UNKNOWN)
    return tuple(found)


def _instance_attribute(resolver: Resolver, kind: str, attr: str) -> Value:
    name = resolver.knowledge.member(f"{kind}.{attr}")
    data = resolver.knowledge.attribute(name)
    return Instance(data) if data else Member(name)


def _package_attribute(
    resolver: Resolver, package: Package, attr: str, submodules: bool = True
) -> Values:
    module = None if package.path is None else resolver.project.defining(package.path, attr)
    if module is not None:
        found = resolver.of_module(_module_attribute, module, attr)
        if found:
            return found
    if submodules:
        located = resolver.project.inside(package.folder, attr)
        if located is not None:
            return (Package(*located),)
    return NOTHING


def _module_attribute(resolver: Resolver, module: Module, attr: str) -> Values:
    """The value of a module's name, bound there or by a star import."""
    if attr in module.quiet_index.module.bindings:
        return lookup(resolver, module, attr, module.quiet_index.module)
    starred = _starred(resolver, module, attr) if module.quiet_index.stars else ANYTHING
    if any(value is UNKNOWN or _is_builtin(value) for value in starred):
        return NOTHING
    return starred


def lineage(resolver: Resolver, cls: Class) -> list[Class]:
    """The class and its ancestors inside the project, nearest first; of very many, the nearest."""
    found: dict[ast.AST, Class] = {}
    pending = [cls]
    while pending and len(found) < _MOST_ANCESTORS:
        current = pending.pop()
        if current.node in found:
            continue
        found[current.node] = current
        bases = [
            value
            for base in current.node.bases
            for value in resolver.infer(current.module, base)
            if isinstance(value, Class)
        ]
        pending.extend(reversed(bases))
    return list(found.values())


def class_attribute(resolver: Resolver, cls: Class, attr: str) -> Values:
    """The value of a name in a class, or in the nearest base class of the project that binds it."""
    for ancestor in lineage(resolver, cls):
        scope = scope_of(ancestor.node)
        if attr in scope.bindings:
            return lookup(resolver, ancestor.module, attr, scope)
    return NOTHING


def _inherited(resolver: Resolver, cls: Class, attr: str) -> Values:
    bases = resolver.external_bases(cls)
    if not bases:
        return ANYTHING
    return (Ref(resolver.knowledge.canonical(f"{bases[0]}.{attr}")),)


def _object_attribute(resolver: Resolver, value: Object, attr: str) -> Values:
    found: list[Value] = []
    for ancestor in lineage(resolver, value.cls):
        scope = scope_of(ancestor.node)
        for binding in scope.bounded(scope.attributes.get(attr, [])):
            found.extend(_bound(resolver, ancestor.module, binding, scope))
    for member in class_attribute(resolver, value.cls, attr):
        if isinstance(member, Function) and decorated(member.node, *_PROPERTIES):
            found.extend(returned(resolver, member))
        elif not (isinstance(member, Function) and decorated(member.node, *_ACCESSORS)):
            found.append(member)
    if found and all(isinstance(item, Const) for item in found):
        # anybody may set it from outside: ``model.config = ...``
        found.append(UNKNOWN)
    if found:
        return tuple(found)
    bases = [base for base in resolver.external_bases(value.cls) if base != "builtins.object"]
    if not bases:
        return ANYTHING
    member_of = resolver.knowledge.member
    declared = (base for base in bases if resolver.knowledge.known(member_of(f"{base}.{attr}")))
    return (_instance_attribute(resolver, next(declared, bases[0]), attr),)


def returned(resolver: Resolver, function: Function) -> Values:
    """The values that a function of the project may return."""
    scope = scope_of(function.node)
    if scope.generator or isinstance(function.node, ast.AsyncFunctionDef):
        return ANYTHING
    if not scope.returns:
        return ANYTHING if is_abstract(function.node) else (Const(None),)
    found: list[Value] = []
    for expression in scope.returns:
        found.extend(resolver.infer(function.module, expression))
    return tuple(found)


def _is_builtin(value: Value) -> bool:
    return isinstance(value, Ref) and value.name.startswith("builtins.")
