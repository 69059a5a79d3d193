"""Programs that refuse to run without a GPU, or choose by its presence."""

from __future__ import annotations

from ascendify.rules.kit import Rule
from ascendify.rules.tf1 import gpu_guard
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-GPU-5",
    title="Do not make the program depend on a visible GPU",
    why=(
        "The NPU is a custom device of its own type: lists of GPUs are empty and "
        "tf.test.is_gpu_available() is False, so a check stops the program and a choice falls to "
        "the CPU's branch."
    ),
    statuses=gpu_guard.RULE.statuses,
    before="assert tf.config.list_physical_devices('GPU'), 'no GPU'",
    safety=gpu_guard.RULE.safety,
    framework=gpu_guard.RULE.framework,
)

adopt(RULE, gpu_guard.RULE)
