"""Variables of CUDA, NCCL, XLA and Horovod in launch scripts of TensorFlow programs."""

from __future__ import annotations

from ascendify.rules.kit import unread_variables

RULE = unread_variables.rule_for(
    "SH-ENV-1",
    "Remove variables that only GPUs read from launch scripts",
    "tensorflow",
    before="export NCCL_DEBUG=INFO\npython train.py",
    after="python train.py",
    in_files=True,
)

unread_variables.in_scripts(RULE)
