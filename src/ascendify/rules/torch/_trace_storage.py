"""Following a device through what keeps it: variables, attributes, entries, options."""

from __future__ import annotations

import ast
from typing import cast

from ascendify.rules.torch._hints import says_device
from ascendify.rules.torch._trace import Trace
from ascendify.source.flow import backward
from ascendify.source.flow.forward import ITEM, Path, key_of
from ascendify.source.module import Module
from ascendify.source.nodes import class_around
from ascendify.source.scopes import Binding, Scope, scope_of
from ascendify.source.values import UNKNOWN, Object

_SELF = ("self", "cls")


class StorageTrace(Trace):
    """The steps from where a value is put to where it is read."""

    def all_reads(self, module: Module, node: ast.expr) -> None:
        """Go on from every place that reads what an expression reads."""
        if self.visited("all reads", node):
            return
        if isinstance(node, ast.Name):
            scope = scope_of(node).find(node.id)
            if scope is None:
                if says_device(node.id):
                    self._guess(f"the name {node.id}")
                return
            for binding in scope.bindings[node.id]:
                self._origin(module, scope, binding)
            self.variable(module, scope, node.id, None, ())
        elif isinstance(node, ast.Attribute):
            self.attribute(module, node, ())
        elif isinstance(node, ast.Subscript) and key_of(node.slice) is not None:
            self._entries(module, node.value, cast(str, key_of(node.slice)), ())

    def _origin(self, module: Module, scope: Scope, binding: Binding) -> None:
        """What a variable got its value from is a device if that is one elsewhere."""
        value = backward.assigned(binding)
        if value is not None:
            self.all_reads(module, value)
        elif binding.kind == "param" and not isinstance(scope.node, ast.Lambda):
            for other, given in backward.passed(self.resolver, module, cast(ast.arg, binding.node)):
                if given is not None:
                    self.all_reads(other, given)

    def from_variable(
        self, module: Module, scope: Scope, name: str, binding: ast.AST | None, path: Path
    ) -> None:
        """Go on from the reads of a variable, whose name is a hint too."""
        with self._evidence(name, f"the name {name}"):
            super().from_variable(module, scope, name, binding, path)

    def entry(self, module: Module, target: ast.Subscript, path: Path) -> None:
        """Go on from the reads of an entry, or of all that the container holds."""
        key = key_of(target.slice)
        if key is not None:
            self._entries(module, target.value, key, path)
        else:
            self.follow(module, target.value, (ITEM, *path))
            self.all_reads(module, target.value)

    def attribute(self, module: Module, target: ast.Attribute, path: Path) -> None:
        """Go on from the reads of an attribute of an object."""
        self._attribute(module, target.attr, target.value, path, None)

    def class_attribute(
        self, module: Module, cls: ast.ClassDef | None, name: str, path: Path
    ) -> None:
        """Go on from the reads of an attribute of all objects of a class."""
        self._attribute(module, name, None, path, cls)

    def _attribute(
        self,
        module: Module,
        attr: str,
        receiver: ast.expr | None,
        path: Path,
        cls: ast.ClassDef | None,
    ) -> None:
        """Every place that reads an attribute: of the same object or class, then of others."""
        text = None if receiver is None else module.segment(receiver)
        if receiver is not None and text in _SELF:
            cls, text = class_around(receiver), ""
        if self.visited("attribute", attr, text, cls, path):
            return
        with self._evidence(attr, f"the name {attr}"):
            before = len(self.flow.device)
            reads = self._reads_of(module, attr)
            same = [node for node in reads if _is_read_of(module, node, text, cls)]
            for node in same:
                own = receiver is not None or module.segment(node.value) in _SELF
                if own or not self._is_torch(module, node.value):
                    self.follow(module, node, path)
            if len(self.flow.device) == before:
                self._others(module, attr, same, path, cls)

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
            for node in self._reads_of(other, attr):
                if node in same or other.segment(node.value) in _SELF:
                    continue
                values = self.resolver.infer(other, node.value)
                sure = any(isinstance(item, Object) and item.cls.node is cls for item in values)
                # of unknown objects a name that speaks of a device says as much as they do
                unknown = any(item is UNKNOWN for item in values)
                if sure or (unknown and not says_device(attr)):
                    self._weak = outer or not sure
                    self.follow(other, node, path)
        self._weak = outer

    def option(self, module: Module, dest: str, path: Path) -> None:
        """Every place that reads a command-line option."""
        if self.visited("option", dest, path):
            return
        with self._evidence(dest, f"the option {dest}"):
            for other in self._near(module):
                for node in self._reads_of(other, dest):
                    own = isinstance(node.value, ast.Name) and node.value.id in _SELF
                    if not own and not self._is_torch(other, node.value):
                        self.follow(other, node, path)

    def _entries(self, module: Module, receiver: ast.expr, key: str, path: Path) -> None:
        """Every place that reads an entry: of the same container, then, as a hint, of others."""
        text = module.segment(receiver)
        if self.visited("entry", key, text, path):
            return
        with self._evidence(key, f"the entry {key!r}"):
            reads = _entry_reads(module, key)
            outer = self._weak
            for node, container in sorted(reads, key=lambda read: module.segment(read[1]) != text):
                self._weak = outer or module.segment(container) != text
                self.follow(module, node, path)
            self._weak = outer

    def held(self, module: Module, node: ast.expr, path: Path) -> None:
        """Go on from every place that reads a variable that holds the value behind a path."""
        if isinstance(node, ast.Name):
            scope = scope_of(node).find(node.id)
            if scope is not None:
                self.variable(module, scope, node.id, None, path)
        elif isinstance(node, ast.Attribute):
            self.attribute(module, node, path)


def _is_read_of(
    module: Module, node: ast.Attribute, text: str | None, cls: ast.ClassDef | None
) -> bool:
    """Whether an attribute is read from the object that has it: None for any of a class."""
    read = module.segment(node.value)
    if read not in _SELF:
        return text is None or read == text
    reader = class_around(node)
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
