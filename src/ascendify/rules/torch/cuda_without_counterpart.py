"""Names of torch.cuda that nothing on an NPU answers to: each with the way out."""

from __future__ import annotations

from dataclasses import dataclass

from ascendify.catalog import torch_npu
from ascendify.rules.kit import Diagnoses, Effort, ImportSite, Rule, Site, Status
from ascendify.rules.torch import _cuda

RULE = Rule(
    code="TORCH-CUDA-4",
    title="Find another way for what only GPUs have",
    why=(
        "About one name in three of torch.cuda is about NVIDIA's libraries and drivers: NCCL, the "
        "CUDA runtime, NVML, compilers of kernels. torch.npu has nothing of the name, so the call "
        "raises on an NPU."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL, Status.INFO),
    before="torch.cuda.comm.broadcast(tensor, devices)",
)


@dataclass(frozen=True)
class _Way:
    """What to do about a name, and how bad it is."""

    todo: str
    status: Status = Status.MANUAL
    effort: Effort = Effort.MINUTES


def _one_process(call: str) -> _Way:
    return _Way(
        "One process drives one NPU: start one process for each (torchrun), call "
        f"torch.distributed.init_process_group('hccl') in it, and write {call}.",
        Status.BLOCKER,
        Effort.HOURS,
    )


_SMI = _Way("Read it with the command npu-smi info, or remove the line: training does not need it.")
_PROFILER = _Way(
    "Profile with torch_npu.profiler.profile(): its start() and stop() take the place of these."
)
_ARCHITECTURES = _Way(
    "It lists what CUDA kernels were compiled for. Remove it, or the branch that asks."
)
WAYS = {
    "comm.broadcast": _one_process("torch.distributed.broadcast(tensor, src=0)"),
    "comm.broadcast_coalesced": _one_process(
        "torch.distributed.broadcast(tensor, src=0) for each tensor; "
        "DistributedDataParallel does it for the parameters of a model"
    ),
    "comm.reduce_add": _one_process("torch.distributed.all_reduce(tensor)"),
    "comm.reduce_add_coalesced": _one_process(
        "torch.distributed.all_reduce(tensor) for each tensor; "
        "DistributedDataParallel does it for gradients"
    ),
    "comm.scatter": _one_process(
        "torch.distributed.scatter(part, parts, src=0); batches are better divided by a "
        "torch.utils.data.DistributedSampler"
    ),
    "comm.gather": _one_process("torch.distributed.all_gather(parts, tensor)"),
    "comm": _one_process("the collectives of torch.distributed in place of torch.cuda.comm"),
    "nccl.version": _Way(
        "HCCL is part of CANN: print torch_npu.utils.get_cann_version(), or remove the line."
    ),
    "nccl.is_available": _Way("Ask torch.distributed.is_hccl_available()."),
    "nccl.all_reduce": _one_process("torch.distributed.all_reduce(tensor)"),
    "nccl.all_gather": _one_process("torch.distributed.all_gather_into_tensor(output, tensor)"),
    "nccl.reduce_scatter": _one_process("torch.distributed.reduce_scatter_tensor(output, tensor)"),
    "nccl.broadcast": _one_process("torch.distributed.broadcast(tensor, src=0)"),
    "nccl.reduce": _one_process("torch.distributed.reduce(tensor, dst=0)"),
    "nccl.unique_id": _Way(
        "torch.distributed.init_process_group('hccl') makes the ranks find each other: remove it."
    ),
    "nccl.init_rank": _one_process("nothing in place of init_rank"),
    "nccl": _one_process("the collectives of torch.distributed in place of torch.cuda.nccl"),
    "profiler.profile": _PROFILER,
    "profiler.start": _PROFILER,
    "profiler.stop": _PROFILER,
    "profiler": _PROFILER,
    "cudart": _Way(
        "There is no CUDA runtime. Where it starts or stops the profiler, use the start() and "
        "stop() of torch_npu.profiler.profile(); memory is pinned with tensor.pin_memory(); what "
        "else torch_npu hands out of CANN's runtime is in torch.npu.npurt()."
    ),
    "check_error": _Way("It checks a result of the CUDA runtime: remove it with that call."),
    "CudaError": _Way("An NPU reports errors as RuntimeError: catch that."),
    "DeferredCudaCallError": _Way("An NPU reports errors as RuntimeError: catch that."),
    "get_arch_list": _ARCHITECTURES,
    "get_gencode_flags": _ARCHITECTURES,
    "is_tf32_supported": _Way(
        "An NPU has HF32 in its place: set torch.npu.matmul.allow_hf32 and leave the test out."
    ),
    "temperature": _SMI,
    "power_draw": _SMI,
    "clock_rate": _SMI,
    "list_gpu_processes": _SMI,
    "memory.list_gpu_processes": _SMI,
    "device_memory_used": _Way(
        "Write free, total = torch.npu.mem_get_info(device), and total - free."
    ),
    "memory_usage": _Way(
        "It is the share of time the memory is read or written, which no function tells: take "
        "torch.npu.utilization(device) for the load, or the command npu-smi info."
    ),
    "jiterator": _Way(
        "It compiles CUDA text at run time. Write the function with PyTorch operators, or as an "
        "Ascend C kernel built with torch_npu.utils.cpp_extension.NpuExtension.",
        Status.BLOCKER,
        Effort.REWRITE,
    ),
    "tunable": _Way("It tunes matrix products of cuBLAS: remove the call."),
    "gds": _Way(
        "It reads files straight into GPU memory. Read into host memory, then tensor.to('npu').",
        Status.BLOCKER,
        Effort.HOURS,
    ),
    "GreenContext": _Way(
        "It reserves part of a GPU. torch.npu.set_device_limit limits the cores a process uses; or "
        "leave it out.",
        Status.BLOCKER,
        Effort.HOURS,
    ),
    "green_contexts": _Way("It reserves part of a GPU: leave it out.", Status.BLOCKER),
    "current_solver_handle": _Way("There is no cuSOLVER behind an NPU: remove the call."),
    "has_magma": _Way("It asks for a library of GPUs: remove the branch."),
    "has_half": _Way("Every NPU computes in half precision: keep the branch that does."),
    "caching_allocator_enable": _Way(
        "The NPU's allocator is switched off by the environment variable "
        "PYTORCH_NO_NPU_MEMORY_CACHING=1, not in the program."
    ),
    "caching_allocator_disabled": _Way(
        "The NPU's allocator is switched off by the environment variable "
        "PYTORCH_NO_NPU_MEMORY_CACHING=1, not in the program."
    ),
    "get_stream_from_external": _Way(
        "Write torch.npu.ExternalStream(pointer, device=device), where the pointer is that of an "
        "NPU stream."
    ),
    "ComplexFloatStorage": _Way("Write torch.UntypedStorage(size, device='npu')."),
    "ComplexDoubleStorage": _Way("Write torch.UntypedStorage(size, device='npu')."),
    "_utils._get_device_index": _Way(
        "Write torch.npu._get_device_index, or torch.device(x).index."
    ),
}
"""Names below torch.cuda; a name without a row of its own has that of its module."""


