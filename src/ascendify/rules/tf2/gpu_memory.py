"""Memory growth, virtual and visible GPU devices: settings of devices that are not there."""

from __future__ import annotations

from ascendify.rules.kit import Rule
from ascendify.rules.tf1 import gpu_memory
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-GPU-6",
    title="Remove settings of visible GPUs and of their memory",
    why=(
        "Memory growth, visible and virtual devices are set on GPUs that TensorFlow does not see "
        "on an NPU machine; gpus[0] of an empty list stops the program. Settings made before the "
        "NPU is opened are forgotten anyway."
    ),
    statuses=gpu_memory.RULE.statuses,
    before=(
        "for gpu in tf.config.list_physical_devices('GPU'):\n"
        "    tf.config.experimental.set_memory_growth(gpu, True)"
    ),
)

adopt(RULE, gpu_memory.RULE)
