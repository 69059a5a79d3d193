"""Python packages that need CUDA or NVIDIA's driver, imported by PyTorch programs."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ascendify.rules.kit import Diagnoses, Effort, File, ImportSite, Rule, Status, guards, once
from ascendify.rules.torch import _imports
from ascendify.source.nodes import position

RULE = Rule(
    code="TORCH-LIB-1",
    title="Replace packages that need CUDA in PyTorch programs",
    why=(
        "Packages built on CUDA or on NVIDIA's management library cannot be installed, or find no "
        "device, on an NPU machine: the import stops the program."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL, Status.INFO),
    before="from flash_attn import flash_attn_func",
    framework="torch",
)


@dataclass(frozen=True)
class _Package:
    """What a package is for and the way out."""

    what: str
    todo: str
    status: Status = Status.MANUAL
    effort: Effort = Effort.HOURS


_SMI = _Package(
    "asks NVIDIA's driver about GPUs",
    "Remove it, or ask npu-smi: `npu-smi info` shows every device, `npu-smi info -t usages -i 0` "
    "the load and memory of card 0; torch.npu.mem_get_info() tells the memory of this process.",
    effort=Effort.MINUTES,
)
_COMPUTES = _Package(
    "computes with CUDA",
    "Move the computation to NumPy on the host or to torch operators on the NPU.",
    Status.BLOCKER,
    Effort.REWRITE,
)
_KERNELS = _Package(
    "brings operators written in CUDA",
    "Write them with torch's own operators, or as custom operators of CANN "
    "(torch_npu.utils.cpp_extension.NpuExtension).",
    Status.BLOCKER,
    Effort.REWRITE,
)
_ATTENTION = _Package(
    "brings attention kernels written in CUDA",
    "Use torch.nn.functional.scaled_dot_product_attention, or torch_npu.npu_fusion_attention, "
    "where a True in the mask means left out.",
)
_INFERENCE = _Package(
    "runs models on NVIDIA's inference engine",
    "Export the model to ONNX and convert it with ATC for inference on NPUs.",
)
PACKAGES = {
    **dict.fromkeys(("pynvml", "py3nvml", "GPUtil", "gpustat", "nvsmi"), _SMI),
    **dict.fromkeys(("cupy", "pycuda", "numba.cuda", "cudf", "cuml"), _COMPUTES),
    **dict.fromkeys(
        (
            "mamba_ssm", "causal_conv1d", "spconv", "torch_scatter", "torch_sparse",
            "torch_cluster", "MinkowskiEngine", "fastmoe", "fmoe", "dcn_v2", "DCNv2",
            "MultiScaleDeformableAttention", "deform_conv_cuda", "pointnet2_ops", "tinycudann",
            "nvdiffrast", "fused_layer_norm_cuda", "apex_C", "amp_C",
        ),
        _KERNELS,
    ),
    **dict.fromkeys(("flash_attn", "xformers"), _ATTENTION),
    **dict.fromkeys(("tensorrt", "torch2trt", "torch_tensorrt"), _INFERENCE),
    "nvidia.dali": _Package(
        "reads and prepares data on GPUs",
        "Write the input pipeline with torch.utils.data.DataLoader; most projects that use it have "
        "that path already.",
    ),
    "nvtx": _Package(
        "marks ranges for NVIDIA's profiler",
        "Mark them with torch.npu.mstx, or remove the calls.",
        effort=Effort.MINUTES,
    ),
    "triton": _Package(
        "compiles kernels for GPUs",
        "Try triton-ascend, which knows a part of the language, or write the kernel with torch.",
    ),
    "bitsandbytes": _Package(
        "has an NPU backend in recent releases only",
        "Take a recent release, or train without 8-bit optimizers and weights.",
    ),
    "transformer_engine": _Package(
        "computes with float8 on NVIDIA's GPUs",
        "Use torch.nn's layers, with torch.autocast('npu', dtype=torch.bfloat16) for speed.",
    ),
    "tutel": _Package(
        "brings layers of experts written in CUDA",
        "Train a model without experts, or write the layer with torch's operators.",
    ),
    "mmcv.ops": _Package(
        "brings operators of which only some have an NPU version",
        "Install mmcv built for NPUs and check each operator that is used.",
    ),
    "detectron2": _Package(
        "has layers written in CUDA",
        "Set MODEL.DEVICE to npu, and replace layers such as DeformConv and ROIAlignRotated.",
    ),
    "onnxruntime_gpu": _INFERENCE,
}  # fmt: skip
"""Import name -> what it is; from the catalogue's third-party packages."""
_PROVIDERS = (
    "CUDAExecutionProvider",
    "TensorrtExecutionProvider",
    "NvTensorRTRTXExecutionProvider",
)


@RULE.file
def tell_provider(file: File) -> Diagnoses:
    """Where ONNX Runtime is told to compute."""
    if "ExecutionProvider" not in file.module.source.text:
        return
    for node in file.module.index.of(ast.Constant):
        if node.value in _PROVIDERS:
            yield RULE.manual(
                file.at(node),
                f"{file.brief(node)} lets ONNX Runtime compute on a GPU",
                todo="Install onnxruntime-cann and write 'CANNExecutionProvider', or leave only "
                "'CPUExecutionProvider'.",
            )


def _others(site: ImportSite, package: str) -> list[int] | None:
    """Lines that import more of a package; None where an earlier one is told.

    One that says cuda is told by itself, so that every line that does has a finding.
    """
    if "cuda" in site.file.text(site.node).lower():
        return []
    found = [
        node
        for node in site.file.module.index.imports
        if not guards.may_fail(node)
        and "cuda" not in site.file.text(node).lower()
        and any(f"{name}.".startswith(f"{package}.") for name in _imports.origins(node))
    ]
    first = min(found, key=position)
    is_first = first is site.node and site.alias is site.node.names[0]
    return sorted({node.lineno for node in found} - {site.node.lineno}) if is_first else None


@RULE.imports(*(f"{name}.*" for name in PACKAGES))
def tell_package(site: ImportSite) -> Diagnoses:
    """The import of such a package; one in a ``try`` that expects it to fail is only noted."""
    name = next(item for item in PACKAGES if f"{site.name}.".startswith(f"{item}."))
    package = PACKAGES[name]
    spelled = site.brief
    if guards.may_fail(site.node):
        yield RULE.info(
            site,
            f"{spelled} brings in a package that {package.what}; the program goes on without it",
        )
        return
    lines = _others(site, name)
    if lines is None:
        return
    yield RULE.finding(
        package.status,
        site,
        f"{spelled} brings in a package that {package.what}{once.words(lines)}",
        todo=package.todo,
        effort=package.effort,
    )
