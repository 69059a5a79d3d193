"""CUDA_VISIBLE_DEVICES in programs: the device of an NPU process is ASCEND_DEVICE_ID."""

from __future__ import annotations

from ascendify.rules.kit import Rule
from ascendify.rules.tf1 import gpu_visible_devices
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-GPU-3",
    title="Choose the device that is opened by ASCEND_DEVICE_ID",
    why=(
        "CUDA_VISIBLE_DEVICES means nothing to an NPU. npu_device.open() takes the device that "
        "ASCEND_DEVICE_ID names, device 0 where it is not set. One process drives one device."
    ),
    statuses=gpu_visible_devices.RULE.statuses,
    before="os.environ['CUDA_VISIBLE_DEVICES'] = '2'",
    after="os.environ['ASCEND_DEVICE_ID'] = '2'",
    safety=gpu_visible_devices.RULE.safety,
    framework=gpu_visible_devices.RULE.framework,
)

adopt(RULE, gpu_visible_devices.RULE)
