"""Variables of CUDA and NCCL that a PyTorch program or its launch script sets."""

from __future__ import annotations

from ascendify.rules import _gpu_variables

RULE = _gpu_variables.removal(
    "TORCH-ENV-3",
    "Remove variables that only GPUs read",
    "torch",
    before="os.environ['NCCL_IB_DISABLE'] = '1'",
)

_gpu_variables.in_programs(RULE)
_gpu_variables.in_scripts(RULE)
