"""Imports of Horovod: remove those that nothing uses."""

from __future__ import annotations

import ast

from ascendify.rules.horovod import _bindings, _horovod
from ascendify.rules.kit import Diagnoses, Diagnosis, Effort, File, ImportSite, Rule, Status
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-HVD-1",
    title="Remove imports of Horovod that nothing needs any more",
    why=(
        "An NPU machine has no Horovod, so importing it fails. An import that is still used "
        "stays, so that the report and not a NameError shows what is left."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="import os, horovod.tensorflow as hvd",
    after="import os",
    safety=(
        "Where the module object is only tested (hvd is not None) or passed on to such tests, the "
        "name stays and means hccl.manage.api, so the tests keep their results."
    ),
)

_MARK = "hccl.manage.api"


@RULE.file
def clean_up(file: File) -> Diagnoses:
    """Check for each imported name whether anything still uses it."""
    for item in _bindings.imports(file):
        yield _judge(item)


def _judge(item: _bindings.Imported) -> Diagnosis:
    file = item.file
    fix = file.fix()
    left = _bindings.uses(item)
    exported = _bindings.is_exported(item)
    if not left and not exported:
        _bindings.remove(fix, item)
        found = f"nothing uses the import of {item.shown}"
        return RULE.auto(file.at(item.node), found, done="Removed the import.", fix=fix)
    marks = all(isinstance(use, ast.Name) and _bindings.is_mark(file, use) for use in left)
    mark = "npu_device" if _horovod.is_eager(file) else _MARK
    if marks and not exported and _bindings.stand_in(fix, item, mark):
        return RULE.auto_check(
            file.at(item.node),
            f"{item.local} is only tested, or passed on to be tested",
            done=f"Imported {mark} as {item.local} instead, so that the tests keep their results.",
            todo=f"Replace {item.local} by a flag of your own when convenient.",
            fix=fix,
        )
    fix.provisional = True
    names = list(dict.fromkeys(_shown(file, use) for use in left))
    if exported:
        names.append("another file of the project or __all__")
    keeps = "; ".join(names[:5]) + (f"; and {len(names) - 5} more" if len(names) > 5 else "")
    return RULE.manual(
        file.at(item.node),
        f"the import of {item.shown} stays because something still uses it: {keeps}",
        todo="Replace these uses, then remove the import: an NPU machine has no Horovod.",
        effort=Effort.HOURS,  # until then the program does not start
        fix=fix,
    )


def _shown(file: File, use: ast.expr) -> str:
    """A use for a message: an attribute itself, the bare module with the code around it."""
    node: ast.AST = use
    if isinstance(use, ast.Name):
        while not isinstance(node, (ast.keyword, ast.Call, ast.stmt)):
            node = parent(node)
    return file.brief(node, 50)


@RULE.imports("horovod.*")
def star(site: ImportSite) -> Diagnoses:
    """Report a star import, whose names are unknown, for a person to remove."""
    if site.alias.name == "*" and _horovod.concerns(site.name):
        yield RULE.manual(
            site,
            f"{site.text} brings in all of Horovod",
            todo="Remove the import; names of it that are still used are reported one by one.",
        )
