"""Rank queries after training or evaluation, when the collective library is shut down."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.tf1 import _npu
from ascendify.rules.tf1._estimator_cycles import cycle_before

RULE = Rule(
    code="TF1-EST-6",
    title="Get ranks without the collective library between train and evaluate",
    why=(
        "Every train() and evaluate() of an estimator ends with the NPU's context torn down; a "
        "query of the collective library after it fails until the library is initialised again."
    ),
    statuses=(Status.MANUAL,),
    before="estimator.train(input_fn)\nif get_rank_id() == 0:\n    ...",
)

_QUERIES = {
    "npu.get_rank_id": _npu.RANK_ID,
    "npu.get_rank_size": _npu.RANK_SIZE,
    "npu.get_local_rank_id": "",
    "npu.get_local_rank_size": "",
}
"""Queries that need the library -> expressions for the same number without it."""


@RULE.call(*_QUERIES)
def report(site: CallSite) -> Diagnoses:
    """Report a query that may run after a train() or evaluate() of the same function."""
    cycle = cycle_before(site.file, site.node)
    if cycle is None:
        return
    todo = "Call it before the first train() or evaluate() and keep the result in a variable."
    if _QUERIES[site.name]:
        todo = f"Use {_QUERIES[site.name]}, which needs no initialisation."
    yield RULE.manual(
        site,
        f"{site.callee}() may run after "
        f"{site.file.brief(cycle.node.func)}() has shut the collective library down",
        todo=todo,
    )
