"""What a walk along the name of a device knows and reports; its steps are in further modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from ascendify.catalog import torch_devices
from ascendify.rules.kit import File
from ascendify.rules.torch._flow import Flow
from ascendify.rules.torch._hints import says_device
from ascendify.source.flow.forward import Forward, attribute_reads
from ascendify.source.module import Module
from ascendify.source.values import Instance, Object

_NEIGHBOURS = 40
"""Files looked into for reads of one attribute; a file that more import is a library's core."""


class Trace(Forward):
    """One walk along a value. Everything it finds goes to ``flow``."""

    limit: ClassVar[int] = 400
    """Far more than honest code needs."""

    def __init__(self, file: File) -> None:
        super().__init__(file.resolver)
        self.file = file
        self.flow = Flow()
        self._weak = False
        """Whether what follows may be another value of the same name: it proves nothing."""

    # what is told

    def _take(self, module: Module, call: ast.Call) -> None:
        text = f"{self._callee(module, call)} ({self._at(module, call)})"
        (self.flow.unknown if self._weak else self.flow.device).append(text)

    def _guess(self, text: str) -> None:
        self.flow.likely.append(text)

    def lost(self, module: Module, node: ast.AST, text: str = "") -> None:
        """Note a place that nobody can look into."""
        place = self._at(module, node)
        self.flow.unknown.append(f"{text} ({place})" if text else place)

    def read(self, module: Module, node: ast.expr, around: ast.AST) -> None:
        """Note that the value is compared, or only shown or tested."""
        if around.__class__.__name__ in ("Compare", "MatchValue", "Match"):
            self.flow.compared.append(self._at(module, node))
        else:
            self.flow.shown += 1

    @contextmanager
    def _evidence(self, name: str, text: str) -> Iterator[None]:
        """Where the steps inside tell nothing, a name that speaks of a device does."""
        before = len(self.flow.device) + len(self.flow.likely)
        yield
        if len(self.flow.device) + len(self.flow.likely) == before and says_device(name):
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

    # what is known

    def _reads_of(self, module: Module, attr: str) -> list[ast.Attribute]:
        """Reads of an attribute that somebody may have set; ``torch.device`` is a name of torch."""
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
        """Whether an expression is surely an object of PyTorch's."""
        kinds, certain = self.resolver.kinds(module, node)
        return certain and all(kind.startswith("torch.") for kind in kinds)

    def _may_be_torch(self, module: Module, node: ast.expr) -> bool:
        """Whether nothing says that an expression is no object of PyTorch's."""
        for value in self.resolver.infer(module, node):
            if isinstance(value, Instance):
                return torch_devices.is_library(value.kind)
            if isinstance(value, Object):
                bases = self.resolver.external_bases(value.cls)
                return any(map(torch_devices.is_library, bases))
        return True
