"""Environment variables that only GPU software reads, with what to use on an NPU instead."""

from __future__ import annotations

import re

VISIBLE = "CUDA_VISIBLE_DEVICES"
DEVICE = "ASCEND_DEVICE_ID"

_GPU_ONLY = re.compile(
    r"NCCL_\w+|HOROVOD_\w+|CUDA_(?!VISIBLE_DEVICES$)\w+|CUDNN_\w+|NVIDIA_TF32_OVERRIDE"
    r"|TF_XLA_FLAGS|XLA_FLAGS"
    r"|TF_ENABLE_AUTO_MIXED_PRECISION\w*|TF_AUTO_MIXED_PRECISION_\w+"
    r"|TF_FORCE_GPU_ALLOW_GROWTH|TF_GPU_\w+|TF_USE_CUDNN\w*|TF_CUDNN\w*"
    r"|TF_ENABLE_CU(?:BLAS|DNN)\w*|TF_DISABLE_CUDNN\w*|TF_DISABLE_CUBLAS\w*"
    r"|TF_ENABLE_WINOGRAD_NONFUSED|TF_AUTOTUNE_THRESHOLD|TF_DISABLE_NVTX_RANGES"
    r"|TF_EXTRA_PTXAS_OPTIONS|TF_SYNC_ON_FINISH|TF_ENABLE_LAYOUT_NHWC"
    r"|TF_MIN_GPU_MULTIPROCESSOR_COUNT|TF_DETERMINISTIC_OPS"
)
"""From the platform limits (variables to drop) and from what GPU training scripts set."""

_PATHS = re.compile(
    r"CUDA_(?:HOME|PATH|ROOT|BIN_PATH|INC_PATH|TOOLKIT\w*|VERSION|ARCH\w*)|CUDNN_\w*(?:PATH|ROOT|HOME)\w*"
)
"""Where CUDA is installed: read by build scripts, so they are not this module's to drop."""

_INSTEAD = (
    (
        re.compile(r"TF_(?:ENABLE_)?AUTO_MIXED_PRECISION\w*"),
        "For mixed precision, migrate with --precision-mode allow_mix_precision.",
    ),
    (
        re.compile(r"TF_CUDNN_DETERMINISTIC|TF_DETERMINISTIC_OPS"),
        "For reproducible kernels, migrate with the NPU option deterministic=1.",
    ),
    (
        re.compile(r"NCCL_SOCKET_IFNAME"),
        "To choose the network card, set HCCL_SOCKET_IFNAME for the training processes.",
    ),
)


def is_gpu_only(variable: str) -> bool:
    """Whether nothing on an NPU machine reads a variable."""
    return bool(_GPU_ONLY.fullmatch(variable)) and not _PATHS.fullmatch(variable)


def instead(variable: str) -> str:
    """What serves the variable's purpose on an NPU; empty when nothing has to."""
    return next((text for pattern, text in _INSTEAD if pattern.fullmatch(variable)), "")


def is_one_device(value: str) -> bool:
    """Whether a value of CUDA_VISIBLE_DEVICES names exactly one device."""
    return bool(re.fullmatch(r"\s*\d+\s*", value))


def is_no_device(value: str) -> bool:
    """Whether a value of CUDA_VISIBLE_DEVICES hides every device."""
    return value.strip() in ("", "-1", "none", "NoDevFiles")
