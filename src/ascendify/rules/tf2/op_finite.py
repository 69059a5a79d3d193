"""Tests for Inf and NaN: an NPU whose arithmetic saturates has neither."""

from __future__ import annotations

import ast

from ascendify.catalog import hardware
from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tf1 import _host
from ascendify.source.nodes import function_around
from ascendify.source.scopes import ancestors

_SATURATING = " and ".join(each.series for each in hardware.families().values() if not each.inf_nan)
RULE = Rule(
    code="TF2-OP-7",
    title="Guard values without finite checks",
    why=(
        f"On the {_SATURATING} arithmetic saturates: log(0) and an overflow are the largest "
        "number instead of Inf, so tf.math.is_inf and its like find nothing, and what they guard "
        "goes wrong without a word. Overflow is a flag of the device, which "
        "NpuLossScaleOptimizer reads."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="def clean(x):\n    return tf.where(tf.math.is_inf(x), tf.zeros_like(x), x)",
)

_GRADIENTS = (
    "Drop the test and what is chosen by it: wrap the optimizer in "
    "npu_device.train.optimizer.NpuLossScaleOptimizer, which skips a step that overflowed."
)
_ASSERTION = "Remove the assertion from the step and look at the value after it, in Python."
_OTHERWISE = (
    "Keep Inf and NaN out instead of testing for them: bound the operand (tf.maximum, "
    "tf.clip_by_value) where they arise, for example before tf.math.log."
)


@RULE.call("tf2.math.is_finite", "tf2.math.is_inf", "tf2.math.is_nan")
def report_check(site: CallSite) -> Diagnoses:
    """A check; the advice says what replaces it."""
    file = site.file
    if function_around(site.node) is None:
        return  # it runs by itself, on a value that Python looks at
    if "grad" in file.text(site.statement).lower():
        todo = _GRADIENTS
    else:
        asserts = any(
            isinstance(item, ast.Call) and file.name(item.func) == "tf2.Assert"
            for item in ancestors(site.node)
        )
        todo = _ASSERTION if asserts else _OTHERWISE
    diagnosis = RULE.manual(
        site,
        f"{site.callee} finds nothing on an NPU whose arithmetic saturates",
        todo=todo,
        effort=Effort.MINUTES,
    )
    yield from _host.in_network(file, site.node, diagnosis)


@RULE.call("tf2.debugging.check_numerics", "tf2.debugging.assert_all_finite")
def report_assertion(site: CallSite) -> Diagnoses:
    """An assertion that may never fail."""
    if _host.runs_on_host(site.file, site.node):
        return
    yield RULE.info(
        site,
        f"{site.callee} sees no Inf on an NPU whose arithmetic saturates",
        todo=(
            f"Do not rely on it to find overflow on the {_SATURATING}; migrate with "
            "--over-dump true to find where one arises."
        ),
    )
