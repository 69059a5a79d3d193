"""Report packages that need CUDA or NVIDIA's driver in PyTorch programs."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, cuda_imports

RULE = cuda_imports.rule_for(
    "TORCH-LIB-1",
    "Replace packages that need CUDA in PyTorch programs",
    "torch",
    before="from flash_attn import flash_attn_func",
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
