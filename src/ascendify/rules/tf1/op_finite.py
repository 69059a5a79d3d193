"""Finite checks: report them, because an NPU has no such operator."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tensorflow import host
from ascendify.rules.tensorflow.finite import (
    SATURATING,
    CheckAdvice,
    assertion_findings,
    guards_gradients,
)

RULE = Rule(
    code="TF1-OP-7",
    title="Guard gradients without finite checks",
    why=(
        "tf.is_finite, is_inf and is_nan are not supported on an NPU, and on the "
        f"{SATURATING} arithmetic saturates, so there is no Inf to find. Overflow is a flag "
        "of the device, which NPULossScaleOptimizer reads."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="ok = tf.reduce_all([tf.reduce_all(tf.is_finite(g)) for g in grads])",
)


_ADVICE = CheckAdvice(
    gradients=(
        "Drop the test and everything chosen by it: give tf.clip_by_global_norm "
        "use_norm=tf.global_norm(grads), wrap the optimizer in NPULossScaleOptimizer, which skips "
        "a step that overflowed, and let its apply_gradients own global_step."
    ),
    assertion=(
        "Remove the assertion from the network and watch the value on the host, for example with "
        "tf.train.NanTensorHook."
    ),
    otherwise=(
        "Keep Inf and NaN out instead of testing for them: bound the operand (tf.maximum, "
        "tf.clip_by_value) where they arise, or test on the host after the run."
    ),
)


@RULE.call("tf.is_finite", "tf.is_inf", "tf.is_nan")
def report_check(site: CallSite) -> Diagnoses:
    """Report a check, with what replaces it."""
    diagnosis = RULE.manual(
        site,
        f"{site.callee} is not supported on an NPU",
        todo=_ADVICE.about(site, "tf.Assert"),
        effort=Effort.HOURS if guards_gradients(site) else Effort.MINUTES,
    )
    yield from host.in_network(site.file, site.node, diagnosis)


@RULE.call("tf.check_numerics", "tf.verify_tensor_all_finite", "tf.add_check_numerics_ops")
def report_assertion(site: CallSite) -> Diagnoses:
    """Report an assertion that may never fail."""
    yield from assertion_findings(RULE, site)
