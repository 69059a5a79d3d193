"""Tests for a GPU that decide which packages are installed or which extensions are compiled."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.catalog import cuda_packages
from ascendify.rules.kit import File
from ascendify.rules.shell import _requirements
from ascendify.rules.torch import _pairs
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import string
from ascendify.source.scopes import ancestors, parent

_EXTENSIONS = (
    "torch.utils.cpp_extension.load",
    "torch.utils.cpp_extension.load_inline",
    "torch.utils.cpp_extension.CUDAExtension",
)
_NO_PACKAGES = frozenset({"cuda", "nccl", "cudnn"})
"""Names of conda packages that programs also use for devices and backends."""
_GPU_BUILD = re.compile(r"[-_](?:gpu|cu(?:da)?\d+x?)$", re.I)
"""The end of the name of a package that is a build for GPUs."""
_QUIET = (ast.Import, ast.ImportFrom, ast.Pass, ast.Assert)
"""Statements that may stand beside an installation in its branch."""


@dataclass(frozen=True)
class Choice:
    """A branch that a test for a GPU guards, and what it would install there."""

    test: ast.expr
    """The expression that is true on a machine with a GPU: the test itself, or a variable."""
    what: str
    """What the branch installs, or the function that compiles it."""
    alone: bool
    """Whether the branch does nothing else."""


def chosen_by(file: File, test: ast.Call) -> list[Choice]:
    """Every branch with a CUDA build that a call of ``is_available`` decides about."""
    found = []
    for node in (test, *_held(test)):
        choice = _choice(file, node)
        if choice is not None:
            found.append(choice)
    return found


def _held(test: ast.expr) -> list[ast.Name]:
    """Reads of the variable that is true only where the test is."""
    node: ast.expr = test
    around = parent(node)
    while isinstance(around, ast.BoolOp) and isinstance(around.op, ast.And):
        node, around = around, parent(around)
    if not isinstance(around, ast.Assign) or around.value is not node or len(around.targets) != 1:
        return []
    target = around.targets[0]
    return reads(target) if isinstance(target, ast.Name) else []


def _choice(file: File, node: ast.expr) -> Choice | None:
    negated, inner = False, node
    for around in ancestors(node):
        if isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not):
            negated = not negated
        elif isinstance(around, (ast.If, ast.IfExp)):
            if inner is not around.test:
                return None
            return _in_branch(file, node, around.orelse if negated else around.body)
        elif not (isinstance(around, ast.BoolOp) and isinstance(around.op, ast.And)):
            return None
        inner = around
    return None


def _in_branch(file: File, test: ast.expr, branch: ast.expr | list[ast.stmt]) -> Choice | None:
    """What a branch installs; an expression only chooses, so nothing else depends on it."""
    if isinstance(branch, ast.expr):
        what = next(_named(file, branch), None)
        return None if what is None else Choice(test, what, True)
    found = [(item, next(_named(file, item), None)) for item in branch]
    what = next((what for _, what in found if what is not None), None)
    if what is None:
        return None
    alone = all(name is not None or isinstance(item, _QUIET) for item, name in found)
    return Choice(test, what, alone)


def _named(file: File, tree: ast.AST) -> Iterator[str]:
    """CUDA builds that an expression or a statement names, and functions that compile CUDA."""
    shown = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and _shows(file, node))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in shown:
            continue
        if isinstance(node, ast.Call) and file.name(node.func) in _EXTENSIONS:
            yield file.brief(node.func)
        for word in (string(node) or "").split():
            item = _requirements.of_string(word)
            if item is None or item.name.lower() in _NO_PACKAGES:
                continue
            package = cuda_packages.by_distribution(item.name, file.platform)
            build = _GPU_BUILD.search(item.name) or _pairs.CUDA_BUILD.search(item.specifier)
            if package is not None or build:
                yield word


def _shows(file: File, call: ast.Call) -> bool:
    """Whether a call prints or logs its arguments."""
    name = file.name(call.func) or str(getattr(call.func, "attr", ""))
    return name.rpartition(".")[2] in ("print", "info", "warning", "warn", "error", "debug")
