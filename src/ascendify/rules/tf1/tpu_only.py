"""What runs on a TPU only: compilation, replication, embeddings and system operators."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TF1-TPU-5",
    title="Remove what needs a TPU",
    why="These operators and functions exist on TPUs only; a graph that holds one does not run.",
    statuses=(Status.BLOCKER, Status.INFO),
    before="loss = tf.contrib.tpu.rewrite(computation, inputs)",
)

_NAMES = """
rewrite replicate shard batch_parallel initialize_system shutdown_system core outside_compilation
bfloat16_scope cross_replica_sum infeed_dequeue infeed_dequeue_tuple infeed_enqueue
infeed_enqueue_tuple outfeed_dequeue outfeed_dequeue_tuple outfeed_enqueue outfeed_enqueue_tuple
keras_to_tpu_model TPUDistributionStrategy AsyncCheckpointSaverHook device_assignment repeat
while_loop embedding_activations
"""
"""Members of tf.tpu and tf.contrib.tpu that do nothing without the device."""


@RULE.reference(*(f"tf.tpu.{name}" for name in _NAMES.split()))
@RULE.reference(*(f"tf.contrib.tpu.{name}" for name in _NAMES.split()))
def tell(site: Site) -> Diagnoses:
    """Tell of each; what a switch for TPUs guards is never reached."""
    name = site.brief
    guard = next(
        (test for test in _tests(site.node) if "tpu" in site.file.text(test).lower()), None
    )
    if guard is not None:
        yield RULE.info(
            site,
            f"{name} needs a TPU; it is reached only if {site.file.brief(guard)} says so",
            todo="Leave that switch off, or remove the branch.",
        )
        return
    yield RULE.blocker(
        site,
        f"{name} needs a TPU",
        todo="Call the computation directly and let one process drive one device.",
        effort=Effort.HOURS,
    )


def _tests(node: ast.AST) -> Iterator[ast.expr]:
    """Conditions of the branches and conditional expressions around a node."""
    for ancestor in ancestors(node):
        if isinstance(ancestor, (ast.If, ast.IfExp)):
            yield ancestor.test
