"""Choosing the GPU by hvd.local_rank(): on an NPU the environment says which device is whose."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Status, removal
from ascendify.source.scopes import statement

RULE = Rule(
    code="TF1-HVD-10",
    title="Let the environment choose the device of a rank",
    why=(
        "Each process finds its NPU in ASCEND_DEVICE_ID, which the launcher sets. A choice among "
        "visible GPUs has no effect, and asking HCCL for it makes a script wait for it."
    ),
    statuses=(Status.AUTO,),
    before="config.gpu_options.visible_device_list = str(hvd.local_rank())",
    after="",
)

_ENVIRON = frozenset({"environ"})
_DONE = "Removed it: ASCEND_DEVICE_ID of the launcher chooses the device."


@RULE.file
def assignments(file: File) -> Diagnoses:
    """Remove ``config.gpu_options.visible_device_list = ...`` and ``CUDA_VISIBLE_DEVICES``."""
    for node in file.module.index.stores:
        if node.attr == "visible_device_list":
            yield from _assignment(file, node)
    for reference in file.module.index.ending(_ENVIRON):
        if isinstance(reference, ast.Attribute):
            yield from _environment(file, reference)


def _assignment(file: File, node: ast.Attribute) -> Diagnoses:
    stmt = statement(node)
    if (
        isinstance(stmt, ast.Assign)
        and len(stmt.targets) == 1
        and stmt.targets[0] is node
        and removal.depends_on_rank(file, stmt.value)
    ):
        yield _removed(file, stmt)


def _environment(file: File, reference: ast.Attribute) -> Diagnoses:
    stmt = statement(reference)
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return
    target = stmt.targets[0]
    if (
        isinstance(target, ast.Subscript)
        and target.value is reference
        and file.name(reference) == "os.environ"
        and file.literal(target.slice) == ("CUDA_VISIBLE_DEVICES",)
        and removal.depends_on_rank(file, stmt.value)
    ):
        yield _removed(file, stmt)


def _removed(file: File, stmt: ast.stmt) -> Diagnosis:
    fix = file.fix()
    fix.remove_statement(stmt)
    found = f"{file.brief(stmt, 80)} chooses the GPU of this rank"
    return RULE.auto(file.at(stmt), found, done=_DONE, fix=fix)
