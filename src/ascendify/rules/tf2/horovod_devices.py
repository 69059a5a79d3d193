"""Choosing the GPU by hvd.local_rank(): on an NPU the environment says which device is whose."""

from __future__ import annotations

from ascendify.rules.horovod import visible_devices
from ascendify.rules.kit import Rule
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-HVD-10",
    title="Let the launcher choose the device of a rank",
    why=(
        "Each process finds its NPU in ASCEND_DEVICE_ID, which the launcher sets. A choice among "
        "visible GPUs has no effect."
    ),
    statuses=visible_devices.RULE.statuses,
    before="os.environ['CUDA_VISIBLE_DEVICES'] = str(hvd.local_rank())",
    after="",
)

adopt(RULE, visible_devices.RULE)
