"""What a walk along a value knows and tells; the steps of the walk are in modules of their own."""

from __future__ import annotations

import abc
import ast
from collections.abc import Callable

from ascendify.rules.kit import File
from ascendify.rules.torch import _slots
from ascendify.rules.torch._flow import Flow, Path
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.values import Instance, Object

_NEIGHBOURS = 40
"""Files looked into for reads of one attribute; a file that more import is a library's core."""
_BUDGET = 400
"""Places looked at for one text; far more than honest code needs."""


class Trace(abc.ABC):
    """One walk along a value. Everything it finds goes to ``flow``."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.resolver: Resolver = file.resolver
        self.flow = Flow()
        self._seen: set[tuple[object, ...]] = set()
        self._weak = False
        """Whether what follows may be another value of the same name: it proves nothing."""

    @abc.abstractmethod
    def value(self, module: Module, node: ast.expr, path: Path) -> None:
        """Go on from an expression that has the value, or holds it behind a path."""

    # what is told

    def _take(self, module: Module, call: ast.Call) -> None:
        text = f"{self._callee(module, call)} ({self._at(module, call)})"
        (self.flow.unknown if self._weak else self.flow.device).append(text)

    def _guess(self, text: str) -> None:
        self.flow.likely.append(text)

    def _lost(self, module: Module, node: ast.AST, text: str = "") -> None:
        place = self._at(module, node)
        self.flow.unknown.append(f"{text} ({place})" if text else place)

    def _evidence(self, name: str) -> Callable[[str], None]:
        """Where nothing else told, a name that speaks of a device does; call it afterwards."""
        before = len(self.flow.device) + len(self.flow.likely)

        def conclude(text: str) -> None:
            if len(self.flow.device) + len(self.flow.likely) == before and _slots.says_device(name):
                self._guess(text)

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
        return list({item.path: item for item in found}.values())[:_NEIGHBOURS]

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
