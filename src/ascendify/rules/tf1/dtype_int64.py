"""64-bit integers: suggest 32 bits, which are faster, where the value allows it."""

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

_SCHEDULES = tuple(
    f"tf.train.{name}"
    for name in (
        "exponential_decay", "polynomial_decay", "natural_exp_decay", "inverse_time_decay",
        "cosine_decay", "cosine_decay_restarts", "linear_cosine_decay",
        "noisy_linear_cosine_decay", "piecewise_constant",
    )
)  # fmt: skip
_CASTS = ("tf.cast", "tf.to_int32", "tf.to_float")


@RULE.call(*_SCHEDULES, "tf.metrics.accuracy")
def suggest_cast(site: CallSite) -> Diagnoses:
    """The step a learning rate is computed from, or the labels of an accuracy."""
    file, args = site.file, site.args
    labels = args.value("labels")
    value = labels or args.value("x") or args.value("global_step")
    if value is None or (isinstance(value, ast.Call) and file.name(value.func) in _CASTS):
        return
    found = f"{site.callee} computes with the int64 global step"
    todo = f"For speed: tf.cast({file.brief(value)}, tf.int32)."
    if labels is not None:
        found = f"{site.callee} compares labels in their own type, mostly int64"
        todo = f"For speed, cast both: labels=tf.cast({file.brief(value)}, tf.float32)."
    yield RULE.info(site, found, todo=todo)
