"""Ported code: a dataset that was divided, and the undivided one is used."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import only_target
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-NPU-1",
    title="Use the dataset that was divided among the ranks",
    why=(
        "shard_and_rebatch_dataset returns a new dataset and the batch size of one rank. Where "
        "the result is not used, every rank trains on all data."
    ),
    statuses=(Status.MANUAL,),
    before=(
        "shard, size = npu_device.distribute.shard_and_rebatch_dataset(dataset, 64)\n"
        "dataset = dataset.batch(size)"
    ),
)

_CALLS = (
    "npu_device.distribute.shard_and_rebatch_dataset",
    "npu_device.distribute.hccl.shard_and_rebatch_dataset",
)


@RULE.call(*_CALLS)
def tell(site: CallSite) -> Diagnoses:
    """The first result is bound to a name that nothing reads, or to none."""
    owner = parent(site.node)
    given = site.file.brief(site.node.args[0], 30) if site.node.args else "dataset"
    if isinstance(owner, ast.Expr):
        name = ""
    else:
        target = only_target(owner)
        if not isinstance(target, (ast.Tuple, ast.List)) or not target.elts:
            return
        first = target.elts[0]
        if not isinstance(first, ast.Name) or _is_read(first):
            return
        name = first.id
    yield RULE.manual(
        site,
        f"nothing uses {name or 'the dataset that ' + site.callee + ' returns'}, so every rank "
        "trains on all data",
        todo=f"Assign it back: {given}, batch_size = {site.callee}({given}, batch_size).",
    )


def _is_read(name: ast.Name) -> bool:
    """Whether anything reads the variable after it was bound here."""
    return any(read.lineno >= name.lineno for read in reads(name))
