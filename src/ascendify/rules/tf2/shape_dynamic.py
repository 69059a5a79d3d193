"""Operators whose result size depends on the data: report them."""

from __future__ import annotations

from ascendify.rules.kit import Rule, Status
from ascendify.rules.tf1 import shape_dynamic
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-SHAPE-1",
    title="Keep shapes inside functions independent of the data",
    why=(
        "The NPU compiles a function for the shapes it gets. A tensor whose size depends on the "
        "data leaves the shapes of all that is computed from it open, which is slow, and some "
        "operators refuse open shapes."
    ),
    statuses=(Status.MANUAL,),
    foretells=("EMU-SHAPE-1",),
    before="def loss(losses, mask):\n    return tf.reduce_mean(tf.boolean_mask(losses, mask))",
)

adopt(RULE, shape_dynamic.RULE)
