"""What an expression *is*: names followed through assignments, attributes, calls and files.

Inference is on demand and memoised: nothing is computed for expressions no rule asks about. An
answer is a tuple of possible values; :data:`UNKNOWN` among them means "or something else".
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, Union, cast

from ascendify.source.flow import reaching
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.scopes import Binding, FunctionNode, Scope, parent, scope_of

_Answer = TypeVar("_Answer")
_MAX_DEPTH = 100
_MAX_STEPS = 2000
_MAX_CALLERS = 40
_NEVER = 1 << 30
"""Deeper than anything."""
_BUILTINS = frozenset(dir(builtins))
_PROPERTIES = ("property", "cached_property", "abstractproperty")
_ACCESSORS = ("setter", "deleter")
_CLASS_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")


SELF = "Self"
"""The result of a method that gives what it was called on."""


class Knowledge(Protocol):
    """What somebody who knows the frameworks tells about dotted names."""

    def canonical(self, name: str) -> str:
        """One spelling for every way to write the same name."""

    def returns(self, name: str) -> str | None:
        """The class of what calling ``name`` gives, :data:`SELF` when it is the receiver."""

    def attribute(self, name: str) -> str | None:
        """The class of the data attribute ``class.attribute``."""

    def item(self, kind: str, place: int | None) -> str | None:
        """The class of the item at a place of a container, of any item when it is None."""

    def enters(self, name: str) -> str | None:
        """The class of what ``with`` an instance of this class gives."""

    def member(self, name: str) -> str:
        """The name under which the base class that defines ``class.method`` declares it."""

    def known(self, name: str) -> bool:
        """Whether such a name exists."""


@dataclass(frozen=True)
class Ref:
    """Something outside the project, by its canonical dotted name: a module, class or function."""

    name: str


@dataclass(frozen=True)
class Instance:
    """An instance of a class outside the project."""

    kind: str


@dataclass(frozen=True)
class Member:
    """A bound method (or unknown attribute) of an instance of a class outside the project."""

    name: str


@dataclass(frozen=True)
class Function:
    """A function of the project."""

    module: Module
    node: FunctionNode


@dataclass(frozen=True)
class Class:
    """A class of the project."""

    module: Module
    node: ast.ClassDef


@dataclass(frozen=True)
class Object:
    """An instance of a class of the project."""

    cls: Class


@dataclass(frozen=True)
class Package:
    """A module or package of the project; ``path`` is None for a folder without ``__init__``."""

    path: str | None
    folder: str


@dataclass(frozen=True)
class Const:
    """A literal."""

    value: object


@dataclass(frozen=True)
class Sequence:
    """A tuple or list display."""

    items: tuple[tuple[Value, ...], ...]
    fixed: bool = True
    """False for a list, which may have got more items since."""


@dataclass(frozen=True)
class Partial:
    """A callable that ``functools.partial`` gave arguments which a call of it does not show."""

    target: Value


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
Value = Union[
    Ref, Instance, Member, Function, Class, Object, Package, Const, Sequence, Partial, _Unknown
]
Values = tuple[Value, ...]
_NOTHING: Values = ()
_ANYTHING: Values = (UNKNOWN,)


class Resolver:
    """Answers what names and expressions of a project are."""

    def __init__(self, project: Project, knowledge: Knowledge) -> None:
        self.project = project
        self.knowledge = knowledge
        self._memo: dict[ast.AST, Values] = {}
        self._spelled: dict[ast.AST, str | None] = {}
        self._answers: dict[tuple[object, Module], Any] = {}
        self._passed_on: dict[tuple[str, str], bool] = {}
        self._known_callers: dict[ast.AST, list[tuple[Module, ast.Call, int]]] = {}
        self._referring: dict[str, list[ast.AST]] = {}
        """Memoised nodes whose values stand in another file, by the path of that file."""
        self._active: dict[ast.AST, int] = {}
        """Expressions being looked at, with the depth each stands at."""
        self._wanted: dict[tuple[str, str], int] = {}
        """The same for names of modules."""
        self._answered: dict[tuple[str, str], Values] = {}
        self._cut = _NEVER
        """The depth of the outermost expression that something leads back to.

        What lies deeper than that is half an answer; from that depth outwards it is a whole one.
        """
        self._depth = 0
        self._steps = 0

    # questions rules ask

    def infer(self, module: Module, node: ast.expr) -> Values:
        """What the expression may be."""
        if self._depth == 0:
            self._steps = 0
        return self._infer(module, node)

    def names(self, module: Module, node: ast.expr) -> tuple[tuple[str, ...], bool]:
        """Dotted names the expression may refer to, and whether that is all it may be."""
        spelled = self.spelled(module, node)
        if spelled is not None:
            return (spelled,), True
        values = self.infer(module, node)
        names: list[str] = []
        certain = True
        for item in values:
            value = item
            if isinstance(item, Partial):
                value, certain = item.target, False
            if isinstance(value, (Ref, Member)):
                if value.name not in names:
                    names.append(value.name)
            elif not _is_none(value):
                certain = False
        return tuple(names), certain

    def once(self, compute: Callable[[Resolver, Module], _Answer], module: Module) -> _Answer:
        """What a function says about a module, computed once however many ask."""
        key = (compute, module)
        if key not in self._answers:
            self._answers[key] = compute(self, module)
        return cast("_Answer", self._answers[key])

    def spelled(self, module: Module, node: ast.expr) -> str | None:
        """The name of a chain that starts at an import from outside the project.

        Most names are such chains, and reading one off is many times faster than inference.
        """
        known = self._spelled.get(node, "")
        if known == "":
            known = self._spelled[node] = self._read_off(module, node)
        return known

    def _read_off(self, module: Module, node: ast.expr) -> str | None:
        attributes: list[str] = []
        root: Any = node
        while root.__class__ is ast.Attribute:
            attributes.append(root.attr)
            root = root.value
        if root.__class__ is not ast.Name:
            return None
        scope = scope_of(root).find(root.id)
        if scope is None:
            known = not attributes and root.id in _BUILTINS and not module.index.stars
            return f"builtins.{root.id}" if known else None
        bindings = scope.bindings[root.id]
        if len(bindings) != 1 or bindings[0].kind != "import":
            return None
        origin = bindings[0].origin
        if origin.startswith(".") or self.project.locate(module.path, origin) is not None:
            return None
        return self.knowledge.canonical(".".join([origin, *reversed(attributes)]))

    def leads_outside(self, module: Module, node: ast.expr) -> bool:
        """Whether a chain that starts at an import may name something outside the project.

        What a file of the project defines itself cannot; only what it imports or gives another
        name is worth following. A cheap question that spares most inference.
        """
        names: list[str] = []
        root: Any = node
        while root.__class__ is ast.Attribute:
            names.append(root.attr)
            root = root.value
        if root.__class__ is not ast.Name:
            return True
        scope = scope_of(root).find(root.id)
        bindings = [] if scope is None else scope.bindings[root.id]
        if len(bindings) != 1 or bindings[0].kind != "import":
            return True
        located = self.project.locate(module.path, bindings[0].origin)
        if located is None:
            return True
        path, folder, rest = located
        return self._passes_on(path, folder, [*rest, *reversed(names)])

    def _passes_on(self, path: str | None, folder: str, names: list[str]) -> bool:
        """Whether a module of the project has the first of the names from somewhere else."""
        if not names or (path is not None and path not in self.project.relevant):
            return False
        key = (path or folder, names[0])
        if key not in self._passed_on:
            module = None if path is None else self.project.module(path)
            bindings = [] if module is None else module.index.module.bindings.get(names[0], [])
            inner = None if bindings else self.project.inside(folder, names[0])
            if inner is not None:
                return self._passes_on(*inner, names[1:])
            self._passed_on[key] = (
                any(item.kind == "import" or _is_alias(item.value) for item in bindings)
                if bindings
                else module is None or bool(module.index.stars)
            )
        return self._passed_on[key]

    def kinds(self, module: Module, node: ast.expr) -> tuple[tuple[str, ...], bool]:
        """Classes the expression may be an instance of, and whether that is all it may be."""
        kinds: list[str] = []
        certain = True
        for value in self.infer(module, node):
            found: tuple[str, ...] = (value.kind,) if isinstance(value, Instance) else ()
            if isinstance(value, Object):
                found = self.external_bases(value.cls)[:1]
            if found:
                kinds.extend(kind for kind in found if kind not in kinds)
            elif not _is_none(value):
                certain = False
        return tuple(kinds), certain and bool(kinds)

    def literal(self, module: Module, node: ast.expr) -> tuple[object, ...] | None:
        """The literal values the expression may have, None when it may be something else."""
        values = self.infer(module, node)
        if not values or not all(isinstance(value, Const) for value in values):
            return None
        return tuple(cast(Const, value).value for value in values)

    def imported(self, module: Module, origin: str) -> Values:
        """What an import of a dotted origin (leading dots when relative) brings into a file."""
        value = self._origin(module, origin)
        return value if isinstance(value, tuple) else (value,)

    def defines(self, cls: Class, attr: str) -> bool:
        """Whether a class of the project, or one it derives from there, has such an attribute."""
        return bool(self._class_attribute(cls, attr)) or any(
            attr in scope_of(ancestor.node).attributes for ancestor in self._lineage(cls)
        )

    def external_bases(self, cls: Class) -> tuple[str, ...]:
        """Classes outside the project a class derives from, nearest first."""
        found: list[str] = []
        for ancestor in self._lineage(cls):
            for base in ancestor.node.bases:
                for value in self.infer(ancestor.module, base):
                    if isinstance(value, Ref) and value.name not in found:
                        found.append(value.name)
        return tuple(found)

    def callers(self, function: Function) -> list[tuple[Module, ast.Call, int]]:
        """Calls of a project function: module, call, and how many leading parameters are bound."""
        known = self._known_callers.get(function.node)
        if known is None:
            outer_cut, self._cut = self._cut, _NEVER
            known = self._find_callers(function)
            if self._cut > self._depth or self._depth == 0:
                self._known_callers[function.node] = known
                self._cut = _NEVER
            self._cut = min(self._cut, outer_cut)
        return known

    def _find_callers(self, function: Function) -> list[tuple[Module, ast.Call, int]]:
        node = function.node
        if isinstance(node, ast.Lambda):
            return []
        owner = parent(node)
        is_method = isinstance(owner, ast.ClassDef) and not _decorated(node, "staticmethod")
        found: list[tuple[Module, ast.Call, int]] = []
        for module in self._users(function.module):
            for call in _calls_named(module, _called_as(node, module)):
                if len(found) >= _MAX_CALLERS:
                    return found
                for value in self.infer(module, call.func):
                    if value == function:
                        through_class = not _decorated(node, "classmethod") and (
                            self._through_class(module, call)
                        )
                        found.append((module, call, int(is_method and not through_class)))
                    elif self._makes(value, function):
                        found.append((module, call, 1))
        return found

    def _makes(self, value: Value, function: Function) -> bool:
        """Whether calling a value runs a function as its constructor."""
        return (
            isinstance(value, Class)
            and getattr(function.node, "name", "") == "__init__"
            and function in self._class_attribute(value, "__init__")
        )

    def _users(self, module: Module) -> list[Module]:
        """A module and those that may use what it defines, also through a package's own file."""
        return [module, *self.once(_importers, module)]

    def forget(self, path: str) -> None:
        """Drop what other files were told about a file whose text has been replaced."""
        for node in self._referring.pop(path, ()):
            self._memo.pop(node, None)
        self._known_callers.clear()
        self._answers.clear()

    # inference

    def _infer(self, module: Module, node: ast.expr) -> Values:
        memo = self._memo.get(node)
        if memo is not None:
            return memo
        if node in self._active:
            self._cut = min(self._cut, self._active[node])
            return _NOTHING
        self._steps += 1
        if self._depth > _MAX_DEPTH or self._steps > _MAX_STEPS:
            self._cut = 0
            return _ANYTHING
        handler = _HANDLERS.get(node.__class__)
        if handler is None:
            return _ANYTHING
        outer_cut, self._cut = self._cut, _NEVER
        self._depth += 1
        depth = self._active[node] = self._depth
        try:
            values = _unique(handler(self, module, node))
        finally:
            self._depth -= 1
            del self._active[node]
        # A result computed while a cycle was cut is right only from where the cycle begins.
        if self._cut >= depth or self._depth == 0:
            self._cut = _NEVER
            self._memo[node] = values
            for value in values:
                owner = value.cls if isinstance(value, Object) else value
                if isinstance(owner, (Function, Class)) and owner.module is not module:
                    self._referring.setdefault(owner.module.path, []).append(node)
        self._cut = min(self._cut, outer_cut)
        return values

    def _name(self, module: Module, node: ast.Name) -> Values:
        use_scope = scope_of(node)
        return self._lookup(module, node.id, use_scope, node)

    def _lookup(
        self, module: Module, name: str, use_scope: Scope, use: ast.AST | None = None
    ) -> Values:
        scope = use_scope.find(name)
        if scope is None:
            return self._starred(module, name)
        bindings = scope.bindings[name]
        if use is not None:
            bindings = reaching(use, bindings, scope, use_scope)
        values: list[Value] = []
        for binding in bindings:
            values.extend(self._bound(module, binding, scope))
        return tuple(values)

    def _starred(self, module: Module, name: str) -> Values:
        exported = not name.startswith("_")
        for origin in reversed(module.index.stars) if exported else ():
            value = self._origin(module, origin)
            if isinstance(value, Package):
                found = self._package_attribute(value, name, submodules=False)
                if found:
                    return found
            elif isinstance(value, Ref):
                dotted = self.knowledge.canonical(f"{value.name}.{name}")
                if self.knowledge.known(dotted):
                    return (Ref(dotted),)
        if name in _BUILTINS:
            return (Ref(f"builtins.{name}"),)
        return _ANYTHING

    def _bound(self, module: Module, binding: Binding, scope: Scope) -> Values:
        kind = binding.kind
        if kind == "import":
            return self._imported(module, binding)
        if kind == "assign":
            return self._unpack(self._infer(module, cast(ast.expr, binding.value)), binding.path)
        if kind == "def":
            return (Function(module, cast(FunctionNode, binding.node)),)
        if kind == "class":
            return (Class(module, cast(ast.ClassDef, binding.node)),)
        if kind == "param":
            return self._parameter(module, cast(ast.arg, binding.node), scope)
        if kind == "with":
            entered = self._entered(module, self._infer(module, cast(ast.expr, binding.value)))
            return self._unpack(entered, binding.path)
        if kind == "iter":
            return self._unpack(self._iterated(module, cast(ast.expr, binding.value)), binding.path)
        return _ANYTHING

    def _imported(self, module: Module, binding: Binding) -> Values:
        """What an import statement binds a name to."""
        node = binding.node
        if isinstance(node, ast.ImportFrom):
            # a name the package itself binds comes before its module of the same name
            located = self.project.locate(module.path, "." * node.level + (node.module or ""))
            if located is not None and located[0] not in (None, module.path) and not located[2]:
                package = Package(located[0], located[1])
                name = binding.origin.rpartition(".")[2]
                found = self._package_attribute(package, name)
                if found:
                    return found
        return self.imported(module, binding.origin)

    def _origin(self, module: Module, origin: str) -> Any:
        """What an import brings: a value, or a tuple of them when it is a name of the project."""
        located = self.project.locate(module.path, origin)
        if located is None and origin.startswith("."):
            # a module of the project that is not there: generated, or left out
            return UNKNOWN
        if located is None:
            return Ref(self.knowledge.canonical(origin))
        path, folder, rest = located
        values: Values = (Package(path, folder),)
        for attr in rest:
            values = self._attribute_of(values, attr)
        return values if rest else values[0]

    def _unpack(self, values: Values, path: tuple[int, ...]) -> Values:
        for number in path:
            items: list[Value] = []
            for value in values:
                if isinstance(value, Sequence) and number < len(value.items):
                    items.extend(value.items[number])
                else:
                    items.append(self._part(value, number))
            values = tuple(items)
        return values

    def _part(self, value: Value, place: int | None) -> Value:
        """One item of a container that is no display."""
        kind = self.knowledge.item(value.kind, place) if isinstance(value, Instance) else None
        return Instance(kind) if kind else UNKNOWN

    def _entered(self, module: Module, values: Values) -> Values:
        found: list[Value] = []
        for value in values:
            if isinstance(value, Instance):
                kind = self.knowledge.enters(value.kind)
                found.append(Instance(kind) if kind else UNKNOWN)
            elif isinstance(value, Object):
                enter = self._class_attribute(value.cls, "__enter__")
                results = [r for v in enter if isinstance(v, Function) for r in self._returned(v)]
                found.extend(results or [UNKNOWN])
            else:
                found.append(UNKNOWN)
        return tuple(found)

    def _iterated(self, module: Module, node: ast.expr) -> Values:
        found: list[Value] = []
        for value in self._infer(module, node):
            if isinstance(value, Sequence):
                found.extend(item for items in value.items for item in items)
                if not (value.fixed or isinstance(node, ast.List)):
                    found.append(UNKNOWN)
            else:
                found.append(self._part(value, None))
        return tuple(found)

    def _parameter(self, module: Module, argument: ast.arg, scope: Scope) -> Values:
        node = cast(FunctionNode, scope.node)
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        owner = parent(node)
        if (
            isinstance(owner, ast.ClassDef)
            and positional
            and positional[0] is argument
            and not _decorated(node, "staticmethod")
        ):
            cls = Class(module, owner)
            return (cls,) if _takes_class(node) else (Object(cls),)
        if argument is arguments.vararg or argument is arguments.kwarg:
            return _ANYTHING
        default = _default(arguments, argument)
        defaults = _NOTHING if default is None else self._infer(module, default)
        values: list[Value] = []
        callers = self.callers(Function(module, node))
        for caller, call, bound in callers:
            given = _argument(call, argument, positional, bound)
            if given is not None:
                values.extend(self._infer(caller, given))
            elif default is None or _hides_arguments(call):
                values.extend(_ANYTHING)
            else:
                values.extend(defaults)
        if not callers:
            values.extend(defaults)
        # that nobody gives it another value here does not make a parameter a constant
        constant = all(isinstance(value, Const) for value in values)
        if constant or not 0 < len(callers) < _MAX_CALLERS:
            values.append(UNKNOWN)
        return tuple(values)

    def _attribute(self, module: Module, node: ast.Attribute) -> Values:
        return self._attribute_of(self._infer(module, node.value), node.attr)

    def _attribute_of(self, values: Values, attr: str) -> Values:
        found: list[Value] = []
        for value in values:
            if isinstance(value, Ref):
                found.append(Ref(self.knowledge.canonical(f"{value.name}.{attr}")))
            elif isinstance(value, Instance):
                found.append(self._instance_attribute(value.kind, attr))
            elif isinstance(value, Package):
                found.extend(self._package_attribute(value, attr) or _ANYTHING)
            elif isinstance(value, Class):
                found.extend(self._class_attribute(value, attr) or self._inherited(value, attr))
            elif isinstance(value, Object):
                found.extend(self._object_attribute(value, attr))
            elif not _is_none(value):
                found.append(UNKNOWN)
        return tuple(found)

    def _instance_attribute(self, kind: str, attr: str) -> Value:
        name = self.knowledge.member(f"{kind}.{attr}")
        data = self.knowledge.attribute(name)
        return Instance(data) if data else Member(name)

    def _package_attribute(self, package: Package, attr: str, submodules: bool = True) -> Values:
        if package.path is not None:
            module = self.project.module(package.path)
            wanted = (package.path, attr)
            if wanted in self._wanted:
                # modules that import a name from each other, or from themselves
                self._cut = min(self._cut, self._wanted[wanted])
                return _ANYTHING
            if module is not None:
                found = self._answered.get(wanted)
                if found is None:
                    found = self._look_up(module, attr, wanted)
                if found:
                    return found
        if submodules:
            located = self.project.inside(package.folder, attr)
            if located is not None:
                return (Package(*located),)
        return _NOTHING

    def _look_up(self, module: Module, attr: str, wanted: tuple[str, str]) -> Values:
        """Ask a module, and remember its answer until the whole question is answered.

        Packages that star-import each other would otherwise be walked along every path there is.
        """
        self._wanted[wanted] = self._depth
        try:
            found = self._answered[wanted] = self._module_attribute(module, attr)
        finally:
            del self._wanted[wanted]
            if not self._wanted:
                self._answered.clear()
        return found

    def _module_attribute(self, module: Module, attr: str) -> Values:
        """What a module binds a name to, by itself or through a star import."""
        if attr in module.index.module.bindings:
            return self._lookup(module, attr, module.index.module)
        starred = self._starred(module, attr) if module.index.stars else _ANYTHING
        if any(value is UNKNOWN or _is_builtin(value) for value in starred):
            return _NOTHING
        return starred

    def _lineage(self, cls: Class, seen: frozenset[ast.AST] = frozenset()) -> list[Class]:
        """The class and its ancestors inside the project, nearest first."""
        if cls.node in seen:
            return []
        found = [cls]
        for base in cls.node.bases:
            for value in self._infer(cls.module, base):
                if isinstance(value, Class):
                    found.extend(self._lineage(value, seen | {cls.node}))
        return found

    def _class_attribute(self, cls: Class, attr: str) -> Values:
        for ancestor in self._lineage(cls):
            scope = scope_of(ancestor.node)
            if attr in scope.bindings:
                return self._lookup(ancestor.module, attr, scope)
        return _NOTHING

    def _inherited(self, cls: Class, attr: str) -> Values:
        bases = self.external_bases(cls)
        if not bases:
            return _ANYTHING
        return (Ref(self.knowledge.canonical(f"{bases[0]}.{attr}")),)

    def _object_attribute(self, value: Object, attr: str) -> Values:
        found: list[Value] = []
        for ancestor in self._lineage(value.cls):
            scope = scope_of(ancestor.node)
            for binding in scope.attributes.get(attr, ()):
                found.extend(self._bound(ancestor.module, binding, scope))
        for member in self._class_attribute(value.cls, attr):
            if isinstance(member, Function) and _decorated(member.node, *_PROPERTIES):
                found.extend(self._returned(member))
            elif not (isinstance(member, Function) and _decorated(member.node, *_ACCESSORS)):
                found.append(member)
        if found and all(isinstance(item, Const) for item in found):
            # anybody may set it from outside: ``model.config = ...``
            found.append(UNKNOWN)
        if found:
            return tuple(found)
        bases = [base for base in self.external_bases(value.cls) if base != "builtins.object"]
        if not bases:
            return _ANYTHING
        member_of = self.knowledge.member
        declared = (base for base in bases if self.knowledge.known(member_of(f"{base}.{attr}")))
        return (self._instance_attribute(next(declared, bases[0]), attr),)

    def _call(self, module: Module, node: ast.Call) -> Values:
        found: list[Value] = []
        for value in self._infer(module, node.func):
            found.extend(self._called(module, node, value))
        return tuple(found)

    def _called(self, module: Module, node: ast.Call, value: Value) -> Values:
        if isinstance(value, (Ref, Member)):
            return self._called_outside(module, node, value.name)
        if isinstance(value, Function):
            return self._returned(value)
        if isinstance(value, Class):
            return (Object(value),)
        if isinstance(value, Partial):
            return self._called(module, node, value.target)
        if isinstance(value, Object):
            for member in self._class_attribute(value.cls, "__call__"):
                if isinstance(member, Function):
                    return self._returned(member)
            for base in self.external_bases(value.cls):
                kind = self.knowledge.returns(f"{base}.__call__")
                if kind:
                    return (Instance(kind),)
        if isinstance(value, Instance):
            kind = self.knowledge.returns(self.knowledge.member(f"{value.kind}.__call__"))
            if kind:
                return (Instance(kind),)
        return _ANYTHING

    def _called_outside(self, module: Module, node: ast.Call, name: str) -> Values:
        """What a call of something outside the project gives."""
        special = _SPECIAL_CALLS.get(name)
        if special is not None:
            return cast(Values, special(self, module, node))
        kind = self.knowledge.returns(name)
        if kind == SELF:
            return self._receiver(module, node, name)
        return (Instance(kind),) if kind else _ANYTHING

    def _receiver(self, module: Module, node: ast.Call, method: str) -> Values:
        """What a method that gives its receiver was called on: ``Net()`` of ``Net().cuda()``."""
        declared = Instance(method.rpartition(".")[0])
        if not isinstance(node.func, ast.Attribute):
            return (declared,)
        found = [
            value
            for value in self._infer(module, node.func.value)
            if value is UNKNOWN or isinstance(value, (Instance, Object))
        ]
        return tuple(found) or (declared,)

    def _returned(self, function: Function) -> Values:
        scope = scope_of(function.node)
        if scope.generator or isinstance(function.node, ast.AsyncFunctionDef):
            return _ANYTHING
        if not scope.returns:
            return _ANYTHING if _is_abstract(function.node) else (Const(None),)
        found: list[Value] = []
        for expression in scope.returns:
            found.extend(self._infer(function.module, expression))
        return tuple(found)

    def _super(self, module: Module, node: ast.Call) -> Values:
        scope: Scope | None = scope_of(node)
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        if scope is None:
            return _ANYTHING
        found: list[Value] = []
        for base in cast(ast.ClassDef, scope.node).bases:
            for value in self._infer(module, base):
                if isinstance(value, Class):
                    found.append(Object(value))
                elif isinstance(value, Ref):
                    found.append(Instance(value.name))
        return tuple(found) or _ANYTHING

    def _getattr(self, module: Module, node: ast.Call) -> Values:
        if len(node.args) >= 2 and isinstance(node.args[1], ast.Constant):
            attr = node.args[1].value
            if isinstance(attr, str):
                found = self._attribute_of(self._infer(module, node.args[0]), attr)
                return (*found, *(v for arg in node.args[2:3] for v in self._infer(module, arg)))
        return _ANYTHING

    def _partial(self, module: Module, node: ast.Call) -> Values:
        if not node.args:
            return _ANYTHING
        values = self._infer(module, node.args[0])
        if len(node.args) == 1 and not node.keywords:
            return values
        callables = (Ref, Member, Function, Class)
        return tuple(Partial(item) if isinstance(item, callables) else item for item in values)

    def _next(self, module: Module, node: ast.Call) -> Values:
        if not node.args:
            return _ANYTHING
        values = self._infer(module, node.args[0])
        default = (value for item in node.args[1:] for value in self._infer(module, item))
        return (*(self._part(value, None) for value in values), *default)

    def _rearranged(self, module: Module, node: ast.Call) -> Values:
        """What ``enumerate``, ``zip`` and ``list`` make of iterables whose items are known."""
        name = node.func.id if isinstance(node.func, ast.Name) else "list"
        kinds = [self._kind_of_items(module, item) for item in node.args]
        if not kinds or not any(kinds):
            return _ANYTHING
        held = ",".join(kind or "?" for kind in kinds)
        if name == "enumerate":
            return (Instance(f"iterator[tuple[int,{kinds[0]}]]"),)
        return (Instance(f"iterator[tuple[{held}]]" if name == "zip" else f"list[{held}]"),)

    def _kind_of_items(self, module: Module, node: ast.expr) -> str | None:
        values = self._infer(module, node)
        parts = {self._part(value, None) for value in values}
        only = parts.pop() if len(parts) == 1 else UNKNOWN
        return only.kind if isinstance(only, Instance) else None

    def _constant(self, module: Module, node: ast.Constant) -> Values:
        return (Const(node.value),)

    def _sequence(self, module: Module, node: Union[ast.Tuple, ast.List]) -> Values:
        items = tuple(self._infer(module, item) for item in node.elts)
        return (Sequence(items, fixed=isinstance(node, ast.Tuple)),)

    def _subscript(self, module: Module, node: ast.Subscript) -> Values:
        index = node.slice
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
            index = index.operand
            sign = -1
        else:
            sign = 1
        values = self._infer(module, node.value)
        if isinstance(index, ast.Slice):
            return tuple(self._slice(value) for value in values)
        if isinstance(index, ast.Constant) and isinstance(index.value, int):
            number = sign * index.value
            found: list[Value] = []
            for value in values:
                if isinstance(value, Sequence) and -len(value.items) <= number < len(value.items):
                    found.extend(value.items[number])
                else:
                    found.append(self._item(value, number))
            return tuple(found)
        return tuple(self._item(value) for value in values)

    def _slice(self, value: Value) -> Value:
        holds = isinstance(value, Instance) and value.kind.endswith("]")
        return value if holds else self._item(value)

    def _item(self, value: Value, place: int | None = None) -> Value:
        if isinstance(value, Instance):
            kind = self.knowledge.item(value.kind, place)
            if kind:
                return Instance(kind)
            kind = self.knowledge.returns(self.knowledge.member(f"{value.kind}.__getitem__"))
            if kind:
                return Instance(kind)
        return UNKNOWN

    def _conditional(self, module: Module, node: ast.IfExp) -> Values:
        return (*self._infer(module, node.body), *self._infer(module, node.orelse))

    def _boolean(self, module: Module, node: ast.BoolOp) -> Values:
        return tuple(value for item in node.values for value in self._infer(module, item))

    def _binary(self, module: Module, node: ast.BinOp) -> Values:
        left, right = self._infer(module, node.left), self._infer(module, node.right)
        found: list[Value] = []
        for value in (*left, *right):
            if isinstance(value, Instance):
                kind = self.knowledge.returns(self.knowledge.member(f"{value.kind}.__add__"))
                if kind:
                    found.append(Instance(kind))
        return tuple(found[:1]) or _ANYTHING

    def _unary(self, module: Module, node: ast.UnaryOp) -> Values:
        if isinstance(node.op, ast.Not):
            return _ANYTHING
        return self._operated(self._infer(module, node.operand), "__neg__")

    def _compare(self, module: Module, node: ast.Compare) -> Values:
        if len(node.ops) > 1 or isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            return _ANYTHING
        return self._operated(self._infer(module, node.left), "__gt__")

    def _operated(self, values: Values, operator: str) -> Values:
        """What an operator makes of values, as far as their class says so."""
        found: list[Value] = []
        for value in values:
            kind = None
            if isinstance(value, Instance):
                member = self.knowledge.member(f"{value.kind}.{operator}")
                kind = self.knowledge.returns(member)
            found.append(Instance(kind) if kind else UNKNOWN)
        return tuple(found) or _ANYTHING

    def _walrus(self, module: Module, node: ast.NamedExpr) -> Values:
        return self._infer(module, node.value)

    def _lambda(self, module: Module, node: ast.Lambda) -> Values:
        return (Function(module, node),)

    def _starred_item(self, module: Module, node: ast.Starred) -> Values:
        return _ANYTHING

    def _through_class(self, module: Module, call: ast.Call) -> bool:
        """Whether a method is called on its class, so that ``self`` is the first argument."""
        func = call.func
        return isinstance(func, ast.Attribute) and any(
            isinstance(value, Class) for value in self._infer(module, func.value)
        )


