"""Horovod's Keras callbacks for learning rates and metrics: use those of a helper module."""

from __future__ import annotations

from ascendify.rules.helpers import CALLBACKS
from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TF1-HVD-12",
    title="Schedule learning rates and average metrics without Horovod",
    why=(
        "Horovod does not run on an NPU. Its callbacks that raise learning rates and average "
        "metrics need only the number of devices and a collective of HCCL."
    ),
    statuses=(Status.AUTO,),
    before="callbacks = [hvd.callbacks.LearningRateWarmupCallback(warmup_epochs=5)]",
    after="callbacks = [npu_callbacks.LearningRateWarmupCallback(warmup_epochs=5)]",
    safety="They set the same rates as Horovod's, and average the same metrics.",
)


@RULE.call(*_horovod.SCHEDULES)
@_horovod.directly
def use_own(site: CallSite) -> Diagnoses:
    """Take the callback of the same name from the helper module."""
    fix = site.fix()
    last = site.name.rpartition(".")[2]
    fix.replace(site.node.func, f"{fix.use(CALLBACKS)}.{last}")
    yield RULE.auto(
        site,
        f"{site.callee} is a callback of Horovod",
        done=f"Used {last} of {CALLBACKS}.py, which does the same.",
        fix=fix,
    )
