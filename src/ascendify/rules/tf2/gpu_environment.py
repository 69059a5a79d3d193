"""Environment variables a TensorFlow 2 program sets for CUDA, NCCL, XLA or Horovod."""

from __future__ import annotations

from ascendify.rules.kit import Rule
from ascendify.rules.tf1 import gpu_environment
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-GPU-4",
    title="Remove environment variables of GPUs",
    why=gpu_environment.RULE.why,
    statuses=gpu_environment.RULE.statuses,
    before="os.environ['TF_FORCE_GPU_ALLOW_GROWTH'] = 'true'",
    framework=gpu_environment.RULE.framework,
)

adopt(RULE, gpu_environment.RULE)
