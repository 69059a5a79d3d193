"""Rank queries between training and evaluation, when the collective library is shut down."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.tf1._estimator_cycles import cycle_before

RULE = Rule(
    code="TF1-EST-6",
    title="Ask for ranks without the collective library between train and evaluate",
    why=(
        "Every train() and evaluate() of an estimator ends with the NPU's context torn down; a "
        "query of the collective library after it fails until the library is initialised again."
    ),
    statuses=(Status.MANUAL,),
    before="estimator.train(input_fn)\nif get_rank_id() == 0:\n    ...",
)

_QUERIES = {
    "npu.get_rank_id": "int(os.getenv('RANK_ID', '0'))",
    "npu.get_rank_size": "int(os.getenv('RANK_SIZE', '1'))",
    "npu.get_local_rank_id": "",
    "npu.get_local_rank_size": "",
}
"""Queries that need the library, and what answers them without it."""


@RULE.call(*_QUERIES)
def tell(site: CallSite) -> Diagnoses:
    """Tell of a query that may run after a cycle of the same function."""
    cycle = cycle_before(site.file, site.node)
    if cycle is None:
        return
    todo = "Ask before the first cycle and keep the answer in a variable."
    if _QUERIES[site.name]:
        todo = f"Use {_QUERIES[site.name]}, which needs no initialisation."
    yield RULE.manual(
        site,
        f"{site.callee}() may run after "
        f"{site.file.brief(cycle.node.func)}() has shut the collective library down",
        todo=todo,
    )
