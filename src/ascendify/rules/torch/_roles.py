"""What a text is for: follow a value through a project to the places that take it.

The text itself says nothing: ``'cuda'`` may be a device, a folder, a word of the user's own. Its
value is followed through conditions, variables, attributes, containers, options, parameters and
results until it arrives somewhere that decides.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Union, cast

from ascendify.catalog import signatures
from ascendify.rules.site import File
from ascendify.rules.torch import _options, _slots
from ascendify.source.flow import reaching
from ascendify.source.module import Module
from ascendify.source.scopes import Binding, FunctionNode, Scope, ancestors, parent, scope_of
from ascendify.source.values import (
    UNKNOWN,
    Class,
    Function,
    Instance,
    Object,
    Package,
    Partial,
    Resolver,
    Value,
)

ITEM = "[]"
"""The step from a list to one of its items, where a dictionary has a key."""
_BUDGET = 400
"""Places looked at for one text; far more than honest code needs."""
_PLACES = 3
"""So many places are named in a message."""

Path = tuple[str, ...]
"""Keys that lead from a container to the value that is followed, the outermost first."""


@dataclass
class Flow:
    """Where a value was seen to go."""

    device: list[str] = field(default_factory=list)
    """Places that take a device."""
    likely: list[str] = field(default_factory=list)
    """Places that only their names make a device's."""
    unknown: list[str] = field(default_factory=list)
    """Places nobody can look into."""
    compared: list[str] = field(default_factory=list)
    """Comparisons with other values."""
    shown: int = 0
    """How often it is only printed, tested or put into a path."""

    @property
    def is_device(self) -> bool:
        """Whether it names a device, for certain or by all signs."""
        return bool(self.device or self.likely)

    def places(self) -> str:
        """The places it goes to, for a message."""
        return _listed([*self.device, *self.likely, *self.unknown, *self.compared])


def _listed(places: Iterable[str]) -> str:
    found = list(dict.fromkeys(places))
    more = len(found) - _PLACES
    return ", ".join(found[:_PLACES]) + (f" and {more} more" if more > 0 else "")


def of_value(file: File, node: ast.expr) -> Flow:
    """Where the value of an expression goes."""
    tracer = _Tracer(file)
    tracer.value(file.module, node, ())
    return tracer.flow


def of_variable(file: File, node: ast.expr) -> Flow:
    """Where whatever a variable, attribute or entry holds goes, from any place that reads it."""
    tracer = _Tracer(file)
    tracer.variable(file.module, node)
    return tracer.flow


def is_device_object(file: File, node: ast.expr) -> bool:
    """Whether an expression is a ``torch.device`` or speaks of one: ``x.device``, ``device``."""
    if isinstance(node, ast.Call):
        name = file.name(node.func)
        return name == "torch.device"
    kinds, certain = file.resolver.kinds(file.module, node)
    if certain:
        return all(kind == "torch.device" for kind in kinds)
    last = getattr(node, "attr", None) or getattr(node, "id", None) or ""
    return last == "device" or last.endswith("_device")


