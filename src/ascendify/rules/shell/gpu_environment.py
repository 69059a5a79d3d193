"""Variables of CUDA, NCCL, XLA and Horovod in launch scripts of TensorFlow programs."""

from __future__ import annotations

from ascendify.rules import _gpu_variables

RULE = _gpu_variables.removal(
    "SH-ENV-1",
    "Remove variables that only GPUs read from launch scripts",
    "tensorflow",
    before="export NCCL_DEBUG=INFO\npython train.py",
    after="python train.py",
)

_gpu_variables.in_scripts(RULE)
