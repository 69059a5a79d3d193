"""Where a run config or an estimator is made and where it goes, node by node, across files.

Inference says what an expression *is*; deciding whether a ``RunConfig`` may become another class
needs more: every call it may come from and every call it may end up in. Whatever cannot be
followed is said to be unknown, never guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Union, cast

from ascendify.source.flow.reaching import reaching
from ascendify.source.inference.parameters import MAX_CALLERS, default, given, hides_arguments
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import last_name, receiver
from ascendify.source.scopes import Binding, FunctionNode, Scope, ancestors, parent, scope_of
from ascendify.source.values import Class, Function, Member, Object, Package, Ref, Value

_SAME = ("replace", "_replace")
"""Methods that give the same object with other field values."""
_COPIES = frozenset({"copy.copy", "copy.deepcopy"})
_HARMLESS = (
    "builtins.print", "builtins.isinstance", "builtins.str", "builtins.repr", "builtins.type",
    "builtins.id", "builtins.bool", "builtins.hasattr", "builtins.vars", "builtins.dir",
    "tf.logging.", "logging.", "absl.logging.", "pprint.",
)  # fmt: skip
"""Calls that look at a value and keep nothing of it; a trailing dot means everything below."""
_READS = (
    ast.Compare, ast.UnaryOp, ast.If, ast.While, ast.Assert, ast.Expr, ast.FormattedValue,
    ast.BinOp, ast.Delete,
)  # fmt: skip
"""Places that use a value without passing it on."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Origins:
    """What an expression may evaluate to."""

    calls: list[tuple[Module, ast.Call]] = field(default_factory=list)
    """Calls that make it, of functions and classes outside the project or of project classes."""
    nothing: bool = False
    """It may be None."""
    unknown: bool = False
    """It may be something that cannot be followed."""


@dataclass(frozen=True)
class Use:
    """A call outside the project's functions that a value is passed to."""

    module: Module
    call: ast.Call
    value: ast.expr
    """The argument as it stands there."""


@dataclass
class Uses:
    """Where a value ends up."""

    calls: list[Use] = field(default_factory=list)
    attributes: list[tuple[Module, ast.Attribute]] = field(default_factory=list)
    """Where an attribute of it is read or a method of it called."""
    escapes: tuple[Module, ast.AST] | None = None
    """The first place at which it can no longer be followed."""


def origins(resolver: Resolver, module: Module, node: ast.expr) -> Origins:
    """Every call an expression's value may come from."""
    tracer = _Backwards(resolver)
    tracer.expression(module, node)
    return tracer.found


def uses(resolver: Resolver, module: Module, node: ast.expr) -> Uses:
    """Every call the value of an expression may be passed to."""
    tracer = _Forwards(resolver)
    tracer.expression(module, node)
    return tracer.found


class _Tracer:
    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.project = resolver.project
        self.seen: set[object] = set()

    def lineage(self, cls: Class) -> Iterator[Class]:
        """A class and its ancestors inside the project."""
        pending, done = [cls], set()
        while pending:
            current = pending.pop(0)
            if current.node in done:
                continue
            done.add(current.node)
            yield current
            for base in current.node.bases:
                values = self.resolver.infer(current.module, base)
                pending.extend(value for value in values if isinstance(value, Class))

    def method(self, cls: Class, name: str) -> Function | None:
        """The method of a project class or of its ancestors in the project."""
        for ancestor in self.lineage(cls):
            for binding in scope_of(ancestor.node).bindings.get(name, ()):
                if binding.kind == "def":
                    return Function(ancestor.module, cast(FunctionNode, binding.node))
        return None


