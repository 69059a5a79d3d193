"""Overflow: an Ascend 910A has no infinity to look for."""

from __future__ import annotations

import re

from ascendify.rules.kit import Diagnoses, File, Rule, Status

RULE = Rule(
    code="TORCH-AMP-6",
    title="Look for overflows the way the NPU shows them",
    why=(
        "The arithmetic of an Ascend 910A stops at the largest number instead of giving infinity, "
        "so tests for inf and nan never fire there. The 910B and later follow IEEE 754."
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
def tell_once(file: File) -> Diagnoses:
    """The first test of a loss or gradient in a file."""
    for call in file.calls(*_TESTS):
        if call.node.args and _TRAINING.search(file.text(call.node.args[0])):
            yield RULE.info(
                call,
                f"{file.brief(call.node)} never sees an overflow on an Ascend 910A",
                todo=(
                    "Nothing on a 910B or later. For a 910A ask "
                    "torch_npu.npu.utils.npu_check_overflow(tensor), or leave it to the GradScaler."
                ),
            )
            return
