"""What a training script may say about compiling operators and memory formats."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.torch import _imports

RULE = Rule(
    code="TORCH-IMP-4",
    title="Know the two options most scripts for NPUs set",
    why=(
        "Operators compiled for each shape make every new shape wait for a compiler, and private "
        "memory formats speed up some convolutions and trouble others. Both have a default that "
        "depends on the model of the NPU: an Ascend 910A compiles for each shape, newer ones do "
        "not."
    ),
    statuses=(Status.INFO,),
    before="import torch\nfor x in loader:\n    model(x).sum().backward()",
)
_OPTIONS = ("set_compile_mode", "allow_internal_format")


@RULE.file
def tell(file: File) -> Diagnoses:
    """Once a script that trains and says nothing of these."""
    text = file.module.source.text
    if not _imports.is_entry(file) or any(option in text for option in _OPTIONS):
        return
    calls = file.module.index.calls_by_name.get("backward", ())
    first = next((call for call in calls if isinstance(call.func, ast.Attribute)), None)
    if first is None or not _imports.of(file, "torch"):
        return
    yield RULE.info(
        file.at(first),
        "the script trains with the NPU's defaults for compiling and memory formats",
        todo=(
            "If steps with new shapes are slow, or on an Ascend 910A, call "
            "torch.npu.set_compile_mode(jit_compile=False) before the first operator (for mp.spawn "
            "in the worker function). If a convolution complains about a format, set "
            "torch.npu.config.allow_internal_format = False."
        ),
    )