class _Backwards(_Tracer):
    def __init__(self, resolver: Resolver) -> None:
        super().__init__(resolver)
        self.found = Origins()

    def expression(self, module: Module, node: ast.expr, path: tuple[int, ...] = ()) -> None:
        if (node, path) in self.seen:
            return
        self.seen.add((node, path))
        if path and isinstance(node, (ast.Tuple, ast.List)) and path[0] < len(node.elts):
            self.expression(module, node.elts[path[0]], path[1:])
        elif isinstance(node, ast.Call):
            self._call(module, node, path)
        elif path:
            self.found.unknown = True
        elif isinstance(node, ast.Constant) and node.value is None:
            self.found.nothing = True
        elif isinstance(node, ast.IfExp):
            self.expression(module, node.body)
            self.expression(module, node.orelse)
        elif isinstance(node, ast.BoolOp):
            self._boolean(module, node)
        elif isinstance(node, ast.NamedExpr):
            self.expression(module, node.value)
        elif isinstance(node, ast.Name):
            self._name(module, node)
        elif isinstance(node, ast.Attribute):
            self._attribute(module, node)
        else:
            self.found.unknown = True

    def _boolean(self, module: Module, node: ast.BoolOp) -> None:
        """``given or RunConfig()`` is never the None that ``given`` may be."""
        nothing = self.found.nothing
        for value in node.values[:-1]:
            self.expression(module, value)
        if isinstance(node.op, ast.Or):
            self.found.nothing = nothing
        self.expression(module, node.values[-1])

    def _name(self, module: Module, node: ast.Name) -> None:
        use_scope = scope_of(node)
        scope = use_scope.find(node.id)
        if scope is None:
            self.found.unknown = True
            return
        for binding in reaching(node, scope.bindings[node.id], scope, use_scope):
            self._binding(module, binding, scope)

    def _binding(self, module: Module, binding: Binding, scope: Scope) -> None:
        if binding.kind == "assign" and binding.value is not None:
            self.expression(module, binding.value, binding.path)
        elif binding.kind == "param":
            self._parameter(module, cast(ast.arg, binding.node), cast(FunctionNode, scope.node))
        elif binding.kind == "import":
            located = self.project.locate(module.path, binding.origin)
            if located is None or located[0] is None or len(located[2]) != 1:
                self.found.unknown = True
            else:
                self._global(located[0], located[2][0])
        else:
            self.found.unknown = True

    def _global(self, path: str, name: str) -> None:
        if (path, name) in self.seen:
            return
        self.seen.add((path, name))
        module = self.project.module(path)
        bindings = [] if module is None else module.index.module.bindings.get(name, [])
        if module is None or not bindings:
            self.found.unknown = True
            return
        for binding in bindings:
            self._binding(module, binding, module.index.module)

    def _parameter(self, module: Module, argument: ast.arg, function: FunctionNode) -> None:
        if argument in self.seen:
            return
        self.seen.add(argument)
        callers = self.resolver.callers(Function(module, function))
        if not callers or len(callers) >= MAX_CALLERS or _is_variadic(function, argument):
            self.found.unknown = True
            return
        for caller, call, bound in callers:
            expression = given(call, argument, function, bound)
            if expression is not None:
                self.expression(caller, expression)
                continue
            usual = default(function.args, argument)
            if usual is None or hides_arguments(call):
                self.found.unknown = True
            else:
                self.expression(module, usual)

    def _attribute(self, module: Module, node: ast.Attribute) -> None:
        for value in self.resolver.infer(module, node.value):
            if isinstance(value, Object):
                self._member(value.cls, node.attr)
            elif isinstance(value, Package) and value.path is not None:
                self._global(value.path, node.attr)
            else:
                self.found.unknown = True

    def _member(self, cls: Class, name: str) -> None:
        known = False
        for ancestor in self.lineage(cls):
            scope = scope_of(ancestor.node)
            for binding in (*scope.attributes.get(name, ()), *scope.bindings.get(name, ())):
                known = True
                if binding.kind == "def" and _has_decorator(binding.node, "property"):
                    function = Function(ancestor.module, cast(FunctionNode, binding.node))
                    self._returned(function, ())
                else:
                    self._binding(ancestor.module, binding, scope)
        self.found.unknown = self.found.unknown or not known

    def _call(self, module: Module, node: ast.Call, path: tuple[int, ...]) -> None:
        values = self.resolver.infer(module, node.func)
        self.found.unknown = self.found.unknown or not values
        for value in values:
            if isinstance(value, Function):
                self._returned(value, path)
            elif path or not isinstance(value, (Ref, Member, Class)):
                self.found.unknown = True
            elif isinstance(value, Member) and _is_same(value) and _receiver(node) is not None:
                self.expression(module, cast(ast.expr, _receiver(node)))
            elif isinstance(value, Ref) and value.name in _COPIES and node.args:
                self.expression(module, node.args[0])
            elif (module, node) not in self.found.calls:
                self.found.calls.append((module, node))

    def _returned(self, function: Function, path: tuple[int, ...]) -> None:
        scope = scope_of(function.node)
        if scope.generator or isinstance(function.node, ast.AsyncFunctionDef):
            self.found.unknown = True
        elif not scope.returns:
            self.found.nothing = True
        for value in scope.returns:
            self.expression(function.module, value, path)


