"""Properties of a device: an NPU fills in five of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.torch import _cuda
from ascendify.source.flow.forward import reads
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-CUDA-6",
    title="Read only the device properties an NPU has",
    why=(
        "torch.npu.get_device_properties() fills in name, total_memory, L2_cache_size, "
        "cube_core_num and vector_core_num. Numbers of streaming multiprocessors, warps and "
        "compute capabilities mean nothing on an NPU and are not set."
    ),
    statuses=(Status.MANUAL,),
    before="torch.cuda.get_device_properties(0).multi_processor_count",
)

_CORES = (
    "An NPU counts cores for matrices and for vectors: take cube_core_num or vector_core_num, "
    "whichever does the work this number is for. Newer torch_npu put the latter here, older None."
)
_CAPABILITY = (
    "An NPU has no compute capability. Ask for what it is needed for: "
    "torch.npu.is_bf16_supported() for bfloat16; half precision is always there."
)
_MISSING = {
    "multi_processor_count": _CORES,
    "major": _CAPABILITY,
    "minor": _CAPABILITY,
    "gcnArchName": "Take name, which tells the model of the NPU.",
    **dict.fromkeys(
        ("warp_size", "max_threads_per_multi_processor", "max_threads_per_block",
         "regs_per_multiprocessor", "shared_memory_per_block", "shared_memory_per_block_optin",
         "shared_memory_per_multiprocessor", "is_integrated", "is_multi_gpu_board",
         "clock_rate", "memory_clock_rate", "memory_bus_width"),
        "It describes how a GPU runs kernels; remove what is computed from it.",
    ),
    **dict.fromkeys(
        ("pci_bus_id", "pci_device_id", "pci_domain_id"),
        "Read the address with the command npu-smi info.",
    ),
}  # fmt: skip


@RULE.call(f"{_cuda.CUDA}.get_device_properties", f"{_cuda.NPU}.get_device_properties")
def tell(site: CallSite) -> Diagnoses:
    """Properties read at once, or from the variable that holds them."""
    for node in _read(site.node):
        if node.attr in _MISSING:
            yield RULE.manual(
                site.at(node),
                f"{site.file.brief(node)} is not filled in for an NPU",
                todo=_MISSING[node.attr],
            )


def _read(call: ast.Call) -> Iterator[ast.Attribute]:
    around = parent(call)
    if isinstance(around, ast.Attribute):
        yield around
        return
    target = around.targets[0] if isinstance(around, ast.Assign) else None
    for name in reads(target) if isinstance(target, ast.Name) else ():
        user = parent(name)
        if isinstance(user, ast.Attribute):
            yield user
