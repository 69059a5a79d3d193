"""bfloat16: not on every NPU."""

from __future__ import annotations

from ascendify.catalog import advice
from ascendify.rules.kit import Diagnoses, File, Rule, Status

RULE = Rule(
    code="TORCH-AMP-5",
    title="Know which NPUs compute in bfloat16",
    why=(
        f"{advice.text('bfloat16-hardware')} torch.npu.is_bf16_supported() tells, and float16 "
        "with a GradScaler does instead."
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
            todo=advice.text("bfloat16-torch"),
        )
