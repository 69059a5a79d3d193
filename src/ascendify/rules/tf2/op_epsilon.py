"""Epsilon constants: a number that float16 cannot hold guards nothing."""

from __future__ import annotations

from ascendify.rules.kit import Rule
from ascendify.rules.tf1 import op_epsilon
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-OP-10",
    title="Use epsilons in TensorFlow 2 that float16 can hold",
    why=op_epsilon.RULE.why,
    statuses=op_epsilon.RULE.statuses,
    before="p = tf.math.log(p + 1e-10)",
)

adopt(RULE, op_epsilon.RULE)
