"""Report names of torch that the PyTorch of the chosen release does not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.catalog import torch_npu_names
from ascendify.rules.kit import Diagnoses, File, Rule, Status, guards, once
from ascendify.rules.torch import _release, _release_check
from ascendify.source.flow import backward
from ascendify.source.nodes import (
    DEFINITIONS,
    ImportNode,
    attributes,
    imported_names,
    position,
    root_name,
    strings,
)
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TORCH-REL-2",
    title="Use names that the PyTorch of the target has",
    why=(
        "Each release of torch_npu is built for one release of PyTorch. Code that was written for "
        "a newer PyTorch uses names that do not exist in it, and fails with AttributeError or "
        "ImportError."
    ),
    statuses=(Status.MANUAL,),
    before="torch.accelerator.synchronize()  # with torch_npu for PyTorch 2.4",
    last=True,
)

_CHECK = re.compile(
    r"(?i:(?<!con)(?<!in)version|hasattr|getattr|find_spec|torch_?\d|at_least|greater|older|newer)"
    r"|TYPE_CHECKING|[A-Z]_AVAILABLE|HAS_|HAVE_|SUPPORTS_"
)
"""Words in a condition that tests for a release or a feature."""
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@RULE.file
def report_names(file: File) -> Diagnoses:
    """Report the first mention in a file of each name that a newer PyTorch has added.

    The spelling matters: ``torch.distributed._tensor`` is older than ``torch.distributed.tensor``.
    """
    if _release.has_torch(file, torch_npu_names.newest_torch_line()):
        return  # it has every name that is known, which spares most files the search
    release = _release.of(file.facts)
    places: dict[tuple[str, str], list[ast.AST]] = {}
    for node, name in (*_imported(file), *_read(file)):
        new, since = torch_npu_names.torch_newcomer(name)
        if new and release.torch_has(name) is False:
            places.setdefault((new, since), []).append(node)
    tested = _tested(file) if places else frozenset()
    for (name, since), nodes in places.items():
        used = [node for node in nodes if not _is_guarded(file, node)]
        if not used or name.rpartition(".")[2] in tested:
            continue
        others = once.words(sorted({position(node)[0] for node in used} - {position(used[0])[0]}))
        came = torch_npu_names.torch_line_words(since)
        older = _release_check.instead(name, release)
        yield RULE.manual(
            file.at(used[0]),
            f"PyTorch has {name} since {came}, and the target is torch {release.torch}{others}",
            todo=f"Use PyTorch {since} or newer and choose its torch_npu with --torch-npu"
            + (f". {older}" if older else ", or write code for the older PyTorch."),
        )


def _imported(file: File) -> Iterator[tuple[ImportNode, str]]:
    """Names and modules of torch in import statements."""
    for node in file.module.index.imports:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names if _is_torch(file, alias.name))
        elif not node.level and _is_torch(file, node.module or ""):
            yield from ((node, f"{node.module}.{alias.name}") for alias in node.names)


def _read(file: File) -> Iterator[tuple[ast.expr, str]]:
    """Attribute chains that start with an import of torch."""
    variables = _imported_from_torch(file)
    for node in file.module.index.references if variables else ():
        root = root_name(node)
        origin = "" if root is None or root.id not in variables else _origin(file, root)
        if origin:
            yield node, ".".join([origin, *attributes(node)])


def _imported_from_torch(file: File) -> frozenset[str]:
    """Return names of variables that some import of torch binds."""
    return frozenset(
        alias.asname or alias.name.partition(".")[0]
        for node in file.module.index.imports
        for alias, name in zip(node.names, imported_names(node))
        if name.startswith("torch")
    )


def _origin(file: File, root: ast.Name) -> str:
    """The dotted name of torch that a variable is imported as; empty for other variables."""
    bindings = backward.bindings(root)
    origins = {item.origin if item.kind == "import" else "" for item in bindings}
    origin = origins.pop() if len(origins) == 1 else ""
    return origin if _is_torch(file, origin) else ""


def _is_torch(file: File, name: str) -> bool:
    """Whether a name belongs to torch, and not to a folder of the project with that name."""
    named = f"{name}.".startswith("torch.")
    return named and file.resolver.project.locate(file.path, name) is None


def _tested(file: File) -> frozenset[str]:
    """Names that the file tests for: ``hasattr(torch, 'accelerator')``."""
    calls = file.module.index.calls_by_name
    words = [call for word in ("hasattr", "getattr") for call in calls.get(word, ())]
    return frozenset(text for call in words for text in strings(call.args))


def _is_guarded(file: File, node: ast.AST) -> bool:
    """Whether a place handles a missing name, or tests for the release."""
    if guards.may_fail(node, "AttributeError"):
        return True
    inside = node
    for around in ancestors(node):
        if any(_asks(file, test) for test in _conditions(around, inside)):
            return True
        inside = around
    return False


def _conditions(around: ast.AST, inside: ast.AST) -> Iterator[ast.expr]:
    """The conditions under which a part of a statement or expression runs."""
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
    """The condition under which a statement leaves its block."""
    if isinstance(statement, ast.Assert):
        yield statement.test
    if isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVES):
        yield statement.test


def _asks(file: File, test: ast.expr) -> bool:
    """Whether a condition, or the value of a variable in it, tests for a release."""
    if _CHECK.search(file.text(test)):
        return True
    names = [item for item in ast.walk(test) if isinstance(item, ast.Name)]
    return any(
        binding.value is not None and _CHECK.search(file.text(binding.value))
        for name in names
        for binding in backward.bindings(name)
    )
