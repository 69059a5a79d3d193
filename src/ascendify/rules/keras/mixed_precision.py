"""Keras mixed precision: the NPU's precision mode instead of a policy."""

from __future__ import annotations

import ast

from ascendify.catalog import advice
from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tf1 import _npu
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-KERAS-3",
    title="Choose precision by the NPU's precision mode, not by a Keras policy",
    why=(
        "A Keras policy casts inside the graph and scales the loss with GPU operators. On the NPU "
        "the session's precision mode decides which operators compute in half precision, and Keras "
        "has no loss scale there."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before=(
        "tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\nmodel = build_model()"
    ),
    after="model = build_model()",
    safety="Until a precision mode is set, layers compute in float32.",
)

_SPACE = "tf.keras.mixed_precision.experimental"
_PLAIN = frozenset({"float32", "infer", "float16", "float64", None})
"""Policies that mix nothing."""


@RULE.call(f"{_SPACE}.set_policy")
def drop_policy(site: CallSite) -> Diagnoses:
    """Remove a policy that mixes precisions."""
    file = site.file
    policy = site.args.value("policy")
    named = None if policy is None else file.literal(policy)
    if named is not None and all(value in _PLAIN for value in named):
        return
    todo = "Watch the loss: the policy scaled it, on the NPU nothing does."
    if not _npu.has_precision_mode(file):
        todo = f"{advice.text('mixed-precision')} {todo}"
    found = f"{site.brief} sets a precision policy that Keras applies itself"
    if not isinstance(parent(site.node), ast.Expr):
        yield RULE.manual(site, found, todo=f"Remove it. {todo}", effort=Effort.HOURS)
        return
    fix = site.fix()
    fix.remove_statement(site.node)
    yield RULE.auto_check(site, found, done="Removed it.", todo=todo, fix=fix)


@RULE.call(f"{_SPACE}.LossScaleOptimizer")
def report_loss_scale(site: CallSite) -> Diagnoses:
    """Report a loss scale for Keras optimizers."""
    yield RULE.manual(
        site,
        f"{site.callee} scales the loss of a Keras optimizer",
        todo=(
            "Use the optimizer without it where float32 or bfloat16 is enough. To keep a loss "
            "scale, train with an optimizer of tf.train inside NPULossScaleOptimizer of "
            "npu_bridge.npu_init, which takes that optimizer and a loss scale manager."
        ),
        effort=Effort.HOURS,
    )
