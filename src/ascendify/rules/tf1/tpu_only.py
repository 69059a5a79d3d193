"""TPU-only functions: report compilation, replication, embeddings and system operators."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status
from ascendify.rules.tensorflow import devices

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
"""Members of tf.tpu and tf.contrib.tpu that need the device."""


@RULE.reference(*(f"tf.tpu.{name}" for name in _NAMES.split()))
@RULE.reference(*(f"tf.contrib.tpu.{name}" for name in _NAMES.split()))
def report(site: Site) -> Diagnoses:
    """Each mention; only a note where a condition on TPUs guards it."""
    todo = "Call the computation directly and let one process drive one device."
    yield devices.needs_tpu(RULE, site, f"{site.brief} needs a TPU", todo)
