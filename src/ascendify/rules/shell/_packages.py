"""Python packages in requirement files: which are GPU builds, and what an NPU machine takes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ascendify.rules.kit import Effort, Status

TENSORFLOW = "1.15.0"
"""The TensorFlow release the TF 1 adapter is built for, on Python 3.7."""
TENSORFLOW2 = "2.6.5"
GPU_TENSORFLOW = re.compile(r"tensorflow[-_]gpu", re.I)
PLUGIN = (
    "npu_bridge comes with CANN's tfplugin, not from a package index: install it beside "
    f"TensorFlow {TENSORFLOW} on Python 3.7."
)
_VERSION = re.compile(r"\s*(===?|~=|>=|<=|!=|>|<|=)\s*([\w.*+!-]+)")


@dataclass(frozen=True)
class Requirement:
    """One package of a requirements file."""

    name: str
    start: int
    """Offset of the name."""
    specifier: str
    """The versions asked for, as written."""
    specifier_start: int
    """Offset of the specifier."""

    @property
    def end(self) -> int:
        """Offset past name and specifier."""
        return self.specifier_start + len(self.specifier)

    @property
    def text(self) -> str:
        """Name and versions."""
        return self.name + self.specifier.strip()

    @property
    def pinned(self) -> str | None:
        """The one version asked for, None when several will do."""
        match = _VERSION.fullmatch(self.specifier.rstrip())
        if match is None or match[1] not in ("==", "===", "=", "~="):
            return None
        return match[2]


@dataclass(frozen=True)
class Verdict:
    """What to say about a package."""

    status: Status
    found: str
    todo: str
    effort: Effort = Effort.MINUTES


_CUDA = Verdict(
    Status.MANUAL,
    "is a part of CUDA",
    "Remove it; the NPU's driver and CANN are installed outside Python.",
)
_KERNELS = Verdict(
    Status.BLOCKER,
    "computes with CUDA",
    "Move what uses it to NumPy or to TensorFlow operators.",
    Effort.REWRITE,
)
_SMI = Verdict(
    Status.MANUAL,
    "asks NVIDIA's driver about GPUs",
    "Remove it; npu-smi shows the state of NPUs.",
)
_VERDICTS = (
    (re.compile(r"horovod"), Verdict(
        Status.MANUAL,
        "has no NPU version",
        "Remove it once the migrated program runs: HCCL takes its place.",
    )),
    (re.compile(r"cupy(?:[-_]\w+)?|pycuda|cudf\S*|cuml\S*|rmm\S*"), _KERNELS),
    (re.compile(r"nvidia[-_]dali\S*"), Verdict(
        Status.MANUAL,
        "reads and prepares data on GPUs",
        "Write the input pipeline with tf.data and remove it.",
        Effort.HOURS,
    )),
    (re.compile(r"pynvml|py3nvml|nvidia[-_]ml[-_]py\d*|gputil|gpustat|nvgpu"), _SMI),
    (re.compile(r"apex|nvidia[-_]apex"), Verdict(
        Status.MANUAL,
        "is built for CUDA",
        "Remove it; the NPU has mixed precision of its own.",
    )),
    (re.compile(r"tensorrt|nvidia[-_]tensorrt|uff|graphsurgeon|pytriton|tritonclient\S*"), Verdict(
        Status.MANUAL,
        "serves models on NVIDIA's inference engine",
        "Export the frozen graph and convert it with ATC for inference on NPUs.",
        Effort.HOURS,
    )),
    (re.compile(r"onnxruntime[-_]gpu"), Verdict(
        Status.MANUAL,
        "is the GPU build",
        "Use onnxruntime, or convert the model with ATC.",
    )),
    (re.compile(r"tf[-_]nightly[-_]gpu\S*|tensorflow[-_]rocm"), Verdict(
        Status.MANUAL,
        "is a build for other devices",
        f"Use tensorflow=={TENSORFLOW}. {PLUGIN}",
    )),
    (re.compile(r"nvidia[-_](?:cuda|cudnn|cublas|cufft|curand|cusolver|cusparse|nccl|nvjpeg)\S*"
                r"|cudatoolkit\S*|cudnn|nccl|cuda(?:[-_]\w+)?"), _CUDA),
    (re.compile(r"nvidia[-_](?:pyindex|nvtx)\S*|nvtx(?:[-_]\w+)?|nvidia[-_]dllogger"), Verdict(
        Status.MANUAL,
        "belongs to NVIDIA's tools",
        "Remove it with what uses it, or check that it installs without a GPU.",
    )),
)  # fmt: skip
"""Names in lower case -> what an NPU machine makes of them; from the report catalogue, item 14."""


_TORCH_KERNELS = Verdict(
    Status.BLOCKER,
    "brings operators written in CUDA",
    "Write what uses it with torch's own operators.",
    Effort.REWRITE,
)
_TORCH_VERDICTS = (
    (re.compile(r"horovod"), Verdict(
        Status.MANUAL,
        "has no NPU version for PyTorch",
        "Use torch.distributed with the backend hccl and remove it.",
        Effort.HOURS,
    )),
    (re.compile(r"cupy(?:[-_]\w+)?|pycuda|cudf\S*|cuml\S*|rmm\S*"), Verdict(
        Status.BLOCKER,
        "computes with CUDA",
        "Move what uses it to NumPy or to torch.",
        Effort.REWRITE,
    )),
    (re.compile(r"nvidia[-_]dali\S*"), Verdict(
        Status.MANUAL,
        "reads and prepares data on GPUs",
        "Write the input pipeline with torch.utils.data.DataLoader and remove it.",
        Effort.HOURS,
    )),
    (re.compile(r"apex|nvidia[-_]apex"), Verdict(
        Status.MANUAL,
        "is built for CUDA",
        "Remove it: torch.amp has mixed precision, torch_npu.optim the fused optimizers. Ascend "
        "has a build of apex of its own for programs that cannot do without.",
    )),
    (re.compile(r"flash[-_]attn\S*|xformers"), Verdict(
        Status.MANUAL,
        "brings attention kernels written in CUDA",
        "Use torch.nn.functional.scaled_dot_product_attention or torch_npu.npu_fusion_attention.",
        Effort.HOURS,
    )),
    (re.compile(r"bitsandbytes"), Verdict(
        Status.MANUAL,
        "has an NPU backend in recent releases only",
        "Take a recent release, or train without 8-bit optimizers and weights.",
    )),
    (re.compile(r"triton"), Verdict(
        Status.MANUAL,
        "compiles kernels for GPUs",
        "Try triton-ascend, which knows a part of the language, or write the kernel with torch.",
        Effort.HOURS,
    )),
    (re.compile(r"mamba[-_]ssm|causal[-_]conv1d|spconv\S*|torch[-_](?:scatter|sparse|cluster)"
                r"|minkowskiengine|dcnv2|fastmoe"), _TORCH_KERNELS),
    (re.compile(r"faiss[-_]gpu\S*"), Verdict(
        Status.MANUAL, "is the GPU build", "Use faiss-cpu.",
    )),
    (re.compile(r"tensorrt\S*|nvidia[-_]tensorrt|torch2trt|torch[-_]tensorrt"), Verdict(
        Status.MANUAL,
        "runs models on NVIDIA's inference engine",
        "Export to ONNX and convert with ATC for inference on NPUs.",
        Effort.HOURS,
    )),
    (re.compile(r"pytorch[-_]cuda"), _CUDA),
)  # fmt: skip
"""What PyTorch projects are told before the verdicts for all; from the catalogue's packages."""


def verdict(name: str, framework: str) -> Verdict | None:
    """What to say about a package, None when it is no GPU build."""
    plain = name.lower()
    verdicts = (*_TORCH_VERDICTS, *_VERDICTS) if framework == "torch" else _VERDICTS
    return next((item for pattern, item in verdicts if pattern.fullmatch(plain)), None)
