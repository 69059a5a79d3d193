"""Lists and counts of GPUs, which are empty and 0 on an NPU."""

from __future__ import annotations

from ascendify.rules.kit import Rule
from ascendify.rules.tf1 import gpu_list
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-GPU-7",
    title="Do not count visible GPUs",
    why=(
        "The NPU is not among the GPUs, so their list is empty and their number is 0: batch sizes "
        "become 0, gpus[0] fails, and a strategy is chosen for no device."
    ),
    statuses=gpu_list.RULE.statuses,
    before="num_gpus = len(tf.config.list_physical_devices('GPU'))",
)

adopt(RULE, gpu_list.RULE)
