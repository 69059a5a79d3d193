"""Names of torch that the PyTorch of the release a project is migrated for does not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Union

from ascendify.catalog import torch_npu_names
from ascendify.rules.kit import Diagnoses, File, Rule, Status, guards, once
from ascendify.rules.torch import _release, _release_check
from ascendify.source.flow import backward
from ascendify.source.nodes import DEFINITIONS, attributes, root_name, strings
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TORCH-REL-2",
    title="Use names that the PyTorch of the target has",
    why=(
        "torch_npu is made for one release of PyTorch each. Code that was written with a newer "
        "PyTorch than the one it is migrated for uses names that are not there yet, and fails "
        "with AttributeError or ImportError."
    ),
    statuses=(Status.MANUAL,),
    before="torch.accelerator.synchronize()  # with torch_npu for PyTorch 2.4",
    last=True,
)

_CHECK = re.compile(
    r"(?i:(?<!con)(?<!in)version|hasattr|getattr|find_spec|torch_?\d|at_least|greater|older|newer)"
    r"|TYPE_CHECKING|[A-Z]_AVAILABLE|HAS_|HAVE_|SUPPORTS_"
)
"""What a condition says that asks for a release, or for what a release has."""
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_Import = Union[ast.Import, ast.ImportFrom]


@RULE.file
def tell(file: File) -> Diagnoses:
    """The first mention in a file of each name that came later, as the program spells it.

    Other spellings do not count: ``torch.distributed._tensor`` was there before
    ``torch.distributed.tensor``.
    """
    release = _release.of(file.facts)
    places: dict[tuple[str, str], list[ast.AST]] = {}
    for node, name in (*_imported(file), *_read(file)):
        new, since = torch_npu_names.torch_newcomer(name)
        if release.torch_has(name) is False:
            places.setdefault((new, since), []).append(node)
    asked = _asked(file) if places else frozenset()
    for (name, since), nodes in places.items():
        used = [node for node in nodes if not _is_guarded(file, node)]
        if not used or name.rpartition(".")[2] in asked:
            continue
        others = once.words(sorted({_line(node) for node in used} - {_line(used[0])}))
        came = torch_npu_names.torch_line_words(since)
        older = _release_check.instead(name, release)
        yield RULE.manual(
            file.at(used[0]),
            f"{name} is in PyTorch since {came}, and the target is torch {release.torch}{others}",
            todo=f"Use PyTorch {since} or newer and name its torch_npu by --torch-npu"
            + (f". {older}" if older else ", or write what was written before it."),
        )


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def _imported(file: File) -> Iterator[tuple[_Import, str]]:
    """Names and modules of torch that import statements ask for."""
    for node in file.module.index.imports:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names if _is_torch(file, alias.name))
        elif not node.level and _is_torch(file, node.module or ""):
            yield from ((node, f"{node.module}.{alias.name}") for alias in node.names)


def _read(file: File) -> Iterator[tuple[ast.expr, str]]:
    """Chains of names that start at an import of torch."""
    for node in file.module.index.references:
        root = root_name(node)
        origin = "" if root is None else _origin(file, root)
        if origin:
            yield node, ".".join([origin, *attributes(node)])


def _origin(file: File, root: ast.Name) -> str:
    """What a name is imported from torch as; empty for one that may be something else."""
    bindings = backward.bindings(root)
    origins = {item.origin if item.kind == "import" else "" for item in bindings}
    origin = origins.pop() if len(origins) == 1 else ""
    return origin if _is_torch(file, origin) else ""


def _is_torch(file: File, name: str) -> bool:
    """Whether a name is one of torch, and not of a folder of the project that is called so."""
    named = f"{name}.".startswith("torch.")
    return named and file.resolver.project.locate(file.path, name) is None


def _asked(file: File) -> frozenset[str]:
    """Names that the file looks for before it uses them: ``hasattr(torch, 'accelerator')``."""
    calls = file.module.index.calls_by_name
    words = [call for word in ("hasattr", "getattr") for call in calls.get(word, ())]
    return frozenset(text for call in words for text in strings(call.args))


def _is_guarded(file: File, node: ast.AST) -> bool:
    """Whether a place expects that the name may be missing, or asks for the release first."""
    if guards.may_fail(node, "AttributeError"):
        return True
    inside = node
    for around in ancestors(node):
        if any(_asks(file, test) for test in _conditions(around, inside)):
            return True
        inside = around
    return False


def _conditions(around: ast.AST, inside: ast.AST) -> Iterator[ast.expr]:
    """What must hold for a part of a statement or expression to run."""
    if isinstance(around, (ast.If, ast.IfExp)) and inside is not around.test:
        yield around.test
    elif isinstance(around, ast.BoolOp):
        yield from around.values[: around.values.index(inside)]  # type: ignore[arg-type]  # one of them
    elif isinstance(around, DEFINITIONS):
        yield from around.decorator_list
    for block in (getattr(around, "body", None), getattr(around, "orelse", None)):
        if isinstance(block, list) and inside in block:
            for before in block[: block.index(inside)]:
                yield from _exit_conditions(before)


def _exit_conditions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The condition under which a statement keeps what follows it from running."""
    if isinstance(statement, ast.Assert):
        yield statement.test
    if isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVES):
        yield statement.test


def _asks(file: File, test: ast.expr) -> bool:
    """Whether a condition, or what a variable of it was given, asks for a release."""
    if _CHECK.search(file.text(test)):
        return True
    names = [item for item in ast.walk(test) if isinstance(item, ast.Name)]
    return any(
        binding.value is not None and _CHECK.search(file.text(binding.value))
        for name in names
        for binding in backward.bindings(name)
    )
