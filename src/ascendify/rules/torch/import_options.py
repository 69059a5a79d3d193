"""Note that a script sets neither the compile mode nor the memory format of operators."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.torch import _imports

RULE = Rule(
    code="TORCH-IMP-4",
    title="Consider two options that most scripts for NPUs set",
    why=(
        "If operators are compiled for each shape, every new shape waits for the compiler, and "
        "private memory formats make some convolutions faster and others fail. Both defaults "
        "depend on the model of the NPU: an Ascend 910A compiles for each shape, newer ones do "
        "not."
    ),
    statuses=(Status.INFO,),
    before="import torch\nfor x in loader:\n    model(x).sum().backward()",
)
_OPTIONS = ("set_compile_mode", "allow_internal_format")


@RULE.file
def note_defaults(file: File) -> Diagnoses:
    """Note the first backward pass of a script that sets neither."""
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
            "Migrate with --tune. Or, if steps with new shapes are slow or on an Ascend 910A, call "
            "torch.npu.set_compile_mode(jit_compile=False) before the first operator (for mp.spawn "
            "in the worker function). If a convolution reports an error about a format, set "
            "torch.npu.config.allow_internal_format = False."
        ),
    )
