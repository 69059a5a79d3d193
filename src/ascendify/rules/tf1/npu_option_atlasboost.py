"""Code migrated by hand: report the launcher library of the first releases."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, ImportSite, Rule, Status

RULE = Rule(
    code="TF1-NPU-7",
    title="Drop atlasboost",
    why=(
        "atlasboost belonged to the first releases and is not part of current ones, so the import "
        "fails. The device and the rank of a process come from its environment now."
    ),
    statuses=(Status.MANUAL,),
    before="from atlasboost.tensorflow.mpi_ops import init, local_rank, set_device_id",
)


@RULE.imports("atlasboost.*")
def imported(site: ImportSite) -> Diagnoses:
    """An import of the library, once per statement."""
    if site.node.names[0] is not site.alias:
        return
    names = [alias.name for alias in site.node.names] if _names_functions(site.node) else []
    steps = [text for name, text in _INSTEAD.items() if not names or name in names]
    yield RULE.manual(
        site,
        f"{site.brief} brings in a library that current releases do not have",
        todo=" ".join(["Remove the import.", *steps]),
    )


_INSTEAD = {
    "init": "Remove the call of init().",
    "local_rank": 'For local_rank() write int(os.getenv("ASCEND_DEVICE_ID", "0")).',
    "set_device_id": (
        "Remove set_device_id(): the launcher sets ASCEND_DEVICE_ID for each process."
    ),
}
"""Function -> its replacement."""


def _names_functions(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").endswith("mpi_ops")
