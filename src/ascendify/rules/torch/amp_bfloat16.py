"""Note uses of bfloat16, which not every NPU computes in."""

from __future__ import annotations

from ascendify.catalog import advice
from ascendify.rules.kit import Diagnoses, File, Rule, Status

RULE = Rule(
    code="TORCH-AMP-5",
    title="Know which NPUs compute in bfloat16",
    why=(
        f"{advice.text('bfloat16-hardware')} Call torch.npu.is_bf16_supported() to find out; use "
        "float16 with a GradScaler where it is False."
    ),
    statuses=(Status.INFO,),
    before="with torch.autocast('npu', dtype=torch.bfloat16):\n    ...",
)


@RULE.file
def note_first(file: File) -> Diagnoses:
    """Note the first mention in a file that does not test for bfloat16."""
    text = file.module.source.text
    if "bfloat16" not in text or "is_bf16_supported" in text:
        return
    first = next(file.references("torch.bfloat16", "torch.BFloat16Tensor"), None)
    if first is not None:
        yield RULE.info(
            file.at(first.node),
            f"{first.text} is not supported by an Ascend 910A",
            todo=advice.text("bfloat16-torch"),
        )
