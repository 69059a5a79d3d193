"""Note tests for infinity and NaN, which never succeed on an Ascend 910A."""

from __future__ import annotations

import re

from ascendify.rules.kit import Diagnoses, File, Rule, Status

RULE = Rule(
    code="TORCH-AMP-6",
    title="Detect overflows in the way the NPU reports them",
    why=(
        "On an Ascend 910A an overflow gives the largest number instead of infinity, so tests for "
        "inf and nan are never true. The 910B and later follow IEEE 754."
    ),
    statuses=(Status.INFO,),
    before="if not torch.isfinite(loss):\n    skip()",
)

_TESTS = (
    "torch.isinf", "torch.isnan", "torch.isfinite", "math.isinf", "math.isnan", "math.isfinite",
    "numpy.isinf", "numpy.isnan", "numpy.isfinite",
)  # fmt: skip
_TRAINING = re.compile(r"loss|grad|scale", re.I)


@RULE.file
def note_first(file: File) -> Diagnoses:
    """Note the first test of a loss or gradient in a file."""
    for call in file.calls(*_TESTS):
        if call.node.args and _TRAINING.search(file.text(call.node.args[0])):
            yield RULE.info(
                call,
                f"{file.brief(call.node)} never detects an overflow on an Ascend 910A",
                todo=(
                    "Nothing on a 910B or later. On a 910A call "
                    "torch_npu.npu.utils.npu_check_overflow(tensor), or rely on the GradScaler."
                ),
            )
            return
