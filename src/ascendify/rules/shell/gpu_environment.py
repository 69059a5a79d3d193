"""Variables of CUDA, NCCL, XLA and Horovod in launch scripts."""

from __future__ import annotations

from ascendify.rules import _gpu_variables
from ascendify.rules.kit import Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _removal

RULE = Rule(
    code="SH-ENV-1",
    title="Remove variables that only GPUs read from launch scripts",
    why=(
        "Variables of CUDA, cuDNN, NCCL and Horovod have no reader on an NPU machine, and "
        "TF_XLA_FLAGS may switch XLA on, which takes operators away from the NPU."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.INFO),
    before="export NCCL_DEBUG=INFO\npython train.py",
    after="python train.py",
    framework="tensorflow",
)


@RULE.text("shell")
def remove_variables(site: TextSite) -> Diagnoses:
    """Assignments and exports; one that the script itself reads is only noted."""
    return _removal.remove_variables(site, RULE, _gpu_variables.is_gpu_only, _gpu_variables.instead)
