"""Finite checks: report them, because an NPU has no such operator."""

from __future__ import annotations

import ast

from ascendify.catalog import hardware
from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tf1 import _host
from ascendify.source.scopes import ancestors

_SATURATING = " and ".join(each.series for each in hardware.families().values() if not each.inf_nan)
RULE = Rule(
    code="TF1-OP-7",
    title="Guard gradients without finite checks",
    why=(
        "tf.is_finite, is_inf and is_nan are not supported on an NPU, and on the "
        f"{_SATURATING} arithmetic saturates, so there is no Inf to find. Overflow is a flag "
        "of the device, which NPULossScaleOptimizer reads."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="ok = tf.reduce_all([tf.reduce_all(tf.is_finite(g)) for g in grads])",
)

_GRADIENTS = (
    "Drop the test and everything chosen by it: give tf.clip_by_global_norm "
    "use_norm=tf.global_norm(grads), wrap the optimizer in NPULossScaleOptimizer, which skips "
    "a step that overflowed, and let its apply_gradients own global_step."
)
_ASSERTION = (
    "Remove the assertion from the network and watch the value on the host, for example with "
    "tf.train.NanTensorHook."
)
_OTHERWISE = (
    "Keep Inf and NaN out instead of testing for them: bound the operand (tf.maximum, "
    "tf.clip_by_value) where they arise, or test on the host after the run."
)


@RULE.call("tf.is_finite", "tf.is_inf", "tf.is_nan")
def report_check(site: CallSite) -> Diagnoses:
    """A check; the advice says what replaces it."""
    file = site.file
    guards = "grad" in file.text(site.statement).lower()
    if guards:
        todo = _GRADIENTS
    else:
        asserts = any(
            isinstance(item, ast.Call) and file.name(item.func) == "tf.Assert"
            for item in ancestors(site.node)
        )
        todo = _ASSERTION if asserts else _OTHERWISE
    diagnosis = RULE.manual(
        site,
        f"{site.callee} is not supported on an NPU",
        todo=todo,
        effort=Effort.HOURS if guards else Effort.MINUTES,
    )
    yield from _host.in_network(file, site.node, diagnosis)


@RULE.call("tf.check_numerics", "tf.verify_tensor_all_finite", "tf.add_check_numerics_ops")
def report_assertion(site: CallSite) -> Diagnoses:
    """An assertion that may never fail."""
    file = site.file
    if _host.runs_on_host(file, site.node):
        return
    yield RULE.info(
        site,
        f"{site.callee} sees no Inf on an NPU whose arithmetic saturates",
        todo=(
            f"Do not rely on it to find overflow on the {_SATURATING}; migrate with "
            "--over-dump true to find where one arises."
        ),
    )
