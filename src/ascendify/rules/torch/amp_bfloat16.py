"""bfloat16: not on every NPU."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, File, Rule, Status

RULE = Rule(
    code="TORCH-AMP-5",
    title="Know which NPUs compute in bfloat16",
    why=(
        "An Ascend 910A has no bfloat16; the 910B and later do. torch.npu.is_bf16_supported() "
        "tells, and float16 with a GradScaler does instead."
    ),
    statuses=(Status.INFO,),
    before="with torch.autocast('npu', dtype=torch.bfloat16):\n    ...",
)


@RULE.file
def tell_once(file: File) -> Diagnoses:
    """The first mention of a file that does not ask."""
    text = file.module.source.text
    if "bfloat16" not in text or "is_bf16_supported" in text:
        return
    first = next(file.references("torch.bfloat16", "torch.BFloat16Tensor"), None)
    if first is not None:
        yield RULE.info(
            file.at(first.node),
            f"{first.text} does not exist on an Ascend 910A",
            todo=(
                "Nothing on a 910B or later. For a 910A choose float16 where "
                "torch.npu.is_bf16_supported() is false."
            ),
        )
