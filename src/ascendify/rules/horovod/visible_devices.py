"""Choosing the GPU by hvd.local_rank(): remove it, because the launcher chooses the device."""

from __future__ import annotations

import ast

from ascendify.catalog.gpu_variables import VISIBLE
from ascendify.rules.kit import Diagnoses, File, Rule, Status, environment, fixes, removal
from ascendify.source.nodes import only_target
from ascendify.source.scopes import statement

RULE = Rule(
    code="TF1-HVD-10",
    title="Let the environment choose the device of a rank",
    why=(
        "Each process finds its NPU in ASCEND_DEVICE_ID, which the launcher sets. A choice among "
        "visible GPUs has no effect, and getting the rank from HCCL for it makes the script wait."
    ),
    statuses=(Status.AUTO,),
    before="config.gpu_options.visible_device_list = str(hvd.local_rank())",
    after="",
)

_DONE = "Removed it: the launcher sets ASCEND_DEVICE_ID, which chooses the device."


@RULE.file
def assignments(file: File) -> Diagnoses:
    """Remove ``config.gpu_options.visible_device_list = ...`` and ``CUDA_VISIBLE_DEVICES``."""
    for node in file.module.index.stores:
        if node.attr == "visible_device_list":
            yield from _removed(file, node)
    for site in file.references("os.environ"):
        use = environment.use_at(site)
        if use is not None and use.variable == VISIBLE:
            yield from _removed(file, use.node)


def _removed(file: File, target: ast.expr) -> Diagnoses:
    """Remove an assignment whose value depends on the rank."""
    stmt = statement(target)
    if only_target(stmt) is not target or not isinstance(stmt, ast.Assign):
        return
    if removal.depends_on_rank(file, stmt.value):
        found = f"{file.brief(stmt, 80)} chooses the GPU of this rank"
        yield RULE.auto(file.at(stmt), found, done=_DONE, fix=fixes.removing(file, stmt))