@RULE.reference(f"{_cuda.CUDA}.*")
def tell(site: Site) -> Diagnoses:
    """Every use, however torch.cuda was imported."""
    if not has_none(site.name):
        return
    way = _way(site.name)
    yield RULE.finding(
        way.status, site, f"{site.brief} exists for GPUs only", todo=way.todo, effort=way.effort
    )


@RULE.imports(f"{_cuda.CUDA}.*")
def tell_import(site: ImportSite) -> Diagnoses:
    """The import itself works without a GPU; what is made of it does not."""
    if has_none(site.name):
        yield RULE.info(
            site,
            f"{site.name} has no counterpart for an NPU; the import itself works",
            todo="Remove it together with its uses, each of which has its own finding.",
        )


def has_none(name: str) -> bool:
    """Whether a name below torch.cuda has no counterpart at all."""
    return (
        torch_npu.counterpart(name) is None
        and name != _cuda.RANGE
        and not _cuda.is_elsewhere(name)
        and not name.endswith(".*")
    )


def _way(name: str) -> _Way:
    key = name[len(_cuda.CUDA) + 1 :]
    while key:
        if key in WAYS:
            return WAYS[key]
        key = key.rpartition(".")[0]
    return _Way(
        "torch.npu has nothing of this name. Remove the line if training can do without; else look "
        "for what it is needed for among the functions of torch.npu."
    )
