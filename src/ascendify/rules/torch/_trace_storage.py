"""Following a value through what keeps it: variables, attributes, entries, other files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import cast

from ascendify.rules.torch import _slots
from ascendify.rules.torch._flow import ITEM, Path
from ascendify.rules.torch._trace import Trace
from ascendify.source.flow import backward
from ascendify.source.flow.reaching import reaching
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import class_around
from ascendify.source.scopes import Binding, Scope, scope_of
from ascendify.source.values import UNKNOWN, Object, Package

_SELF = ("self", "cls")


class StorageTrace(Trace):
    """The steps from where a value is put to where it is read."""

    def variable(self, module: Module, node: ast.expr) -> None:
        """Go on from every place that reads what an expression reads."""
        if self._visited("variable", node):
            return
        if isinstance(node, ast.Name):
            scope = scope_of(node).find(node.id)
            if scope is None:
                self._evidence(node.id)(f"the name {node.id}")
                return
            for binding in scope.bindings[node.id]:
                self._origin(module, scope, binding)
            self._name(module, scope, node.id, None, ())
        elif isinstance(node, ast.Attribute):
            self._attribute(module, node.attr, node.value, ())
        elif isinstance(node, ast.Subscript) and key_of(node.slice) is not None:
            self._entries(module, node.value, cast(str, key_of(node.slice)), ())

    def _origin(self, module: Module, scope: Scope, binding: Binding) -> None:
        """What a variable got its value from is a device if that is one elsewhere."""
        if binding.kind == "assign" and not binding.path and binding.value is not None:
            self.variable(module, binding.value)
        elif binding.kind == "param" and not isinstance(scope.node, ast.Lambda):
            for other, given in backward.passed(self.resolver, module, cast(ast.arg, binding.node)):
                if given is not None:
                    self.variable(other, given)

    def _target(self, module: Module, target: ast.expr, binding: ast.AST, path: Path) -> None:
        """Go on from what an assignment gives the value to."""
        if isinstance(target, ast.Name):
            inner = scope_of(target)
            scope = inner.find(target.id) or inner
            self._name(module, scope, target.id, binding, path)
        elif isinstance(target, ast.Attribute):
            self._attribute(module, target.attr, target.value, path)
        elif isinstance(target, ast.Subscript):
            key = key_of(target.slice)
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
        evidence(f"the name {name}")

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
            cls, text = class_of(receiver), ""
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
        if len(self.flow.device) == before:
            self._others(module, attr, same, path, cls)
        evidence(f"the name {attr}")

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
                # of unknown objects a name that speaks of a device says as much as they do
                unknown = any(item is UNKNOWN for item in values)
                if sure or (unknown and not _slots.says_device(attr)):
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
        evidence(f"the option {dest}")

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
        evidence(f"the entry {key!r}")

    def variable_path(self, module: Module, node: ast.expr, path: Path) -> None:
        """Go on from every place that reads a variable that holds the value behind a path."""
        if isinstance(node, ast.Name):
            scope = scope_of(node).find(node.id)
            if scope is not None:
                self._name(module, scope, node.id, None, path)
        elif isinstance(node, ast.Attribute):
            self._attribute(module, node.attr, node.value, path)


def key_of(node: ast.AST | None) -> str | None:
    """The literal key of an entry; numbers lead to an item."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ITEM
    return ITEM if isinstance(node, (ast.UnaryOp, ast.Slice)) else None


def class_of(node: ast.AST) -> ast.ClassDef | None:
    """The class a node stands in."""
    return class_around(node)


def _is_read_of(
    module: Module, node: ast.Attribute, text: str | None, cls: ast.ClassDef | None
) -> bool:
    """Whether an attribute is read from the object that has it: None for any of a class."""
    read = module.segment(node.value)
    if read not in _SELF:
        return text is None or read == text
    reader = class_of(node)
    if text or reader is None:
        return False
    bases = [getattr(base, "id", "") for base in reader.bases]
    return cls is None or reader is cls or cls.name in bases


def _entry_reads(module: Module, key: str) -> list[tuple[ast.expr, ast.expr]]:
    """Every place that reads an entry of a name, and what it is read from."""
    found: list[tuple[ast.expr, ast.expr]] = [
        (node, node.value)
        for node in module.index.of(ast.Subscript)
        if isinstance(node.ctx, ast.Load) and key_of(node.slice) == key
    ]
    for method in ("get", "pop"):
        for call in module.index.calls_by_name.get(method, ()):
            if call.args and key_of(call.args[0]) == key and isinstance(call.func, ast.Attribute):
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