class _Tracer:
    """One walk along a value. Everything it finds goes to ``flow``."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.resolver: Resolver = file.resolver
        self.flow = Flow()
        self._seen: set[tuple[object, ...]] = set()
        self._weak = False

    # steps

    def value(self, module: Module, node: ast.expr, path: Path) -> None:
        """Go on from an expression that has the value, or holds it behind a path."""
        key = (node, path)
        if key in self._seen or len(self._seen) > _BUDGET:
            return
        self._seen.add(key)
        owner = parent(node)
        if isinstance(owner, ast.keyword):
            call = parent(owner)
            if isinstance(call, ast.Call):
                self._keyword(module, call, owner, path)
        elif isinstance(owner, ast.Call) and node is not owner.func:
            place = next(i for i, item in enumerate(owner.args) if item is node)
            starred = any(isinstance(item, ast.Starred) for item in owner.args[:place])
            self._argument(module, owner, None, None if starred else place, path)
        elif isinstance(owner, ast.stmt):
            self._statement(module, node, owner, path)
        else:
            self._inside(module, node, owner, path)

    def variable(self, module: Module, node: ast.expr) -> None:
        """Go on from every place that reads what an expression reads."""
        if self._visited("variable", node):
            return
        if isinstance(node, ast.Name):
            scope = scope_of(node).find(node.id)
            if scope is None:
                self._evidence(node.id)(module, node, f"the name {node.id}")
                return
            for binding in scope.bindings[node.id]:
                self._origin(module, scope, binding)
            self._name(module, scope, node.id, None, ())
        elif isinstance(node, ast.Attribute):
            self._attribute(module, node.attr, node.value, ())
        elif isinstance(node, ast.Subscript) and _key(node.slice) is not None:
            self._entries(module, node.value, cast(str, _key(node.slice)), ())

    def _origin(self, module: Module, scope: Scope, binding: Binding) -> None:
        """What a variable got its value from is a device if that is one elsewhere."""
        if binding.kind == "assign" and not binding.path and binding.value is not None:
            self.variable(module, binding.value)
        elif binding.kind == "param" and not isinstance(scope.node, ast.Lambda):
            function = cast(FunctionNode, scope.node)
            argument = cast(ast.arg, binding.node)
            positional = [*function.args.posonlyargs, *function.args.args]
            for other, call, bound in self.resolver.callers(Function(module, function)):
                given = next((k.value for k in call.keywords if k.arg == argument.arg), None)
                if given is None and argument in positional:
                    place = positional.index(argument) - bound
                    given = call.args[place] if 0 <= place < len(call.args) else None
                if given is not None:
                    self.variable(other, given)

    def _inside(self, module: Module, node: ast.expr, owner: ast.AST, path: Path) -> None:
        """Go on from a part of a larger expression."""
        step = _STEPS.get(owner.__class__.__name__)
        if step is None:
            self._lost(module, node)
        else:
            step(self, module, node, owner, path)

    def _part(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        """The larger expression may have the same value."""
        if isinstance(owner, ast.IfExp) and node is owner.test:
            self.flow.shown += 1
        else:
            self.value(module, owner, path)
            if isinstance(owner, ast.NamedExpr):
                self._target(module, owner.target, owner, path)

    def _comparison(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        self.flow.compared.append(self._at(module, node))

    def _comprehension(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        self.value(module, owner, (ITEM, *path))

    def _loop(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        if node is owner.iter and path:
            self._bound(module, owner.target, path[1:])

    def _shown(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        self.flow.shown += 1

    def _text(self, module: Module, node: ast.expr, owner: ast.AST, path: Path) -> None:
        """A text that another one is made of: it names a device if it begins with this one."""
        if path:
            self.flow.shown += 1
            return
        if isinstance(owner, ast.FormattedValue):
            whole = parent(owner)
            if isinstance(whole, ast.JoinedStr) and whole.values[0] is owner:
                self.value(module, whole, ())
        elif isinstance(owner, ast.BinOp) and isinstance(owner.op, ast.Mod):
            # ``'%s:%d' % (device, i)`` and a template that is filled in
            self.value(module, owner, ())
        elif isinstance(owner, ast.BinOp) and owner.left is node:
            self.value(module, owner, ())
        self.flow.shown += 1

    def _item(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        above = parent(owner)
        if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mod):
            if owner.elts[0] is node:
                self.value(module, above, path)
            return
        place = next(i for i, item in enumerate(owner.elts) if item is node)
        before = _key(owner.elts[place - 1]) if place else None
        if before is not None and _slots.says_device(before):
            # ``['train.py', '--device', 'cuda']``, ``['MODEL.DEVICE', 'cuda']``
            self._guess(module, owner, f"the option {before}")
            return
        if isinstance(above, ast.Assign) and isinstance(above.targets[0], (ast.Tuple, ast.List)):
            targets = above.targets[0].elts
            if len(targets) == len(owner.elts):
                self._target(module, targets[place], above, path)
                return
        self.value(module, owner, (ITEM, *path))

    def _dictionary(self, module: Module, node: ast.expr, owner: ast.Dict, path: Path) -> None:
        for key, value in zip(owner.keys, owner.values):
            if value is not node:
                continue
            name = ITEM if key is None else _key(key)
            if key is None:
                self.value(module, owner, path)
            else:
                with_key = self._evidence(name or "")
                self.value(module, owner, (name or ITEM, *path))
                with_key(module, owner, f"the entry {name!r}")

    def _member(self, module: Module, node: ast.expr, owner: ast.Attribute, path: Path) -> None:
        """Something is asked of the value: a method of strings, of lists, of dictionaries."""
        call = parent(owner)
        called = isinstance(call, ast.Call) and call.func is owner
        if path and owner.attr == path[0]:
            self.value(module, owner, path[1:])
        elif not called or not isinstance(call, ast.Call):
            self.flow.shown += not path
        elif owner.attr in _SAME_TEXT:
            self.value(module, call, path)
        elif path and owner.attr in _READS and call.args:
            if _key(call.args[0]) in (path[0], None) or path[0] == ITEM:
                self.value(module, call, path[1:])
        elif path and owner.attr in ("values", "copy", "items"):
            self.value(module, call, path)
        else:
            self.flow.shown += not path

    def _subscript(self, module: Module, node: ast.expr, owner: ast.Subscript, path: Path) -> None:
        if node is not owner.value or not path:
            self.flow.shown += 1
        elif isinstance(owner.ctx, ast.Load) and _key(owner.slice) in (path[0], None):
            self.value(module, owner, path if isinstance(owner.slice, ast.Slice) else path[1:])

    def _statement(self, module: Module, node: ast.expr, owner: ast.stmt, path: Path) -> None:
        if isinstance(owner, ast.Assign):
            for target in owner.targets:
                self._target(module, target, owner, path)
        elif isinstance(owner, (ast.AnnAssign, ast.AugAssign)):
            if node is owner.value:
                self._target(module, owner.target, owner, path)
            else:
                self.flow.shown += 1
        elif isinstance(owner, ast.Return):
            self._returned(module, owner, path)
        elif isinstance(owner, (ast.For, ast.AsyncFor)):
            if node is owner.iter and path:
                self._bound(module, owner.target, path[1:])
        elif isinstance(owner, (ast.If, ast.While, ast.Assert, ast.Expr, ast.Raise, ast.Delete)):
            self.flow.shown += 1
        elif owner.__class__.__name__ == "Match":
            self.flow.compared.append(self._at(module, node))
        else:
            self._lost(module, node)

    # where values are kept

    def _target(self, module: Module, target: ast.expr, binding: ast.AST, path: Path) -> None:
        """Go on from what an assignment gives the value to."""
        if isinstance(target, ast.Name):
            inner = scope_of(target)
            scope = inner.find(target.id) or inner
            self._name(module, scope, target.id, binding, path)
        elif isinstance(target, ast.Attribute):
            self._attribute(module, target.attr, target.value, path)
        elif isinstance(target, ast.Subscript):
            key = _key(target.slice)
            if key is not None:
                self._entries(module, target.value, key, path)
            else:
                self.value(module, target.value, (ITEM, *path))
                self.variable(module, target.value)
        elif isinstance(target, (ast.Tuple, ast.List)) and path and path[0] == ITEM:
            for item in target.elts:
                self._target(module, item, binding, path[1:])

    def _bound(self, module: Module, target: ast.expr, path: Path) -> None:
        """Go on from the variable of a loop."""
        if isinstance(target, ast.Name):
            scope = scope_of(target).find(target.id)
            if scope is not None:
                self._name(module, scope, target.id, None, path)
        else:
            self._lost(module, target)

    def _name(
        self, module: Module, scope: Scope, name: str, binding: ast.AST | None, path: Path
    ) -> None:
        if self._visited("name", scope.node, name, binding, path):
            return
        evidence = self._evidence(name)
        for use in scope.uses(name):
            if binding is None or _reaches(use, scope, name, binding):
                self.value(module, use, path)
        if scope.kind == "module":
            for other, node in self._elsewhere(module, name):
                self.value(other, node, path)
        elif scope.kind == "class":
            self._attribute(module, name, None, path, cast(ast.ClassDef, scope.node))
        evidence(module, scope.node, f"the name {name}")

    def _elsewhere(self, module: Module, name: str) -> Iterator[tuple[Module, ast.expr]]:
        """Places in other files that read a name a module defines."""
        for other in self.resolver.project.importers(module.path):
            index = other.index
            for scope in index.scopes:
                for local, bindings in scope.bindings.items():
                    if any(self._imports(other, item, module, name) for item in bindings):
                        yield from ((other, use) for use in scope.uses(local))
            if index.stars and name not in index.bound_names:
                yield from ((other, use) for use in index.module.reads.get(name, ()))
            for node in _attributes(self.resolver, other).get(name, ()):
                package = self.resolver.infer(other, node.value)
                if any(isinstance(v, Package) and v.path == module.path for v in package):
                    yield other, node

    def _imports(self, importer: Module, binding: Binding, module: Module, name: str) -> bool:
        if binding.kind != "import" or not binding.origin.endswith(f".{name}"):
            return False
        located = self.resolver.project.locate(importer.path, binding.origin)
        return located is not None and located[0] == module.path and located[2] == (name,)

    def _attribute(
        self,
        module: Module,
        attr: str,
        receiver: ast.expr | None,
        path: Path,
        cls: ast.ClassDef | None = None,
    ) -> None:
        """Every place that reads an attribute: of the same object or class, then of others."""
        text = None if receiver is None else module.segment(receiver)
        if receiver is not None and text in _SELF:
            cls, text = _class_of(receiver), ""
        if self._visited("attribute", attr, text, cls, path):
            return
        evidence = self._evidence(attr)
        before = len(self.flow.device)
        reads = _attributes(self.resolver, module).get(attr, ())
        same = [node for node in reads if _is_read_of(module, node, text, cls)]
        for node in same:
            own = receiver is not None or module.segment(node.value) in _SELF
            if own or not self._is_torch(module, node.value):
                self.value(module, node, path)
        if len(self.flow.device) == before and not _slots.says_device(attr):
            self._others(module, attr, same, path, cls)
        evidence(module, module.tree, f"the name {attr}")

    def _others(
        self,
        module: Module,
        attr: str,
        same: list[ast.Attribute],
        path: Path,
        cls: ast.ClassDef | None,
    ) -> None:
        """Reads from objects that are known to be of the class, or that may be: the latter prove
        nothing."""
        outer = self._weak
        for other in self._near(module):
            for node in _attributes(self.resolver, other).get(attr, ()):
                if node in same or other.segment(node.value) in _SELF:
                    continue
                values = self.resolver.infer(other, node.value)
                sure = any(isinstance(item, Object) and item.cls.node is cls for item in values)
                if sure or UNKNOWN in values:
                    self._weak = outer or not sure
                    self.value(other, node, path)
        self._weak = outer

    def option(self, module: Module, dest: str, path: Path) -> None:
        """Every place that reads a command-line option."""
        if self._visited("option", dest, path):
            return
        evidence = self._evidence(dest)
        for other in self._near(module):
            for node in _attributes(self.resolver, other).get(dest, ()):
                own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
                if not own and not self._is_torch(other, node.value):
                    self.value(other, node, path)
        evidence(module, module.tree, f"the option {dest}")

    def _entries(self, module: Module, receiver: ast.expr, key: str, path: Path) -> None:
        """Every place that reads an entry: of the same container, then, as a hint, of others."""
        text = module.segment(receiver)
        if self._visited("entry", key, text, path):
            return
        evidence = self._evidence(key)
        reads = _entry_reads(module, key)
        outer = self._weak
        for node, container in sorted(reads, key=lambda read: module.segment(read[1]) != text):
            self._weak = outer or module.segment(container) != text
            self.value(module, node, path)
        self._weak = outer
        evidence(module, module.tree, f"the entry {key!r}")

    # calls

    def _keyword(self, module: Module, call: ast.Call, keyword: ast.keyword, path: Path) -> None:
        if keyword.arg is not None:
            self._argument(module, call, keyword.arg, None, path)
        elif path:
            # ``f(**options)``
            self._argument(module, call, path[0], None, path[1:])

    def _argument(
        self, module: Module, call: ast.Call, name: str | None, place: int | None, path: Path
    ) -> None:
        """Go on from an argument given by name or by place."""
        names, _ = self.resolver.names(module, call.func)
        if place and self.resolver.spelled(module, call.func) in _UNBOUND:
            # ``torch.Tensor.to(x, 'cuda')``: the object is the first argument
            place -= 1
        if any(_takes(item, name, place) for item in names):
            self._take(module, call)
            return
        last = getattr(call.func, "attr", None) or getattr(call.func, "id", None) or ""
        values = self.resolver.infer(module, call.func)
        if self._into_project(module, call, values, name, place, path):
            return
        method = _slots.METHODS.get(last) if isinstance(call.func, ast.Attribute) else None
        given = method is not None and (place if name is None else name) in (
            *method,
            *method.values(),
        )
        if given and self._may_be_torch(module, cast(ast.Attribute, call.func).value):
            self._take(module, call)
            return
        if self._through(module, call, last, name, place, path):
            return
        if last in _SHOWS or any(item.startswith(_SHOWING) for item in names):
            self.flow.shown += 1
        elif name is not None and _slots.says_device(name):
            foreign = any(item.partition(".")[0] in _slots.FOREIGN for item in names)
            text = f"{name}= of {self._callee(module, call)}"
            (self._lost if foreign else self._guess)(module, call, text)
        elif _slots.says_device(last) and place == 0:
            self._guess(module, call, self._callee(module, call))
        else:
            self._lost(module, call, self._callee(module, call))

    def _into_project(
        self,
        module: Module,
        call: ast.Call,
        values: Iterable[Value],
        name: str | None,
        place: int | None,
        path: Path,
    ) -> bool:
        """Go on inside functions and classes of the project; False when nothing is known of any."""
        found = False
        for item in values:
            value = item.target if isinstance(item, Partial) else item
            if isinstance(value, Class):
                found = self._construct(module, call, value, name, place, path) or found
            elif isinstance(value, Object):
                found = (
                    self._method(module, call, value.cls, "__call__", name, place, path) or found
                )
            elif isinstance(value, Function):
                bound = self._bound_parameters(module, call, value)
                found = self._enter(value, bound, name, place, path) or found
        return found

    def _construct(
        self,
        module: Module,
        call: ast.Call,
        cls: Class,
        name: str | None,
        place: int | None,
        path: Path,
    ) -> bool:
        if self._method(module, call, cls, "__init__", name, place, path):
            return True
        if name is None:
            fields = [
                item.target.id
                for item in cls.node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            ]
            name = fields[place] if place is not None and place < len(fields) else None
        if name is None or name not in scope_of(cls.node).bindings:
            bases = self.resolver.external_bases(cls)
            if name is not None and any(_takes(base, name, None) for base in bases):
                self._take(module, call)
                return True
            return False
        self._attribute(cls.module, name, None, path, cls.node)
        return True

    def _method(
        self,
        module: Module,
        call: ast.Call,
        cls: Class,
        method: str,
        name: str | None,
        place: int | None,
        path: Path,
    ) -> bool:
        for scope in self._lineage(cls):
            for binding in scope.bindings.get(method, ()):
                if binding.kind == "def":
                    node = cast(FunctionNode, binding.node)
                    owner = self._module_of(cls, scope)
                    return self._enter(Function(owner, node), 1, name, place, path)
        return False

    def _lineage(self, cls: Class) -> list[Scope]:
        """The scopes of a class and of those of the same project it derives from."""
        found = [scope_of(cls.node)]
        self._modules_of = {id(found[0]): cls.module}
        for base in cls.node.bases:
            for value in self.resolver.infer(cls.module, base):
                if isinstance(value, Class) and value.node is not cls.node:
                    found.append(scope_of(value.node))
                    self._modules_of[id(found[-1])] = value.module
        return found

    def _module_of(self, cls: Class, scope: Scope) -> Module:
        return self._modules_of.get(id(scope), cls.module)

    def _bound_parameters(self, module: Module, call: ast.Call, function: Function) -> int:
        """How many leading parameters a call of a function does not give."""
        if not isinstance(parent(function.node), ast.ClassDef):
            return 0
        decorators = {getattr(item, "id", "") for item in function.node.decorator_list}  # type: ignore[union-attr]  # methods are not lambdas
        if "staticmethod" in decorators:
            return 0
        if "classmethod" in decorators or not isinstance(call.func, ast.Attribute):
            return 1
        receiver = self.resolver.infer(module, call.func.value)
        return int(not any(isinstance(value, Class) for value in receiver))

    def _enter(
        self, function: Function, bound: int, name: str | None, place: int | None, path: Path
    ) -> bool:
        """Go on from the parameter of a function; False where it has none of that name."""
        arguments = function.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        chosen: ast.arg | None = None
        if name is not None:
            named = [item for item in (*positional, *arguments.kwonlyargs) if item.arg == name]
            chosen = named[0] if named else arguments.kwarg
            path = path if named else (name, *path)
        elif place is not None and place + bound < len(positional):
            chosen = positional[place + bound]
        elif place is not None and arguments.vararg is not None:
            chosen, path = arguments.vararg, (ITEM, *path)
        if chosen is None:
            return False
        self._name(function.module, scope_of(function.node), chosen.arg, None, path)
        return True

    def _through(
        self,
        module: Module,
        call: ast.Call,
        last: str,
        name: str | None,
        place: int | None,
        path: Path,
    ) -> bool:
        """Calls that hand the value on, or keep it."""
        if (last, name if place is None else place) in _HANDED_ON:
            self._named_default(module, call, last, path)
        elif last == "format":
            self.value(module, call, path)
        elif last == "setattr" and place == 2:
            key = _key(call.args[1])
            if key is not None:
                self._attribute(module, key, call.args[0], path)
        elif last in ("append", "add", "insert") and isinstance(call.func, ast.Attribute):
            self.variable_path(module, call.func.value, (ITEM, *path))
        elif (last in ("list", "tuple", "set", "sorted", "cycle", "iter", "reversed") and path) or (
            last == "enumerate" and path
        ):
            self.value(module, call, path)
        elif last == "partial" and (name or (place or 0) > 0):
            inner = ast.copy_location(
                ast.Call(func=call.args[0], args=call.args[1:], keywords=call.keywords), call
            )
            self._argument(module, inner, name, None if place is None else place - 1, path)
        elif last == "dict" and name is not None:
            self.value(module, call, (name, *path))
        else:
            return self._as_option(module, call, name, place, path)
        return True

    def variable_path(self, module: Module, node: ast.expr, path: Path) -> None:
        """Go on from every place that reads a variable that holds the value behind a path."""
        if isinstance(node, ast.Name):
            scope = scope_of(node).find(node.id)
            if scope is not None:
                self._name(module, scope, node.id, None, path)
        elif isinstance(node, ast.Attribute):
            self._attribute(module, node.attr, node.value, path)

    def _named_default(self, module: Module, call: ast.Call, last: str, path: Path) -> None:
        """``options.get('device', 'cuda')``: the name of the entry is a hint too."""
        key = _key(call.args[1 if last == "getattr" else 0]) if call.args else None
        evidence = self._evidence(key or "")
        self.value(module, call, path)
        if last == "setdefault" and key is not None and isinstance(call.func, ast.Attribute):
            self._entries(module, call.func.value, key, path)
        evidence(module, call, f"the entry {key!r}")

    def _as_option(
        self, module: Module, call: ast.Call, name: str | None, place: int | None, path: Path
    ) -> bool:
        option = _options.option(call)
        if option is None:
            return False
        if not option.gives_value(name, place):
            # ``dest='cuda'`` is a name, ``help='cuda'`` a remark
            self.flow.shown += 1
            return True
        if option.function is not None:
            function = Function(module, option.function)
            if not self._enter(function, 0, option.dest, None, path):
                self._guess(module, call, f"the option {option.dest}")
        elif option.dest:
            self.option(module, option.dest, path)
        else:
            # the default of a field or parameter: the call stands for the value
            self.value(module, call, path)
        return True

    def _default(self, module: Module, node: ast.expr, owner: ast.arguments, path: Path) -> None:
        """Go on from the default of a parameter."""
        function = cast(FunctionNode, parent(owner))
        positional = [*owner.posonlyargs, *owner.args]
        pairs: list[tuple[ast.arg, ast.expr | None]] = [
            *zip(positional[len(positional) - len(owner.defaults) :], owner.defaults),
            *zip(owner.kwonlyargs, owner.kw_defaults),
        ]
        for argument, default in pairs:
            if default is node:
                self._name(module, scope_of(function), argument.arg, None, path)

    def _returned(self, module: Module, owner: ast.Return, path: Path) -> None:
        scope: Scope | None = scope_of(owner)
        while scope is not None and scope.kind != "function":
            scope = scope.parent
        if scope is None or isinstance(scope.node, ast.Lambda):
            return
        node = cast(Union[ast.FunctionDef, ast.AsyncFunctionDef], scope.node)
        if self._visited("returned", node, path):
            return
        evidence = self._evidence(node.name)
        names = {getattr(d, "id", "") or getattr(d, "attr", "") for d in node.decorator_list}
        if names & {"property", "cached_property"}:
            self._attribute(module, node.name, None, path, _class_of(node))
        else:
            for other, call, _ in self.resolver.callers(Function(module, node)):
                self.value(other, call, path)
        evidence(module, node, f"the result of {node.name}()")

    # what is told

    def _take(self, module: Module, call: ast.Call) -> None:
        text = f"{self._callee(module, call)} ({self._at(module, call)})"
        (self.flow.unknown if self._weak else self.flow.device).append(text)

    def _guess(self, module: Module, node: ast.AST, text: str) -> None:
        self.flow.likely.append(text)

    def _lost(self, module: Module, node: ast.AST, text: str = "") -> None:
        place = self._at(module, node)
        self.flow.unknown.append(f"{text} ({place})" if text else place)

    def _evidence(self, name: str) -> Callable[[Module, ast.AST, str], None]:
        """Where nothing else told, a name that speaks of a device does; call it afterwards."""
        before = len(self.flow.device) + len(self.flow.likely)

        def conclude(module: Module, node: ast.AST, text: str) -> None:
            if len(self.flow.device) + len(self.flow.likely) == before and _slots.says_device(name):
                self._guess(module, node, text)

        return conclude

    def _at(self, module: Module, node: ast.AST) -> str:
        line = f"line {getattr(node, 'lineno', 1)}"
        return line if module is self.file.module else f"{module.path} {line}"

    def _callee(self, module: Module, call: ast.Call) -> str:
        func = call.func
        if isinstance(func, ast.Attribute) and not isinstance(
            func.value, (ast.Name, ast.Attribute)
        ):
            return f"{func.attr}()"
        text = " ".join(module.segment(func).split())
        return f"{text if len(text) <= 40 else '...' + text[-37:]}()"

    # what is known

    def _visited(self, *key: object) -> bool:
        if key in self._seen or len(self._seen) > _BUDGET:
            return True
        self._seen.add(key)
        return False

    def _near(self, module: Module) -> list[Module]:
        """A module, those that import it, and those it imports."""
        project = self.resolver.project
        imported = (
            project.module(path) for path in project.imports(module.path, module.source.text)
        )
        found = [module, *project.importers(module.path), *(item for item in imported if item)]
        return list({item.path: item for item in found}.values())

    def _is_torch(self, module: Module, node: ast.expr) -> bool:
        """Whether an expression is surely an object of PyTorch's."""
        kinds, certain = self.resolver.kinds(module, node)
        return certain and all(kind.startswith("torch.") for kind in kinds)

    def _may_be_torch(self, module: Module, node: ast.expr) -> bool:
        """Whether nothing says that an expression is no object of PyTorch's."""
        for value in self.resolver.infer(module, node):
            if isinstance(value, Instance):
                return value.kind.partition(".")[0] in _slots.TORCH_LIBRARIES
            if isinstance(value, Object):
                bases = self.resolver.external_bases(value.cls)
                return any(base.partition(".")[0] in _slots.TORCH_LIBRARIES for base in bases)
        return True


