"""Sessions in a program that opens the NPU for eager code."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status, once
from ascendify.rules.tf2 import _idle_sessions, _npu, _program

RULE = Rule(
    code="TF2-V1-3",
    title="Do not run sessions in a program that opens the NPU",
    why=(
        "npu_device.open() makes the NPU the device of eager code. A session or an Estimator takes "
        "no notice of it and trains on the host, without a word."
    ),
    statuses=(Status.BLOCKER,),
    before="npu_device.open().as_default()\nsess = tf.compat.v1.Session()\nsess.run(train_op)",
)


_TOLD = tuple(name for name in _program.SESSIONS if "disable_" not in name)


@RULE.reference(*_TOLD)
def report_session(site: Site) -> Diagnoses:
    """The first session of a file in a program that opens the NPU."""
    if not any(True for _ in _program.calls(site.file, *_npu.OPENS)):
        return
    sessions = list(site.file.calls(*_TOLD))
    if sessions and all(_idle_sessions.is_idle(site.file, item.node) for item in sessions):
        return
    others = once.others(site, *_TOLD)
    if others is None:
        return
    yield RULE.blocker(
        site,
        f"{site.brief} trains on the host although npu_device.open() is called{others}",
        todo=(
            "Train with npu_device.compat.enable_v1() in the place of npu_device.open(), with "
            "sessions and Estimators of tf.compat.v1 only; or train with eager code."
        ),
        effort=Effort.HOURS,
    )
