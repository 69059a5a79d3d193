"""Rank queries between training and evaluation, when the collective library is shut down."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.findings import Effort, Status
from ascendify.rules.fix import enclosing_function
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite
from ascendify.source.scopes import ancestors

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

_RANK_ID, _RANK_SIZE = "int(os.getenv('RANK_ID', '0'))", "int(os.getenv('RANK_SIZE', '1'))"
_QUERIES = {
    "npu.get_rank_id": _RANK_ID,
    "npu.get_rank_size": _RANK_SIZE,
    "npu.get_local_rank_id": "",
    "npu.get_local_rank_size": "",
    "horovod.tensorflow.rank": _RANK_ID,
    "horovod.tensorflow.size": _RANK_SIZE,
    "horovod.tensorflow.local_rank": "",
    "horovod.tensorflow.local_size": "",
}
"""Queries that need the library, and what answers them without it; Horovod's become such ones."""
_CYCLES = (
    "tf.estimator.Estimator.train",
    "tf.estimator.Estimator.evaluate",
    "npu.NPUEstimator.train",
    "npu.NPUEstimator.evaluate",
    "tf.estimator.train_and_evaluate",
)


@RULE.call(*_QUERIES)
def tell(site: CallSite) -> Iterator[Diagnosis]:
    """Tell of a query that may run after a cycle of the same function."""
    cycle = next((cycle for cycle in site.file.calls(*_CYCLES) if _precedes(cycle, site)), None)
    if cycle is None:
        return
    todo = "Ask before the first cycle and keep the answer in a variable."
    if _QUERIES[site.name]:
        todo = f"Use {_QUERIES[site.name]}, which needs no initialisation."
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{site.file.brief(site.node.func)}() may run after "
        f"{site.file.brief(cycle.node.func)}() has shut the collective library down",
        todo=todo,
        effort=Effort.MINUTES,
    )


def _precedes(cycle: CallSite, query: CallSite) -> bool:
    """Whether the cycle runs before the query: above it, or in a loop around both."""
    if enclosing_function(cycle.node) is not enclosing_function(query.node):
        return False
    if cycle.node.lineno < query.node.lineno:
        return True
    around = set(ancestors(cycle.node))
    return any(
        isinstance(node, (ast.For, ast.While)) and node in around for node in ancestors(query.node)
    )
