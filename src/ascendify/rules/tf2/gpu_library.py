"""Python packages that need CUDA or NVIDIA's driver, imported by TensorFlow 2 programs."""

from __future__ import annotations

from ascendify.rules.kit import Rule
from ascendify.rules.tf1 import gpu_library
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-GPU-12",
    title="Replace packages that need CUDA in TensorFlow 2 programs",
    why=gpu_library.RULE.why,
    statuses=gpu_library.RULE.statuses,
    before="import pynvml",
)

adopt(RULE, gpu_library.RULE)
