"""Forward: where a value goes.

The walk goes from an expression to what stands around it, from there into variables, parameters,
results and other files. A subclass says which steps it takes (``steps``) and what it makes of the
places the language does not decide: calls of something outside the project, attributes, containers.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Union, cast

from ascendify.source.flow.reaching import reaching
from ascendify.source.inference.functions import decorated, is_method
from ascendify.source.inference.names import lineage
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import (
    class_around,
    decorators,
    defaults,
    function_around,
    position,
    positional_parameters,
    receiver,
)
from ascendify.source.scopes import Binding, FunctionNode, Scope, parent, scope_of
from ascendify.source.values import Class, Function, Object, Package, Value

ITEM = "[]"
"""The step from a list to one of its items, where a dictionary has a key."""
Path = tuple[str, ...]
"""Keys that lead from a container to the value that is followed, the outermost first."""
Slot = Union[int, str, None]
"""The position and the name of an argument; None where ``*args`` hides the position."""
Step = Callable[[Any, Module, ast.expr, Any, Path], None]
"""A method that continues from an expression to the node around it."""


def reads_of(scope: Scope, name: str) -> list[ast.Name]:
    """Every place that reads a variable of a scope, in the order of the text."""
    return sorted(scope.uses(name), key=position)


def reads(name: ast.Name) -> list[ast.Name]:
    """Every place that reads the variable of a name, in source order."""
    scope = scope_of(name).find(name.id)
    return [] if scope is None else reads_of(scope, name.id)


def parameter(function: FunctionNode, slot: Slot, bound: int) -> ast.arg | None:
    """The parameter that receives an argument, if this many of the first ones are bound already."""
    places = positional_parameters(function)
    if isinstance(slot, str):
        named = (item for item in (*places, *function.args.kwonlyargs) if item.arg == slot)
        return next(named, None)
    return None if slot is None or slot + bound >= len(places) else places[slot + bound]


def bound_parameters(resolver: Resolver, module: Module, call: ast.Call, node: FunctionNode) -> int:
    """How many leading parameters a call of a function does not give: ``self`` or ``cls``."""
    if not is_method(node):
        return 0
    owner = receiver(call)
    if decorated(node, "classmethod") or owner is None:
        return 1
    return int(not any(isinstance(value, Class) for value in resolver.infer(module, owner)))


def attribute_reads(resolver: Resolver, module: Module, name: str) -> list[ast.Attribute]:
    """Every place of a module that reads an attribute of this name, of whatever object."""
    return resolver.once(_attributes, module).get(name, [])


def _attributes(_: Resolver, module: Module) -> dict[str, list[ast.Attribute]]:
    found: dict[str, list[ast.Attribute]] = {}
    for node in module.index.of(ast.Attribute):
        if isinstance(node.ctx, ast.Load):
            found.setdefault(node.attr, []).append(node)
    return found


def key_of(node: ast.AST | None) -> str | None:
    """The literal key of an entry; numbers lead to an item, and None is a key nobody can see."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ITEM
    return ITEM if isinstance(node, (ast.UnaryOp, ast.Slice)) else None