_HANDLERS: dict[type, Any] = {
    ast.Name: Resolver._name,
    ast.Attribute: Resolver._attribute,
    ast.Call: Resolver._call,
    ast.Constant: Resolver._constant,
    ast.Tuple: Resolver._sequence,
    ast.List: Resolver._sequence,
    ast.Subscript: Resolver._subscript,
    ast.IfExp: Resolver._conditional,
    ast.BoolOp: Resolver._boolean,
    ast.BinOp: Resolver._binary,
    ast.UnaryOp: Resolver._unary,
    ast.Compare: Resolver._compare,
    ast.NamedExpr: Resolver._walrus,
    ast.Lambda: Resolver._lambda,
    ast.Starred: Resolver._starred_item,
}
_SPECIAL_CALLS: dict[str, Any] = {
    "builtins.super": Resolver._super,
    "builtins.getattr": Resolver._getattr,
    "builtins.next": Resolver._next,
    "builtins.enumerate": Resolver._rearranged,
    "builtins.list": Resolver._rearranged,
    "builtins.zip": Resolver._rearranged,
    "functools.partial": Resolver._partial,
}


def _unique(values: Values) -> Values:
    return values if len(values) < 2 else tuple(dict.fromkeys(values))


def _is_alias(value: ast.expr | None) -> bool:
    """Whether what a variable is given makes it another name for something."""
    return isinstance(value, (ast.Attribute, ast.Name, ast.IfExp))


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