class _Forwards(_Tracer):
    def __init__(self, resolver: Resolver) -> None:
        super().__init__(resolver)
        self.found = Uses()

    def escape(self, module: Module, node: ast.AST) -> None:
        if self.found.escapes is None:
            self.found.escapes = (module, node)

    def expression(self, module: Module, node: ast.expr) -> None:
        """Follow the value of an expression from where it stands."""
        if node in self.seen:
            return
        self.seen.add(node)
        around = parent(node)
        if isinstance(around, _READS):
            return
        handler = _AROUND.get(around.__class__)
        if handler is None:
            self.escape(module, node)
        else:
            handler(self, module, node, around)

    # what stands around an expression

    def _in_keyword(self, module: Module, node: ast.expr, around: ast.keyword) -> None:
        call = parent(around)
        if around.arg is None or not isinstance(call, ast.Call):
            self.escape(module, node)
        else:
            self._passed(module, call, node, around.arg)

    def _in_call(self, module: Module, node: ast.expr, around: ast.Call) -> None:
        if node is not around.func:
            self._passed(module, around, node, around.args.index(node))

    def _in_assign(self, module: Module, node: ast.expr, around: ast.Assign) -> None:
        for target in around.targets:
            self._stored(module, target, around)

    def _in_annotated(self, module: Module, node: ast.expr, around: ast.AnnAssign) -> None:
        if node is around.value:
            self._stored(module, around.target, around)

    def _in_walrus(self, module: Module, node: ast.expr, around: ast.NamedExpr) -> None:
        self._stored(module, around.target, around)
        self.expression(module, around)

    def _in_return(self, module: Module, node: ast.expr, around: ast.Return) -> None:
        for call_module, call in self._callers(module, around):
            self.expression(call_module, call)

    def _in_choice(self, module: Module, node: ast.expr, around: ast.expr) -> None:
        if node is not getattr(around, "test", None):
            self.expression(module, around)

    def _in_attribute(self, module: Module, node: ast.expr, around: ast.Attribute) -> None:
        call = parent(around)
        if around.attr in _SAME and isinstance(call, ast.Call) and call.func is around:
            self.expression(module, call)
        else:
            self.found.attributes.append((module, around))

    def _in_sequence(
        self, module: Module, node: ast.expr, around: Union[ast.Tuple, ast.List]
    ) -> None:
        number = around.elts.index(node)
        owner = parent(around)
        targets: list[tuple[Module, ast.AST, ast.expr]] = []
        if isinstance(owner, ast.Assign):
            targets = [(module, owner, target) for target in owner.targets]
        elif isinstance(owner, ast.Return):
            for call_module, call in self._callers(module, owner):
                assign = parent(call)
                if isinstance(assign, ast.Assign):
                    targets.extend((call_module, assign, target) for target in assign.targets)
                elif not isinstance(assign, ast.Expr):
                    self.escape(call_module, call)
        else:
            self.escape(module, node)
        for target_module, statement, target in targets:
            if isinstance(target, (ast.Tuple, ast.List)) and number < len(target.elts):
                self._stored(target_module, target.elts[number], statement)
            else:
                self.escape(target_module, target)

    def _in_defaults(self, module: Module, node: ast.expr, around: ast.arguments) -> None:
        positional = [*around.posonlyargs, *around.args]
        pairs = [
            *zip(positional[len(positional) - len(around.defaults) :], around.defaults),
            *zip(around.kwonlyargs, around.kw_defaults),
        ]
        argument = next(argument for argument, default in pairs if default is node)
        self._parameter(module, cast(FunctionNode, parent(around)), argument)

    # where values go from there

    def _callers(self, module: Module, inside: ast.AST) -> list[tuple[Module, ast.expr]]:
        """Every expression that is the result of the function a return stands in."""
        definition = next(node for node in ancestors(inside) if isinstance(node, _DEFINITIONS))
        function = Function(module, definition)
        owner = parent(definition)
        if _has_decorator(definition, "property") and isinstance(owner, ast.ClassDef):
            return self._attribute_reads(Class(module, owner), definition.name)
        allowed = {"staticmethod", "classmethod"}
        plain = all(getattr(item, "id", "") in allowed for item in definition.decorator_list)
        callers = self.resolver.callers(function)
        if not callers or len(callers) >= MAX_CALLERS or not plain:
            self.escape(module, definition)
        mention = self._mention(function, definition.name)
        if mention is not None:
            self.escape(*mention)
        return [(caller, call) for caller, call, _ in callers]

    def _mention(self, function: Function, name: str) -> tuple[Module, ast.AST] | None:
        """A place that hands the function itself on, so that somebody else may call it."""
        for module in (function.module, *self.project.importers(function.module.path)):
            for node in module.index.references:
                around = parent(node)
                if last_name(node) != name:
                    continue
                if isinstance(around, ast.Call) and around.func is node:
                    continue
                if function in self.resolver.infer(module, node):
                    return module, node
        return None

    def _stored(self, module: Module, target: ast.expr, statement: ast.AST) -> None:
        if isinstance(target, ast.Name):
            scope = scope_of(target).find(target.id)
            if scope is None or scope.kind == "class":
                self.escape(module, target)
                return
            for binding in scope.bindings[target.id]:
                if binding.node is statement:
                    self._variable(module, target.id, binding, scope)
        elif isinstance(target, ast.Attribute):
            objects = self.resolver.infer(module, target.value)
            if not objects or not all(isinstance(value, Object) for value in objects):
                self.escape(module, target)
                return
            for value in objects:
                for reader, node in self._attribute_reads(cast(Object, value).cls, target.attr):
                    self.expression(reader, node)
        else:
            self.escape(module, target)

    def _variable(self, module: Module, name: str, binding: Binding, scope: Scope) -> None:
        """Follow every read of a variable that may see this binding."""
        bindings = scope.bindings[name]
        for node in scope.uses(name):
            if binding in reaching(node, bindings, scope, scope_of(node)):
                self.expression(module, node)
        if scope.kind == "module":
            self._imported(module, name)

    def _imported(self, module: Module, name: str) -> None:
        """Follow a variable of a module into the modules that import it."""
        for importer in self.project.importers(module.path):
            for local, bindings in importer.index.module.bindings.items():
                for binding in bindings:
                    if binding.kind == "import" and self.project.locate(
                        importer.path, binding.origin
                    ) == (module.path, module.path[: -len(".py")], (name,)):
                        self._variable(importer, local, binding, importer.index.module)
            for node in _attributes(importer, name):
                values = self.resolver.infer(importer, node.value)
                if any(isinstance(v, Package) and v.path == module.path for v in values):
                    self.expression(importer, node)

    def _attribute_reads(self, cls: Class, name: str) -> list[tuple[Module, ast.expr]]:
        """Every read of an attribute of instances of a project class."""
        family = {item.node for item in self.lineage(cls)}
        found: list[tuple[Module, ast.expr]] = []
        for module in (cls.module, *self.project.importers(cls.module.path)):
            for node in _attributes(module, name):
                for value in self.resolver.infer(module, node.value):
                    if isinstance(value, Object) and (
                        value.cls.node in family
                        or any(item.node is cls.node for item in self.lineage(value.cls))
                    ):
                        found.append((module, node))
                        break
        return found

    def _passed(
        self, module: Module, call: ast.Call, node: ast.expr, where: Union[int, str]
    ) -> None:
        for value in self.resolver.infer(module, call.func):
            if isinstance(value, Function):
                bound = self._bound(module, call, value)
                self._argument(module, node, value, where, bound)
            elif isinstance(value, Class):
                constructor = self.method(value, "__init__")
                if constructor is None:
                    self.found.calls.append(Use(module, call, node))
                else:
                    self._argument(module, node, constructor, where, 1)
            elif isinstance(value, Ref) and value.name in _COPIES:
                self.expression(module, call)
            elif isinstance(value, (Ref, Member)):
                if not _is_harmless(value):
                    self.found.calls.append(Use(module, call, node))
            else:
                self.escape(module, call)

    def _bound(self, module: Module, call: ast.Call, function: Function) -> int:
        """How many leading parameters are not given by the call: ``self`` or ``cls``."""
        if not isinstance(parent(function.node), ast.ClassDef):
            return 0
        if _has_decorator(function.node, "staticmethod"):
            return 0
        receiver = _receiver(call)
        through_class = receiver is not None and any(
            isinstance(value, Class) for value in self.resolver.infer(module, receiver)
        )
        return 0 if through_class and not _has_decorator(function.node, "classmethod") else 1

    def _argument(
        self, module: Module, node: ast.expr, function: Function, where: Union[int, str], bound: int
    ) -> None:
        arguments = function.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        argument: ast.arg | None = None
        if isinstance(where, str):
            named = (item for item in (*positional, *arguments.kwonlyargs) if item.arg == where)
            argument = next(named, None)
        elif where + bound < len(positional):
            argument = positional[where + bound]
        if argument is None:
            self.escape(module, node)
        else:
            self._parameter(function.module, function.node, argument)

    def _parameter(self, module: Module, function: FunctionNode, argument: ast.arg) -> None:
        if argument in self.seen:
            return
        self.seen.add(argument)
        scope = scope_of(function)
        self._variable(module, argument.arg, scope.bindings[argument.arg][0], scope)