class Forward:
    """One walk forward along a value; a subclass records what it needs."""

    steps: ClassVar[Mapping[str, Step]] = {}
    """How to go on, by the class of the node around an expression; anything else ends the walk."""
    limit: ClassVar[int] = sys.maxsize
    """The walk visits at most this many places."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self._seen: set[tuple[object, ...]] = set()

    def visited(self, *key: object) -> bool:
        """Whether the walk was here before, or has gone far enough; it was from now on."""
        if key in self._seen or len(self._seen) > self.limit:
            return True
        self._seen.add(key)
        return False

    def follow(self, module: Module, node: ast.expr, path: Path = ()) -> None:
        """Go on from an expression that has the value, or holds it behind a path."""
        if self.visited(node, path):
            return
        around = parent(node)
        step = self.steps.get(around.__class__.__name__)
        if step is None:
            self.lost(module, node)
        else:
            step(self, module, node, around, path)

    # for subclasses to override

    def read(self, module: Module, node: ast.expr, around: ast.AST) -> None:
        """Record that the value is read here and goes no further."""

    def lost(self, module: Module, node: ast.AST) -> None:
        """Note that the value cannot be followed from here."""

    def argument(
        self, module: Module, call: ast.Call, node: ast.expr, slot: Slot, path: Path
    ) -> None:
        """Go on from an argument of a call."""
        self.lost(module, node)

    def attribute(self, module: Module, target: ast.Attribute, path: Path) -> None:
        """Continue from an attribute that the value is assigned to."""
        self.lost(module, target)

    def entry(self, module: Module, target: ast.Subscript, path: Path) -> None:
        """Continue from an entry of a container that the value is assigned to."""
        self.lost(module, target)

    def class_attribute(
        self, module: Module, cls: ast.ClassDef | None, name: str, path: Path
    ) -> None:
        """Go on from an attribute of every instance of a class."""
        if cls is not None:
            self.lost(module, cls)

    # steps from an expression to the node around it

    def on_read(self, module: Module, node: ast.expr, around: ast.AST, path: Path) -> None:
        """Handle a test, a comparison, or an expression statement."""
        self.read(module, node, around)

    def on_keyword(self, module: Module, node: ast.expr, around: ast.keyword, path: Path) -> None:
        """An argument by name, or ``**options`` that hold the value."""
        call = parent(around)
        if isinstance(call, ast.Call) and around.arg is not None:
            self.argument(module, call, node, around.arg, path)
        elif isinstance(call, ast.Call) and path:
            self.argument(module, call, node, path[0], path[1:])

    def on_call(self, module: Module, node: ast.expr, around: ast.Call, path: Path) -> None:
        """Continue from a positional argument, or from a called function."""
        if node is around.func:
            self.lost(module, node)
            return
        place = next(i for i, item in enumerate(around.args) if item is node)
        hidden = any(isinstance(item, ast.Starred) for item in around.args[:place])
        self.argument(module, around, node, None if hidden else place, path)

    def on_whole(self, module: Module, node: ast.expr, around: ast.expr, path: Path) -> None:
        """An expression that may have the value of its part."""
        if node is getattr(around, "test", None):
            self.read(module, node, around)
            return
        self.follow(module, around, path)
        if isinstance(around, ast.NamedExpr):
            self.store(module, around.target, around, path)

    def on_assignment(self, module: Module, node: ast.expr, around: ast.stmt, path: Path) -> None:
        """An assignment of the value to one or more targets."""
        if node is not getattr(around, "value", None):
            self.read(module, node, around)
            return
        for target in getattr(around, "targets", None) or [around.target]:  # type: ignore[attr-defined]  # of one target
            self.store(module, target, around, path)

    def on_return(self, module: Module, node: ast.expr, around: ast.Return, path: Path) -> None:
        """The result of a function: whoever calls it has the value."""
        function = function_around(around)
        if function is None or isinstance(function, ast.Lambda):
            return
        if not self.visited("returned", function, path):
            self.returned(module, function, path)

    def on_default(self, module: Module, node: ast.expr, around: ast.arguments, path: Path) -> None:
        """The default of a parameter."""
        for argument, value in defaults(around):
            if value is node:
                scope = scope_of(cast(FunctionNode, parent(around)))
                self.variable(module, scope, argument.arg, argument, path)

    def on_item(self, module: Module, node: ast.expr, around: Any, path: Path) -> None:
        """An item of a display: unpacked at once, or behind one more step."""
        owner = parent(around)
        place = next(i for i, item in enumerate(around.elts) if item is node)
        if isinstance(owner, ast.Assign) and isinstance(owner.targets[0], (ast.Tuple, ast.List)):
            targets = owner.targets[0].elts
            if len(targets) == len(around.elts):
                self.store(module, targets[place], owner, path)
                return
        self.follow(module, around, (ITEM, *path))

    def on_comprehension(
        self, module: Module, node: ast.expr, around: ast.expr, path: Path
    ) -> None:
        """Continue from a comprehension to the list that it builds."""
        self.follow(module, around, (ITEM, *path))

    def on_loop(self, module: Module, node: ast.expr, around: Any, path: Path) -> None:
        """Continue from the iterable of a loop to its items."""
        if node is around.iter and path:
            target = around.target
            scope = scope_of(target).find(target.id) if isinstance(target, ast.Name) else None
            if scope is not None:
                self.variable(module, scope, target.id, None, path[1:])
            elif not isinstance(target, ast.Name):
                self.lost(module, target)

    def on_dictionary(self, module: Module, node: ast.expr, around: ast.Dict, path: Path) -> None:
        """An entry of a dictionary that is written out, or ``**another`` that holds the value."""
        for key, value in zip(around.keys, around.values):
            if value is node:
                self.follow(module, around, path if key is None else (key_of(key) or ITEM, *path))

    def on_subscript(
        self, module: Module, node: ast.expr, around: ast.Subscript, path: Path
    ) -> None:
        """An entry or item that is read."""
        if node is not around.value or not path:
            self.read(module, node, around)
        elif isinstance(around.ctx, ast.Load) and key_of(around.slice) in (path[0], None):
            self.follow(module, around, path if isinstance(around.slice, ast.Slice) else path[1:])

    # from there

    def returned(
        self, module: Module, function: Union[ast.FunctionDef, ast.AsyncFunctionDef], path: Path
    ) -> None:
        """Go on from every expression that is the result of a function."""
        if decorators(function) & {"property", "cached_property"}:
            self.class_attribute(module, class_around(function), function.name, path)
        else:
            for other, call, _ in self.resolver.callers(Function(module, function)):
                self.follow(other, call, path)

    def store(self, module: Module, target: ast.expr, binding: ast.AST, path: Path) -> None:
        """Continue from the target of an assignment."""
        if isinstance(target, ast.Name):
            inner = scope_of(target)
            scope = inner.find(target.id) or inner
            self.variable(module, scope, target.id, binding, path)
        elif isinstance(target, ast.Attribute):
            self.attribute(module, target, path)
        elif isinstance(target, ast.Subscript):
            self.entry(module, target, path)
        elif isinstance(target, (ast.Tuple, ast.List)) and path and path[0] == ITEM:
            for item in target.elts:
                self.store(module, item, binding, path[1:])
        else:
            self.lost(module, target)

    def variable(
        self, module: Module, scope: Scope, name: str, binding: ast.AST | None, path: Path
    ) -> None:
        """Go on from every place that reads a variable: as one node binds it, or at all."""
        if not self.visited("variable", scope.node, name, binding, path):
            self.from_variable(module, scope, name, binding, path)

    def from_variable(
        self, module: Module, scope: Scope, name: str, binding: ast.AST | None, path: Path
    ) -> None:
        """Go on from the reads of a variable that was not met before."""
        for use in scope.uses(name) if binding is None else _reached(scope, name, binding):
            self.follow(module, use, path)
        if scope.kind == "module":
            self._elsewhere(module, name, path)
        elif scope.kind == "class":
            self.class_attribute(module, cast(ast.ClassDef, scope.node), name, path)

    def _elsewhere(self, module: Module, name: str, path: Path) -> None:
        """Go on from the places in other files that read a name a module defines."""
        for other in self.resolver.project.importers(module.path):
            index = other.index
            for scope in index.scopes:
                for local, found in scope.bindings.items():
                    for item in found:
                        if self._imports(other, item, module, name) and not self.visited(
                            "variable", scope.node, local, item.node, path
                        ):
                            Forward.from_variable(self, other, scope, local, item.node, path)
            if index.stars and name not in index.bound_names:
                for use in index.module.reads.get(name, ()):
                    self.follow(other, use, path)
            for node in attribute_reads(self.resolver, other, name):
                package = self.resolver.infer(other, node.value)
                if any(isinstance(v, Package) and v.path == module.path for v in package):
                    self.follow(other, node, path)

    def _imports(self, importer: Module, binding: Binding, module: Module, name: str) -> bool:
        if binding.kind != "import" or not binding.origin.endswith(f".{name}"):
            return False
        located = self.resolver.project.locate(importer.path, binding.origin)
        return located is not None and located[0] == module.path and located[2] == (name,)

    # into functions of the project

    def entered(self, module: Module, call: ast.Call, called: Value) -> tuple[Function, int] | None:
        """The function of the project a call runs, and how many parameters it does not give."""
        if isinstance(called, Function):
            return called, bound_parameters(self.resolver, module, call, called.node)
        if isinstance(called, Class):
            function = self._method(called, "__init__")
        else:
            function = self._method(called.cls, "__call__") if isinstance(called, Object) else None
        return None if function is None else (function, 1)

    def _method(self, cls: Class, name: str) -> Function | None:
        for ancestor in lineage(self.resolver, cls):
            for binding in scope_of(ancestor.node).bindings.get(name, ()):
                if binding.kind == "def":
                    return Function(ancestor.module, cast(FunctionNode, binding.node))
        return None

    def enter(self, function: Function, bound: int, slot: Slot, path: Path) -> bool:
        """Go on from the parameter an argument arrives at; False where there is none."""
        arguments = function.node.args
        chosen = parameter(function.node, slot, bound)
        if chosen is None and isinstance(slot, str):
            chosen, path = arguments.kwarg, (slot, *path)
        elif chosen is None and slot is not None:
            chosen, path = arguments.vararg, (ITEM, *path)
        if chosen is None:
            return False
        self.variable(function.module, scope_of(function.node), chosen.arg, chosen, path)
        return True


def _reached(scope: Scope, name: str, binding: ast.AST) -> list[ast.Name]:
    """The places that read a variable and may see what one node binds it to.

    All uses of a variable are looked at together, once: because every binding will be needed.
    """
    found = scope.bindings.get(name, [])
    if len(found) < 2:
        return scope.uses(name)
    if name not in scope.reached:
        known: dict[ast.AST, list[ast.Name]] = {}
        for use in scope.uses(name):
            live = reaching(use, found, scope, scope_of(use))
            for node in dict.fromkeys(item.node for item in live):
                known.setdefault(node, []).append(use)
        scope.reached[name] = known
    return scope.reached[name].get(binding, [])
