"""Commands such as nvidia-smi that a program starts."""

from __future__ import annotations

from ascendify.rules.kit import Rule
from ascendify.rules.tf1 import gpu_command
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-GPU-10",
    title="Do not start commands of GPU machines",
    why=gpu_command.RULE.why,
    statuses=gpu_command.RULE.statuses,
    before=gpu_command.RULE.before,
    after=gpu_command.RULE.after,
    framework=gpu_command.RULE.framework,
)

adopt(RULE, gpu_command.RULE)
