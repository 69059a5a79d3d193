"""Variables of CUDA and NCCL that a PyTorch program or its launch script sets."""

from __future__ import annotations

from ascendify.rules.kit import unread_variables

RULE = unread_variables.rule_for(
    "TORCH-ENV-3",
    "Remove variables that only GPUs read",
    "torch",
    before="os.environ['NCCL_IB_DISABLE'] = '1'",
    in_files=True,
)

unread_variables.in_programs(RULE)
unread_variables.in_scripts(RULE)
