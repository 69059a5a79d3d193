"""Which expressions hold what a DataLoader yields: a batch, or a part of one, as it was yielded."""

from __future__ import annotations

import ast

from ascendify.rules.kit import File
from ascendify.source.flow import backward
from ascendify.source.nodes import last_name, receiver, root_name
from ascendify.source.scopes import Binding

LOADER = "torch.utils.data.DataLoader"
_PASSING_ON = frozenset({"enumerate", "tqdm", "trange", "track", "iter", "items", "values"})
"""Functions and methods whose result yields what their object or first argument yields."""


def holds(file: File, node: ast.expr) -> bool:
    """Whether an expression is what a DataLoader yields, or a part of it: ``batch["image"]``."""
    while isinstance(node, ast.Subscript):
        node = node.value
    name = root_name(node)
    return name is not None and _comes_from_loader(file, name)


def _comes_from_loader(file: File, name: ast.Name, depth: int = 3) -> bool:
    found = backward.definitions(name)
    return len(found) == 1 and depth > 0 and _yields_batches(file, found[0], depth)


def _yields_batches(file: File, binding: Binding, depth: int) -> bool:
    value: ast.expr | None = binding.value
    if binding.kind == "assign" and isinstance(value, (ast.Name, ast.Subscript)):
        # ``images, labels = batch``, ``images = batch[0]``
        while isinstance(value, ast.Subscript):
            value = value.value
        return isinstance(value, ast.Name) and _comes_from_loader(file, value, depth - 1)
    if binding.kind != "iter" or value is None:
        return False
    while isinstance(value, ast.Call) and not file.is_a(value, LOADER):
        if last_name(value.func) not in _PASSING_ON:
            return False
        inner = value.args[0] if value.args else receiver(value)
        if inner is None:
            return False
        value = inner
    if file.is_a(value, LOADER):
        return True
    return isinstance(value, ast.Name) and _comes_from_loader(file, value, depth - 1)
