"""Remove imports of apex that nothing uses any more, and report the others."""

from __future__ import annotations

import ast

from ascendify.rules.horovod import _bindings
from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-APEX-5",
    title="Remove imports of apex that nothing needs any more",
    why=(
        "apex is built with a CUDA compiler and cannot be installed on an NPU machine, so its "
        "import fails. An import that is still used stays and is reported, because without it the "
        "uses would fail with a NameError."
    ),
    statuses=(Status.AUTO, Status.MANUAL, Status.INFO),
    raises=True,
    before="from apex.optimizers import FusedAdam\nimport torch",
    after="import torch",
)

_IMPORTS = (ast.Import, ast.ImportFrom)


@RULE.file
def clean_up(file: File) -> Diagnoses:
    """Look at the uses of every imported name."""
    for node in file.module.index.imports:
        if isinstance(node, ast.ImportFrom) and node.level:
            continue
        for alias in node.names:
            origin = getattr(node, "module", None) or alias.name
            if origin.partition(".")[0] == "apex":
                yield from _judge(_bindings.Imported(file, node, alias, origin))


def _judge(item: _bindings.Imported) -> Diagnoses:
    file = item.file
    left = _bindings.uses(item) if item.alias.name != "*" else []
    shown = item.shown
    fix = file.fix()
    fix.provisional = True
    if _is_caught(item, bool(left)):
        yield RULE.finding(
            Status.INFO,
            file.at(item.node),
            f"the import of {shown} fails without CUDA, and the file handles that",
            fix=fix,
        )
        return
    if not left and item.alias.name != "*" and not _bindings.is_exported(item):
        fix.provisional = False
        _bindings.remove(fix, item)
        yield RULE.auto(
            file.at(item.node),
            f"nothing uses the import of {shown}",
            done="Removed the import.",
            fix=fix,
        )
        return
    lines = ", ".join(str(line) for line in sorted({use.lineno for use in left})[:6])
    where = f" (line {lines})" if lines else ""
    used = "something still uses it" if left else "what uses it is not known"
    yield RULE.manual(
        file.at(item.node),
        f"the import of {shown} fails without CUDA, and {used}{where}",
        todo=(
            "Replace what uses it, then remove the import. The kernels of multi_tensor_apply, mlp "
            "and contrib have no NPU build: write what they do with torch operations."
        ),
        fix=fix,
    )


def _is_caught(item: _bindings.Imported, used: bool) -> bool:
    """Whether the file handles a failing import, by a flag or a name.

    An import that nothing uses is removed, unless the ``try`` sets a flag too.
    """
    guard = parent(item.node)
    if not isinstance(guard, ast.Try) or item.node not in guard.body:
        return False
    if any(isinstance(node, ast.Raise) for handler in guard.handlers for node in ast.walk(handler)):
        return False
    others = [node for node in (*guard.body, *guard.orelse) if not isinstance(node, _IMPORTS)]
    flags = all(
        isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) for node in others
    )
    return used or (bool(others) and flags)
