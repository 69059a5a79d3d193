"""Report libraries of PyTorch programs that need CUDA, or something else on NPUs."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, library_imports
from ascendify.rules.torch import _release

RULE = library_imports.rule_for(
    "TORCH-LIB-1",
    "Replace libraries that do not work on NPUs, or set them up for NPUs",
    "torch",
    before="from flash_attn import flash_attn_func",
    works=_release.behaves,
)

_PROVIDERS = (
    "CUDAExecutionProvider",
    "TensorrtExecutionProvider",
    "NvTensorRTRTXExecutionProvider",
)


@RULE.file
def report_provider(file: File) -> Diagnoses:
    """Report the names of ONNX Runtime's providers for GPUs."""
    if "ExecutionProvider" not in file.module.source.text:
        return
    for node in file.module.index.of(ast.Constant):
        if node.value in _PROVIDERS:
            yield RULE.manual(
                file.at(node),
                f"{file.brief(node)} makes ONNX Runtime compute on a GPU",
                todo="Install onnxruntime-cann and write 'CANNExecutionProvider', or use only "
                "'CPUExecutionProvider'.",
                raises=False,
            )
