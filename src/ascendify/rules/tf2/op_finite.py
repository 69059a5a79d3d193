"""Tests for Inf and NaN: an NPU whose arithmetic saturates has neither."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tensorflow import host
from ascendify.rules.tensorflow.finite import SATURATING, CheckAdvice, assertion_findings
from ascendify.source.nodes import function_around

RULE = Rule(
    code="TF2-OP-7",
    title="Guard values without finite checks",
    why=(
        f"On the {SATURATING} arithmetic saturates: log(0) and an overflow are the largest "
        "number instead of Inf, so tf.math.is_inf and its like find nothing, and what they guard "
        "goes wrong without a word. Overflow is a flag of the device, which "
        "NpuLossScaleOptimizer reads."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="def clean(x):\n    return tf.where(tf.math.is_inf(x), tf.zeros_like(x), x)",
)

_ADVICE = CheckAdvice(
    gradients=(
        "Drop the test and what is chosen by it: wrap the optimizer in "
        "npu_device.train.optimizer.NpuLossScaleOptimizer, which skips a step that overflowed."
    ),
    assertion="Remove the assertion from the step and look at the value after it, in Python.",
    otherwise=(
        "Keep Inf and NaN out instead of testing for them: bound the operand (tf.maximum, "
        "tf.clip_by_value) where they arise, for example before tf.math.log."
    ),
)


@RULE.call("tf2.math.is_finite", "tf2.math.is_inf", "tf2.math.is_nan")
def report_check(site: CallSite) -> Diagnoses:
    """Report a check, with what replaces it."""
    if function_around(site.node) is None:
        return  # it runs by itself, on a value that Python looks at
    diagnosis = RULE.manual(
        site,
        f"{site.callee} finds nothing on an NPU whose arithmetic saturates",
        todo=_ADVICE.about(site, "tf2.Assert"),
        effort=Effort.MINUTES,
    )
    yield from host.in_network(site.file, site.node, diagnosis)


@RULE.call("tf2.debugging.check_numerics", "tf2.debugging.assert_all_finite")
def report_assertion(site: CallSite) -> Diagnoses:
    """Report an assertion that may never fail."""
    yield from assertion_findings(RULE, site)
