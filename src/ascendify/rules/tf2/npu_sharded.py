"""Ported code: a dataset that was divided, and the undivided one is used."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-NPU-1",
    title="Use the dataset that was divided among the ranks",
    why=(
        "shard_and_rebatch_dataset returns a new dataset and the batch size of one rank. Where "
        "the result is not used, every rank trains on all data."
    ),
    statuses=(Status.MANUAL,),
    before="npu_device.distribute.shard_and_rebatch_dataset(dataset, 64)",
)

_CALLS = (
    "npu_device.distribute.shard_and_rebatch_dataset",
    "npu_device.distribute.hccl.shard_and_rebatch_dataset",
)


@RULE.call(*_CALLS)
def report(site: CallSite) -> Diagnoses:
    """Report a call as a whole statement; another rule reports names that nothing reads."""
    if not isinstance(parent(site.node), ast.Expr):
        return
    given = site.file.brief(site.node.args[0], 30) if site.node.args else "dataset"
    yield RULE.manual(
        site,
        f"{site.callee} changes nothing in place, and nothing takes what it returns: every rank "
        "trains on all data",
        todo=f"Assign it back: {given}, batch_size = {site.callee}({given}, batch_size).",
    )
