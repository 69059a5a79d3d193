"""DeepSpeed: operators it builds with CUDA."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status

RULE = Rule(
    code="TORCH-FW-3",
    title="Do without DeepSpeed's CUDA operators",
    why=(
        "DeepSpeed runs on NPUs through its own accelerator layer, but its fused optimizers and "
        "transformer kernels are built with CUDA."
    ),
    statuses=(Status.MANUAL,),
    before="from deepspeed.ops.adam import FusedAdam\noptimizer = FusedAdam(model.parameters())",
    framework="torch",
)

_OPERATORS = {
    "deepspeed.ops.adam.FusedAdam": "torch_npu.optim.NpuFusedAdamW or torch.optim.AdamW",
    "deepspeed.ops.lamb.FusedLamb": "torch_npu.optim.NpuFusedLamb",
    "deepspeed.ops.transformer.DeepSpeedTransformerLayer": "torch.nn.TransformerEncoderLayer",
    "deepspeed.ops.transformer.DeepSpeedTransformerConfig": "torch.nn.TransformerEncoderLayer",
    "deepspeed.ops.sparse_attention": "torch.nn.functional.scaled_dot_product_attention",
}


@RULE.reference(*_OPERATORS, "deepspeed.ops.sparse_attention.*")
def tell_operator(site: Site) -> Diagnoses:
    """Every use of such an operator."""
    name = next((item for item in _OPERATORS if f"{site.name}.".startswith(f"{item}.")), None)
    if name is not None:
        yield RULE.manual(site, f"{site.brief} is built with CUDA", todo=f"Use {_OPERATORS[name]}.")
