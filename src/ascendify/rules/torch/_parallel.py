"""Uses of a model that is wrapped for several devices, and tests of the device count."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import File
from ascendify.source.flow import backward
from ascendify.source.nodes import FUNCTIONS
from ascendify.source.scopes import ancestors, parent

_COUNTS = ("torch.cuda.device_count", "torch.npu.device_count", "torch.accelerator.device_count")


def inner_uses(file: File, target: str) -> Iterator[ast.Attribute]:
    """Every ``<target>.module`` of the file that is not guarded by a test."""
    for chain in file.once(_module_reads).get(target, ()):
        if not _is_tested(file, chain, target):
            yield chain


def _module_reads(file: File) -> dict[str, list[ast.Attribute]]:
    """Every ``x.module`` that is read, by the text of ``x``."""
    found: dict[str, list[ast.Attribute]] = {}
    for node in file.module.index.references:
        chain: ast.AST = node
        while isinstance(chain, ast.Attribute):
            if chain.attr == "module":
                found.setdefault(file.text(chain.value), []).append(chain)
            chain = chain.value
    return found


def others(file: File, targets: set[str]) -> bool:
    """Whether ``.module`` of other variables is read, here or in files that this one works with.

    One of them may be the wrapped model, as a function knows it.
    """
    for text, chains in file.once(_module_reads).items():
        if text not in targets and any(not _is_tested(file, item, text) for item in chains):
            return True
    project = file.resolver.project
    return any(
        not _is_tested(other, chain, text)
        for module in (*project.importers(file.path), *project.imported(file.module))
        if module.index.scopes and module.path != file.path
        for other in [file.of(module)]
        for text, chains in _module_reads(other).items()
        for chain in chains
    )


def is_used_elsewhere(file: File, target: str) -> bool:
    """Whether a file that imports this one uses ``.module`` of an attribute of the same name."""
    last = target.rpartition(".")[2]
    return "." in target and any(
        f".{last}.module" in module.source.text
        for module in file.resolver.project.importers(file.path)
    )


def _is_tested(file: File, node: ast.AST, target: str) -> bool:
    """Whether a condition tests it before: ``hasattr(model, 'module')``, isinstance."""
    inside = node
    for ancestor in ancestors(node):
        if isinstance(ancestor, (ast.If, ast.IfExp)) and inside is not ancestor.test:
            for test in ast.walk(ancestor.test):
                if (
                    isinstance(test, ast.Call)
                    and file.name(test.func) in ("builtins.hasattr", "builtins.isinstance")
                    and test.args
                    and file.text(test.args[0]) == target
                ):
                    return True
        inside = ancestor
    return False


def is_counted(file: File, node: ast.AST) -> bool:
    """Whether a statement runs only where there is more than one device."""
    for ancestor in ancestors(node):
        if isinstance(ancestor, FUNCTIONS):
            return False
        if (
            isinstance(ancestor, ast.If)
            and _in_body(ancestor, node)
            and any(_is_many(file, test) for test in _conditions(ancestor.test))
        ):
            return True
    return False


def _in_body(branch: ast.If, node: ast.AST) -> bool:
    inside: ast.AST = node
    while parent(inside) is not branch:
        inside = parent(inside)
    return inside in branch.body


def _conditions(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _conditions(value)
    else:
        yield test


def _is_many(file: File, test: ast.expr) -> bool:
    """``count > 1``, ``count >= 2``, ``1 < count`` with a count of devices."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operator, (ast.Lt, ast.LtE)):
        left, right = right, left
    least = 1 if isinstance(operator, (ast.Gt, ast.Lt)) else 2
    if not isinstance(operator, (ast.Gt, ast.Lt, ast.GtE, ast.LtE)):
        return False
    return file.literal(right) == (least,) and is_count(file, left)


def is_count(file: File, node: ast.expr) -> bool:
    """Whether an expression is the number of devices, directly or in a variable or attribute."""
    if isinstance(node, ast.Call):
        return file.name(node.func) in _COUNTS
    if isinstance(node, ast.Name):
        bindings = backward.bindings(node)
        return bool(bindings) and all(_holds_count(file, item.value) for item in bindings)
    if isinstance(node, ast.Attribute):
        stores = [
            store for store in file.module.index.stores if file.text(store) == file.text(node)
        ]
        values = [getattr(parent(store), "value", None) for store in stores]
        return bool(values) and all(_holds_count(file, value) for value in values)
    return False


def _holds_count(file: File, value: ast.expr | None) -> bool:
    if value is None or isinstance(value, ast.Attribute):
        return False
    if isinstance(value, ast.Constant):
        return value.value in (0, 1)
    if isinstance(value, ast.IfExp):
        return _holds_count(file, value.body) and _holds_count(file, value.orelse)
    return is_count(file, value)
