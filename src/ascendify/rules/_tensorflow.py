"""What a file calls TensorFlow at a place: ``tf`` mostly, imported at the top or in a function."""

from __future__ import annotations

import ast

from ascendify.rules.kit import File
from ascendify.source.scopes import Scope, scope_of

_ROOTS = frozenset({"tensorflow", "tensorflow.compat.v1"})


def local_name(file: File, node: ast.AST) -> str | None:
    """The name that surely is TensorFlow at a node; None where the file imports it by no name."""
    use = scope_of(node)
    scope: Scope | None = use
    while scope is not None:
        for local, bindings in scope.bindings.items():
            imported = all(item.kind == "import" and item.origin in _ROOTS for item in bindings)
            if not (bindings and imported and use.find(local) is scope):
                continue
            if scope.kind == "module" or _line(bindings[0].node) < _line(node):
                return local
        scope = scope.parent
    return None


def _line(node: ast.AST) -> int:
    line: int = getattr(node, "lineno", 0)
    return line
