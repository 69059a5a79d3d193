"""Report DeepSpeed's operators that are built with CUDA."""

from __future__ import annotations

from ascendify.catalog import replacements
from ascendify.rules.kit import Diagnoses, Rule, Site, Status

RULE = Rule(
    code="TORCH-FW-3",
    title="Replace DeepSpeed's CUDA operators",
    why=(
        "DeepSpeed runs on NPUs through its own accelerator layer, but its fused optimizers and "
        "transformer kernels are built with CUDA."
    ),
    statuses=(Status.MANUAL,),
    before="from deepspeed.ops.adam import FusedAdam\noptimizer = FusedAdam(model.parameters())",
    framework="torch",
)

_OPERATORS = replacements.texts("deepspeed")


@RULE.reference(*_OPERATORS, "deepspeed.ops.sparse_attention.*")
def report_operator(site: Site) -> Diagnoses:
    """Report every use of such an operator."""
    found = replacements.find("deepspeed", site.name)
    if found is not None:
        yield RULE.manual(site, f"{site.brief} is built with CUDA", todo=f"Use {found.todo}.")