_STEPS: dict[str, Callable[[_Tracer, Module, ast.expr, Any, Path], None]] = {
    **dict.fromkeys(("IfExp", "BoolOp", "Starred", "NamedExpr", "Lambda", "Await"), _Tracer._part),
    **dict.fromkeys(("Compare", "MatchValue"), _Tracer._comparison),
    **dict.fromkeys(("BinOp", "FormattedValue", "JoinedStr"), _Tracer._text),
    **dict.fromkeys(("List", "Tuple", "Set"), _Tracer._item),
    **dict.fromkeys(("ListComp", "SetComp", "GeneratorExp"), _Tracer._comprehension),
    **dict.fromkeys(("UnaryOp", "ExceptHandler", "arg"), _Tracer._shown),
    "Dict": _Tracer._dictionary,
    "Attribute": _Tracer._member,
    "Subscript": _Tracer._subscript,
    "comprehension": _Tracer._loop,
    "arguments": _Tracer._default,
}
"""How to go on, by the class of the node around an expression."""
_UNBOUND = frozenset(
    f"{cls}.{method}" for cls in ("torch.Tensor", "torch.nn.Module") for method in _slots.METHODS
)
"""Methods that are called through their class."""
_SELF = ("self", "cls")
_SAME_TEXT = ("format", "lower", "upper", "strip", "rstrip", "lstrip", "casefold")
_READS = ("get", "pop", "setdefault", "__getitem__")
_HANDED_ON = frozenset(
    [("getattr", 2), ("getenv", 1), ("getenv", "default"), ("get", 1), ("get", "default"),
     ("pop", 1), ("setdefault", 1), ("setdefault", "default"), ("str", 0), ("copy", 0),
     ("deepcopy", 0), ("cast", 1), ("parse_device", 0)]
)  # fmt: skip
"""Calls whose result may be an argument of theirs: the function and where the argument stands."""
_SHOWS = frozenset(
    [
        "print",
        "info",
        "debug",
        "warning",
        "warn",
        "error",
        "exception",
        "critical",
        "log",
        "write",
        "writelines",
        "display",
        "echo",
        "add_text",
        "isinstance",
        "len",
        "hash",
        "repr",
        "format_map",
        "join",
        "count",
        "index",
        "find",
        "split",
        "ValueError",
        "RuntimeError",
        "AssertionError",
        "TypeError",
        "NotImplementedError",
        "Exception",
        "skipif",
        "skip",
        "set_postfix",
        "set_description",
        "open",
        "Path",
        "exists",
    ]
)
"""Calls that only show, count or compare what they are given, or make a path of it."""
_SHOWING = ("os.path.", "logging.", "warnings.", "pathlib.", "builtins.print")


