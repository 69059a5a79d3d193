"""Choose how operators are compiled and stored at the start of a training script."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Effort, File, Rule, Status
from ascendify.rules.torch import _imports, _together

RULE = Rule(
    code="TORCH-TUNE-9",
    title="Compile no operators, and keep private formats for convolutions",
    why=(
        "With jit_compile=False operators that are compiled already are used, so that a new shape "
        "does not wait for the compiler; newer NPUs do so by default, an Ascend 910A does not. "
        "Private formats serve convolutions; a program without any converts between formats for "
        "nothing. 15 % of the models that people have migrated to NPUs by hand set the first, 5 % "
        "the second. Source: the pages on set_compile_mode and allow_internal_format in the API "
        "reference of the vendor."
    ),
    statuses=(Status.AUTO_CHECK,),
    before="import torch\nfor x in loader:\n    model(x).sum().backward()",
    after=(
        "import torch\nimport torch_npu\n"
        "torch_npu.npu.set_compile_mode(jit_compile=False)\n"
        "torch_npu.npu.config.allow_internal_format = False\n"
        "for x in loader:\n    model(x).sum().backward()"
    ),
    safety=(
        "Both choose among kernels for the same operators: rounding may differ on an Ascend 910A, "
        "and nowhere else."
    ),
)
_MODES = ("set_compile_mode", "set_option(", "allow_internal_format")
_CONVOLUTIONS = (
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose", "conv1d", "conv2d", "conv3d", "torchvision",
    "timm", "diffusers", "ultralytics", "segmentation_models", "mmcv", "transformers", "monai",
)  # fmt: skip
"""Words of programs that may have convolutions: their own, or those of a library."""
_TODO = (
    "Where a step with a fixed shape becomes slower, as it may on an Ascend 910A, remove "
    "set_compile_mode: operators that are compiled for one shape can be faster."
)


@RULE.file
def set_modes(file: File) -> Diagnoses:
    """Set both after the imports of a script that trains; processes that it spawns import it."""
    if not file.facts.tune or not _imports.is_entry(file):
        return
    text = file.module.source.text
    place = _last_import(file)
    if place is None or any(mode in text for mode in _MODES) or not _has(file, ".backward("):
        return
    fix = file.fix()
    npu = f"{fix.use('torch_npu')}.npu"
    lines = [f"{npu}.set_compile_mode(jit_compile=False)"]
    if not _has(file, *_CONVOLUTIONS):
        lines.append(f"{npu}.config.allow_internal_format = False")
    fix.insert_after(place, "\n".join(lines))
    passes = file.module.index.calls_by_name.get("backward", ())
    yield RULE.auto_check(
        file.at(next(iter(passes), place)),
        "the script trains with the NPU's defaults for compiling and memory formats",
        done=f"Added {' and '.join(lines)}.",
        todo=_TODO,
        effort=Effort.NONE,
        fix=fix,
    )


def _last_import(file: File) -> ast.stmt | None:
    """The last statement of the imports that follow the first import of torch without another."""
    body = file.module.tree.body
    imported = _imports.of(file, "torch")
    first = next((n for n, item in enumerate(body) if item in imported), None)
    if first is None:
        return None
    rest = body[first:]
    count = next(
        (n for n, item in enumerate(rest) if not isinstance(item, (ast.Import, ast.ImportFrom))),
        len(rest),
    )
    return rest[count - 1]


def _has(file: File, *words: str) -> bool:
    """Whether a file of the program has one of these words."""
    return next(_together.files_with(file, *words), None) is not None
