"""Python packages in requirement files: which are GPU builds, and what an NPU machine takes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ascendify.findings import Effort, Status

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


def verdict(name: str) -> Verdict | None:
    """What to say about a package, None when it is no GPU build."""
    plain = name.lower()
    return next((item for pattern, item in _VERDICTS if pattern.fullmatch(plain)), None)