def _takes(callee: str, name: str | None, place: int | None) -> bool:
    """Whether an argument is a device, by the tables or by the signature of what is called."""
    if _slots.takes(callee, name, place):
        return True
    if name is not None or place is None or not callee.startswith("torch."):
        return False
    if _slots.parameters(callee) is not None:
        return False
    signature = signatures.signature(callee)
    names = () if signature is None else signature.positional
    return place < len(names) and names[place] in _slots.NAMED


def _key(node: ast.AST | None) -> str | None:
    """The literal key of an entry; numbers lead to an item."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ITEM
    return ITEM if isinstance(node, (ast.UnaryOp, ast.Slice)) else None


def _class_of(node: ast.AST) -> ast.ClassDef | None:
    """The class a node stands in."""
    return next((item for item in ancestors(node) if isinstance(item, ast.ClassDef)), None)


def _is_read_of(
    module: Module, node: ast.Attribute, text: str | None, cls: ast.ClassDef | None
) -> bool:
    """Whether an attribute is read from the object that has it: None for any of a class."""
    read = module.segment(node.value)
    if read not in _SELF:
        return text is None or read == text
    reader = _class_of(node)
    if text or reader is None:
        return False
    bases = [getattr(base, "id", "") for base in reader.bases]
    return cls is None or reader is cls or cls.name in bases


def _entry_reads(module: Module, key: str) -> list[tuple[ast.expr, ast.expr]]:
    """Every place that reads an entry of a name, and what it is read from."""
    found: list[tuple[ast.expr, ast.expr]] = [
        (node, node.value)
        for node in module.index.of(ast.Subscript)
        if isinstance(node.ctx, ast.Load) and _key(node.slice) == key
    ]
    for method in ("get", "pop"):
        for call in module.index.calls_by_name.get(method, ()):
            if call.args and _key(call.args[0]) == key and isinstance(call.func, ast.Attribute):
                found.append((call, call.func.value))
    return found


def _reaches(use: ast.Name, scope: Scope, name: str, binding: ast.AST) -> bool:
    bindings = scope.bindings.get(name, [])
    if len(bindings) < 2:
        return True
    return any(item.node is binding for item in reaching(use, bindings, scope, scope_of(use)))


def _attributes(resolver: Resolver, module: Module) -> dict[str, list[ast.Attribute]]:
    """Every attribute that is read in a module, by its name."""
    return resolver.once(_by_attribute, module)


def _by_attribute(resolver: Resolver, module: Module) -> dict[str, list[ast.Attribute]]:
    found: dict[str, list[ast.Attribute]] = {}
    for node in module.index.of(ast.Attribute):
        # ``torch.device`` is a name of PyTorch's, not an attribute somebody gave a value
        spelled = resolver.spelled(module, node) or ""
        ours = spelled.partition(".")[0] in _slots.TORCH_LIBRARIES
        if isinstance(node.ctx, ast.Load) and not ours:
            found.setdefault(node.attr, []).append(node)
    return found
