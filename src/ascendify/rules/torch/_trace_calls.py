"""Following a value into calls: what PyTorch takes, what the project does, what only shows it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Union, cast

from ascendify.catalog import signatures
from ascendify.rules.torch import _options, _slots
from ascendify.rules.torch._flow import ITEM, Path
from ascendify.rules.torch._trace_storage import StorageTrace, class_of, key_of
from ascendify.source.module import Module
from ascendify.source.nodes import last_name
from ascendify.source.scopes import FunctionNode, Scope, parent, scope_of
from ascendify.source.values import Class, Function, Object, Partial, Value

_UNBOUND = frozenset(
    f"{cls}.{method}" for cls in ("torch.Tensor", "torch.nn.Module") for method in _slots.METHODS
)
"""Methods that are called through their class."""
_HANDED_ON = frozenset(
    [("getattr", 2), ("getenv", 1), ("getenv", "default"), ("get", 1), ("get", "default"),
     ("pop", 1), ("setdefault", 1), ("setdefault", "default"), ("str", 0), ("copy", 0),
     ("deepcopy", 0), ("cast", 1)]
)  # fmt: skip
"""Calls whose result may be an argument of theirs: the function and where the argument stands."""
_SHOWS = frozenset(
    ["print", "info", "debug", "warning", "warn", "error", "exception", "critical", "log",
     "write", "writelines", "display", "echo", "add_text", "isinstance", "len", "hash", "repr",
     "format_map", "join", "count", "index", "find", "split", "ValueError", "RuntimeError",
     "AssertionError", "TypeError", "NotImplementedError", "Exception", "skipif", "skip",
     "set_postfix", "set_description", "open", "Path", "exists"]
)  # fmt: skip
"""Calls that only show, count or compare what they are given, or make a path of it."""
_SHOWING = ("os.path.", "logging.", "warnings.", "pathlib.", "builtins.print")


class CallTrace(StorageTrace):
    """The steps from an argument to what becomes of it, and from a result to who gets it."""

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
        last = last_name(call.func)
        values = self.resolver.infer(module, call.func)
        if self._into_project(module, call, values, name, place, path):
            return
        method = _slots.METHODS.get(last, {}) if isinstance(call.func, ast.Attribute) else {}
        given = name in method if place is None else place in method.values()
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
            if foreign:
                self._lost(module, call, text)
            else:
                self._guess(text)
        elif _slots.says_device(last) and place == 0:
            self._guess(self._callee(module, call))
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
            key = key_of(call.args[1])
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

    def _named_default(self, module: Module, call: ast.Call, last: str, path: Path) -> None:
        """``options.get('device', 'cuda')``: the name of the entry is a hint too."""
        key = key_of(call.args[1 if last == "getattr" else 0]) if call.args else None
        evidence = self._evidence(key or "")
        self.value(module, call, path)
        if last == "setdefault" and key is not None and isinstance(call.func, ast.Attribute):
            self._entries(module, call.func.value, key, path)
        evidence(f"the entry {key!r}")

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
                self._guess(f"the option {option.dest}")
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
        names = {last_name(d) for d in node.decorator_list}
        if names & {"property", "cached_property"}:
            self._attribute(module, node.name, None, path, class_of(node))
        else:
            for other, call, _ in self.resolver.callers(Function(module, node)):
                self.value(other, call, path)
        evidence(f"the result of {node.name}()")


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