_AROUND: dict[type, Any] = {
    ast.keyword: _Forwards._in_keyword,
    ast.Call: _Forwards._in_call,
    ast.Assign: _Forwards._in_assign,
    ast.AnnAssign: _Forwards._in_annotated,
    ast.NamedExpr: _Forwards._in_walrus,
    ast.Return: _Forwards._in_return,
    ast.IfExp: _Forwards._in_choice,
    ast.BoolOp: _Forwards._in_choice,
    ast.Attribute: _Forwards._in_attribute,
    ast.Tuple: _Forwards._in_sequence,
    ast.List: _Forwards._in_sequence,
    ast.arguments: _Forwards._in_defaults,
}


def _is_same(value: Value) -> bool:
    return isinstance(value, (Ref, Member)) and value.name.rpartition(".")[2] in _SAME


def _is_harmless(value: Union[Ref, Member]) -> bool:
    return any(
        value.name.startswith(name) if name.endswith(".") else value.name == name
        for name in _HARMLESS
    )


def _receiver(call: ast.Call) -> ast.expr | None:
    return receiver(call)


def _is_variadic(function: FunctionNode, argument: ast.arg) -> bool:
    return argument in (function.args.vararg, function.args.kwarg)


def _has_decorator(node: ast.AST, name: str) -> bool:
    return any(getattr(item, "id", "") == name for item in getattr(node, "decorator_list", ()))


def _attributes(module: Module, name: str) -> list[ast.Attribute]:
    """Every read of an attribute of this name."""
    if name not in module.source.text:
        return []
    return [
        node
        for node in module.index.of(ast.Attribute)
        if node.attr == name and isinstance(node.ctx, ast.Load)
    ]