def _is_builtin(value: Value) -> bool:
    return isinstance(value, Ref) and value.name.startswith("builtins.")


def _decorated(node: FunctionNode, *names: str) -> bool:
    return any(
        (getattr(item, "id", None) or getattr(item, "attr", None)) in names
        for item in getattr(node, "decorator_list", ())
    )


def _takes_class(node: FunctionNode) -> bool:
    """Whether a method's first parameter is the class itself."""
    return _decorated(node, "classmethod") or getattr(node, "name", "") in _CLASS_METHODS


def _is_abstract(node: FunctionNode) -> bool:
    """Whether a method is there to be written anew by subclasses, so that its body says nothing."""
    last = node.body[-1] if isinstance(node.body, list) else None
    return (
        isinstance(last, ast.Raise)
        or (isinstance(last, ast.Expr) and getattr(last.value, "value", None) is Ellipsis)
        or _decorated(node, "abstractmethod")
    )


def _importers(resolver: Resolver, module: Module) -> list[Module]:
    """The modules that import a module, and those that import a package which passes it on."""
    found = {module.path: module}
    pending = [module.path]
    while pending:
        for importer in resolver.project.importers(pending.pop()):
            if importer.path not in found:
                found[importer.path] = importer
                if importer.path.endswith("__init__.py"):
                    pending.append(importer.path)
    return [other for other in found.values() if other is not module]


