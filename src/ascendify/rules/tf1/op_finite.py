"""Finite checks: report them, because an NPU has no such operator."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ascendify.catalog import hardware
from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tf1 import _host
from ascendify.source.scopes import ancestors

SATURATING = " and ".join(each.series for each in hardware.families().values() if not each.inf_nan)
"""Products whose arithmetic has no Inf."""
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


@dataclass(frozen=True)
class CheckAdvice:
    """What to do about a check, by what it guards."""

    gradients: str
    assertion: str
    otherwise: str

    def about(self, site: CallSite, assertion: str) -> str:
        """Choose the advice; ``assertion`` is the name of the call that asserts."""
        if guards_gradients(site):
            return self.gradients
        asserts = any(
            isinstance(item, ast.Call) and site.file.name(item.func) == assertion
            for item in ancestors(site.node)
        )
        return self.assertion if asserts else self.otherwise


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
    yield from _host.in_network(site.file, site.node, diagnosis)


@RULE.call("tf.check_numerics", "tf.verify_tensor_all_finite", "tf.add_check_numerics_ops")
def report_assertion(site: CallSite) -> Diagnoses:
    """Report an assertion that may never fail."""
    yield from assertion_findings(RULE, site)


def guards_gradients(site: CallSite) -> bool:
    """Whether the statement of a check speaks of gradients."""
    return "grad" in site.file.text(site.statement).lower()


def assertion_findings(rule: Rule, site: CallSite) -> Diagnoses:
    """Say for a rule that an assertion about finite values may never fail."""
    if _host.runs_on_host(site.file, site.node):
        return
    yield rule.info(
        site,
        f"{site.callee} sees no Inf on an NPU whose arithmetic saturates",
        todo=(
            f"Do not rely on it to find overflow on the {SATURATING}; migrate with "
            "--over-dump true to find where one arises."
        ),
    )
