"""Python packages that need CUDA or NVIDIA's driver."""

from __future__ import annotations

from dataclasses import dataclass

from ascendify.rules.kit import CallSite, Diagnoses, Effort, ImportSite, Rule, Status, guards

RULE = Rule(
    code="TF1-GPU-8",
    title="Replace packages that need CUDA",
    why=(
        "Packages built on CUDA or on NVIDIA's management library cannot be installed, or find no "
        "device, on an NPU machine: the import stops the program."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL, Status.INFO),
    before="import pynvml",
    framework="tensorflow",
)


@dataclass(frozen=True)
class _Package:
    """What a package is for and the way out."""

    status: Status
    what: str
    todo: str
    effort: Effort


_SMI = _Package(
    Status.MANUAL,
    "asks NVIDIA's driver about GPUs",
    "Remove it, or ask npu-smi: `npu-smi info` shows every device, `npu-smi info -t usages -i 0` "
    "the load and memory of card 0.",
    Effort.MINUTES,
)
_KERNELS = _Package(
    Status.BLOCKER,
    "computes with CUDA",
    "Move the computation to NumPy on the host or to TensorFlow operators in the graph.",
    Effort.REWRITE,
)
_PACKAGES = {
    "pynvml": _SMI,
    "py3nvml": _SMI,
    "GPUtil": _SMI,
    "gpustat": _SMI,
    "cupy": _KERNELS,
    "numba.cuda": _KERNELS,
    "pycuda": _KERNELS,
    "cudf": _KERNELS,
    "cuml": _KERNELS,
    "nvidia.dali": _Package(
        Status.MANUAL,
        "reads and prepares data on GPUs",
        "Write the input pipeline with tf.data; most projects that use it have that path already.",
        Effort.HOURS,
    ),
    "nvtx": _Package(
        Status.MANUAL,
        "marks ranges for NVIDIA's profiler",
        "Remove its calls; profile on an NPU with the option profiling_mode.",
        Effort.MINUTES,
    ),
    "tensorrt": _Package(
        Status.MANUAL,
        "runs models on NVIDIA's inference engine",
        "Export the frozen graph and convert it with ATC for offline inference on an NPU.",
        Effort.HOURS,
    ),
    "tf.contrib.tensorrt": _Package(
        Status.MANUAL,
        "runs models on NVIDIA's inference engine",
        "Export the frozen graph and convert it with ATC for offline inference on an NPU.",
        Effort.HOURS,
    ),
    "tf.python.compiler.tensorrt": _Package(
        Status.MANUAL,
        "runs models on NVIDIA's inference engine",
        "Export the frozen graph and convert it with ATC for offline inference on an NPU.",
        Effort.HOURS,
    ),
}
"""Import name -> what it is; the platform limits name CuPy and CUDA kernels as unsupported."""
_NCCL = (
    "tf.contrib.nccl",
    "tf.contrib.nccl.python.ops.nccl_ops",
    "tf.python.ops.nccl_ops",
)
_COLLECTIVES = ("all_sum", "all_prod", "all_min", "all_max", "reduce_sum", "broadcast")


@RULE.imports(*(f"{name}.*" for name in _PACKAGES))
def tell_package(site: ImportSite) -> Diagnoses:
    """The import of such a package; one in a ``try`` that expects it to fail is only noted."""
    name = next(item for item in _PACKAGES if f"{site.name}.".startswith(f"{item}."))
    package = _PACKAGES[name]
    spelled = site.brief
    if guards.may_fail(site.node):
        yield RULE.info(site, f"{spelled} {package.what}; the program goes on without it")
        return
    yield RULE.finding(
        package.status,
        site,
        f"{spelled} brings in a package that {package.what}",
        todo=package.todo,
        effort=package.effort,
    )


@RULE.call(*(f"{root}.{name}" for root in _NCCL for name in _COLLECTIVES))
def tell_collective(site: CallSite) -> Diagnoses:
    """NCCL operators add up over the GPUs of one process."""
    spelled = site.callee
    yield RULE.manual(
        site,
        f"{spelled} runs in NCCL, which joins the GPUs of one process",
        todo=(
            "A process has one NPU, so there is nothing to join in it: skip the call. Between "
            "processes npu_distributed_optimizer_wrapper() averages gradients, and "
            'hccl_ops.allreduce(x, "sum") of npu_bridge.hccl adds up anything else.'
        ),
    )