def _called_as(node: Union[ast.FunctionDef, ast.AsyncFunctionDef], module: Module) -> list[str]:
    """Names under which a module may call a function: its own, or those of its class."""
    owner = parent(node)
    if not (isinstance(owner, ast.ClassDef) and node.name == "__init__"):
        return [node.name]
    return [owner.name, "__init__", "cls", *module.index.heirs.get(owner.name, ())]


def _calls_named(module: Module, names: list[str]) -> list[ast.Call]:
    """Calls in a module of something with one of these names, or imported from it as another."""
    calls, renamed = module.index.calls_by_name, module.index.renamed
    spelled = dict.fromkeys(names)
    for name in names:
        if name in renamed:
            spelled.update(dict.fromkeys(renamed[name]))
    return [call for name in spelled if name in calls for call in calls[name]]


def _hides_arguments(call: ast.Call) -> bool:
    """Whether ``*args`` or ``**kwargs`` may give a parameter that is not visibly given."""
    return any(isinstance(arg, ast.Starred) for arg in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    )


def _argument(
    call: ast.Call, argument: ast.arg, positional: list[ast.arg], bound: int
) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == argument.arg:
            return keyword.value
    if argument in positional:
        number = positional.index(argument) - bound
        before = call.args[: number + 1]
        if 0 <= number < len(call.args) and not any(isinstance(a, ast.Starred) for a in before):
            return call.args[number]
    return None


def _default(arguments: ast.arguments, argument: ast.arg) -> ast.expr | None:
    positional = [*arguments.posonlyargs, *arguments.args]
    if argument in positional:
        number = positional.index(argument) - (len(positional) - len(arguments.defaults))
        return arguments.defaults[number] if number >= 0 else None
    if argument in arguments.kwonlyargs:
        return arguments.kw_defaults[arguments.kwonlyargs.index(argument)]
    return None
