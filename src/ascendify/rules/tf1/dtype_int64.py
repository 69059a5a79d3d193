"""64-bit integers: they work, and 32 bits are faster where the value allows it."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TF1-TYPE-4",
    title="Prefer 32-bit numbers beside the network",
    why=(
        "int64 runs on an NPU's scalar unit. The global step and the labels of a metric are "
        "int64 by default; the ResNet-50 port casts both."
    ),
    statuses=(Status.INFO,),
    before="lr = tf.train.piecewise_constant(global_step, boundaries, values)",
)

_SCHEDULES = {
    "tf.train.exponential_decay": "global_step",
    "tf.train.polynomial_decay": "global_step",
    "tf.train.natural_exp_decay": "global_step",
    "tf.train.inverse_time_decay": "global_step",
    "tf.train.cosine_decay": "global_step",
    "tf.train.cosine_decay_restarts": "global_step",
    "tf.train.linear_cosine_decay": "global_step",
    "tf.train.noisy_linear_cosine_decay": "global_step",
    "tf.train.piecewise_constant": "x",
}


@RULE.call(*_SCHEDULES)
def suggest_step(site: CallSite) -> Diagnoses:
    """The step a learning rate is computed from."""
    file = site.file
    step = site.args.value(_SCHEDULES[site.name])
    if step is None or _is_cast(site, step):
        return
    yield RULE.info(
        site,
        f"{site.callee} computes with the int64 global step",
        todo=f"For speed: tf.cast({file.brief(step)}, tf.int32).",
    )


@RULE.call("tf.metrics.accuracy")
def suggest_labels(site: CallSite) -> Diagnoses:
    """The labels an accuracy is computed from."""
    file = site.file
    labels = site.args.value("labels")
    if labels is None or _is_cast(site, labels):
        return
    yield RULE.info(
        site,
        f"{site.callee} compares labels in their own type, mostly int64",
        todo=f"For speed, cast both: labels=tf.cast({file.brief(labels)}, tf.float32).",
    )


def _is_cast(site: CallSite, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return site.file.name(node.func) in ("tf.cast", "tf.to_int32", "tf.to_float")
