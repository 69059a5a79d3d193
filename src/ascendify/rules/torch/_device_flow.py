"""Follow a text that may name a device through variables, attributes, entries and options.

This is the part of the walk that knows where values are kept; ``_device_uses`` adds calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, cast

from ascendify.catalog import torch_devices
from ascendify.rules.kit import File
from ascendify.source.flow import backward
from ascendify.source.flow.forward import ITEM, Forward, Path, attribute_reads, key_of
from ascendify.source.module import Module
from ascendify.source.nodes import class_around
from ascendify.source.scopes import Binding, Scope, scope_of
from ascendify.source.values import UNKNOWN, Instance, Object

_DEVICE_WORD = re.compile(r"(?:^|[^a-z])(?:dev|devs|device|devices|map_?location)(?:[^a-z]|$)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NEIGHBOURS = 40
"""Files that are searched for reads of one attribute; a file with more importers is a core file."""
_PLACES = 3
"""How many places a message names."""
_SELF = ("self", "cls")


def says_device(name: str) -> bool:
    """Whether a name contains the word device, as ``eval_device`` does."""
    return bool(_DEVICE_WORD.search(_CAMEL.sub("_", name).lower()))


@dataclass
class DeviceUses:
    """Where a value goes, each place as words for a message."""

    device: list[str] = field(default_factory=list)
    """Places that take a device."""
    likely: list[str] = field(default_factory=list)
    """Places that take a device according to their names only."""
    unknown: list[str] = field(default_factory=list)
    """Places where the value cannot be followed."""
    compared: list[str] = field(default_factory=list)
    """Comparisons with other values."""
    shown: int = 0
    """How often the value is only printed, tested or made part of a path."""

    @property
    def is_device(self) -> bool:
        """Whether it names a device, for certain or according to names."""
        return bool(self.device or self.likely)

    def places(self) -> str:
        """The places it goes to, for a message."""
        found = list(dict.fromkeys([*self.device, *self.likely, *self.unknown, *self.compared]))
        more = len(found) - _PLACES
        return ", ".join(found[:_PLACES]) + (f" and {more} more" if more > 0 else "")


class DeviceFlow(Forward):
    """One walk along a value; the places it reaches are collected in ``uses``."""

    limit: ClassVar[int] = 400
    """Far more steps than real programs need."""

    def __init__(self, file: File) -> None:
        super().__init__(file.resolver)
        self.file = file
        self.uses = DeviceUses()
        self._weak = False
        """Whether the walk follows another value of the same name, which proves nothing."""

    def _take(self, module: Module, call: ast.Call) -> None:
        text = f"{self._callee(module, call)} ({self._at(module, call)})"
        (self.uses.unknown if self._weak else self.uses.device).append(text)

    def _guess(self, text: str) -> None:
        self.uses.likely.append(text)

    def lost(self, module: Module, node: ast.AST, text: str = "") -> None:
        """Note a place where the value cannot be followed."""
        place = self._at(module, node)
        self.uses.unknown.append(f"{text} ({place})" if text else place)

    def read(self, module: Module, node: ast.expr, around: ast.AST) -> None:
        """Note that the value is compared, or only printed or tested."""
        if around.__class__.__name__ in ("Compare", "MatchValue", "Match"):
            self.uses.compared.append(self._at(module, node))
        else:
            self.uses.shown += 1

    @contextmanager
    def _evidence(self, name: str, text: str) -> Iterator[None]:
        """Where the steps inside find no device, use a name that contains the word device."""
        before = len(self.uses.device) + len(self.uses.likely)
        yield
        if len(self.uses.device) + len(self.uses.likely) == before and says_device(name):
            self._guess(text)

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

    def _reads_of(self, module: Module, attr: str) -> list[ast.Attribute]:
        """Reads of an attribute, except names of libraries such as ``torch.device``."""
        return [
            node
            for node in attribute_reads(self.resolver, module, attr)
            if not torch_devices.is_library(self.resolver.spelled(module, node) or "")
        ]

    def _near(self, module: Module) -> list[Module]:
        """A module, those that import it, and those it imports."""
        project = self.resolver.project
        found = [module, *project.importers(module.path), *project.imported(module)]
        return list({item.path: item for item in found}.values())[:_NEIGHBOURS]

    def _is_torch(self, module: Module, node: ast.expr) -> bool:
        """Whether an expression is surely an object of PyTorch."""
        kinds, certain = self.resolver.kinds(module, node)
        return certain and all(kind.startswith("torch.") for kind in kinds)

    def _may_be_torch(self, module: Module, node: ast.expr) -> bool:
        """Whether an expression may be an object of PyTorch."""
        for value in self.resolver.infer(module, node):
            if isinstance(value, Instance):
                return torch_devices.is_library(value.kind)
            if isinstance(value, Object):
                bases = self.resolver.external_bases(value.cls)
                return any(map(torch_devices.is_library, bases))
        return True

    def all_reads(self, module: Module, node: ast.expr) -> None:
        """Continue with every place that reads the same variable, attribute or entry."""
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
        """Continue with the variable that a variable got its value from."""
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
        """Continue with the reads of a variable, whose name is a hint too."""
        with self._evidence(name, f"the name {name}"):
            super().from_variable(module, scope, name, binding, path)

    def entry(self, module: Module, target: ast.Subscript, path: Path) -> None:
        """Continue with the reads of an entry, or of all entries where the key is unknown."""
        key = key_of(target.slice)
        if key is not None:
            self._entries(module, target.value, key, path)
        else:
            self.follow(module, target.value, (ITEM, *path))
            self.all_reads(module, target.value)

    def attribute(self, module: Module, target: ast.Attribute, path: Path) -> None:
        """Continue with the reads of an attribute of an object."""
        self._attribute(module, target.attr, target.value, path, None)

    def class_attribute(
        self, module: Module, cls: ast.ClassDef | None, name: str, path: Path
    ) -> None:
        """Continue with the reads of an attribute of all objects of a class."""
        self._attribute(module, name, None, path, cls)

    def _attribute(
        self,
        module: Module,
        attr: str,
        receiver: ast.expr | None,
        path: Path,
        cls: ast.ClassDef | None,
    ) -> None:
        """Continue with every read of an attribute: of the same object or class, then of others."""
        text = None if receiver is None else module.segment(receiver)
        if receiver is not None and text in _SELF:
            cls, text = class_around(receiver), ""
        if self.visited("attribute", attr, text, cls, path):
            return
        with self._evidence(attr, f"the name {attr}"):
            before = len(self.uses.device)
            reads = self._reads_of(module, attr)
            same = [node for node in reads if _is_read_of(module, node, text, cls)]
            for node in same:
                own = receiver is not None or module.segment(node.value) in _SELF
                if own or not self._is_torch(module, node.value):
                    self.follow(module, node, path)
            if len(self.uses.device) == before:
                self._others(module, attr, same, path, cls)

    def _others(
        self,
        module: Module,
        attr: str,
        same: list[ast.Attribute],
        path: Path,
        cls: ast.ClassDef | None,
    ) -> None:
        """Continue with reads from objects of the class, or of unknown type (no proof)."""
        outer = self._weak
        for other in self._near(module):
            for node in self._reads_of(other, attr):
                if node in same or other.segment(node.value) in _SELF:
                    continue
                values = self.resolver.infer(other, node.value)
                sure = any(isinstance(item, Object) and item.cls.node is cls for item in values)
                # for objects of unknown type, a name such as ``device`` is hint enough
                unknown = any(item is UNKNOWN for item in values)
                if sure or (unknown and not says_device(attr)):
                    self._weak = outer or not sure
                    self.follow(other, node, path)
        self._weak = outer

    def option(self, module: Module, dest: str, path: Path) -> None:
        """Continue with every read of a command-line option."""
        if self.visited("option", dest, path):
            return
        with self._evidence(dest, f"the option {dest}"):
            for other in self._near(module):
                for node in self._reads_of(other, dest):
                    own = isinstance(node.value, ast.Name) and node.value.id in _SELF
                    if not own and not self._is_torch(other, node.value):
                        self.follow(other, node, path)

    def _entries(self, module: Module, receiver: ast.expr, key: str, path: Path) -> None:
        """Continue with every read of an entry: of the same container, then of others as a hint."""
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
        """Continue with the reads of a variable or attribute that contains the value."""
        if isinstance(node, ast.Name):
            scope = scope_of(node).find(node.id)
            if scope is not None:
                self.variable(module, scope, node.id, None, path)
        elif isinstance(node, ast.Attribute):
            self.attribute(module, node, path)


def _is_read_of(
    module: Module, node: ast.Attribute, text: str | None, cls: ast.ClassDef | None
) -> bool:
    """Whether an attribute is read from the given object, or from any of a class."""
    read = module.segment(node.value)
    if read not in _SELF:
        return text is None or read == text
    reader = class_around(node)
    if text or reader is None:
        return False
    bases = [getattr(base, "id", "") for base in reader.bases]
    return cls is None or reader is cls or cls.name in bases


def _entry_reads(module: Module, key: str) -> list[tuple[ast.expr, ast.expr]]:
    """Every read of an entry with this key, and the container it is read from."""
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
