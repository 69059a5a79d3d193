"""Environment variables a TensorFlow program sets for CUDA, NCCL, XLA or Horovod."""

from __future__ import annotations

from ascendify.rules.kit import unread_variables

RULE = unread_variables.rule_for(
    "TF1-GPU-4",
    "Remove environment variables that only GPUs read",
    "tensorflow",
    before="os.environ['TF_XLA_FLAGS'] = '--tf_xla_auto_jit=2'",
)

# that variable and its like are the business of the precision rules
unread_variables.in_programs(RULE, except_for="TF_ENABLE_AUTO_MIXED_PRECISION")
