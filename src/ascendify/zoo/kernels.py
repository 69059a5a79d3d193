"""Whether a device can run the kernels that are written for one: the modules called ``fused``."""

from __future__ import annotations

import functools
import importlib.util

import torch
from torch import Tensor


def has_kernels(tensor: Tensor) -> bool:
    """Whether Triton's kernels run where a tensor lies, and in its precision."""
    return tensor.is_cuda and tensor.dtype != torch.float64 and _has_triton()


@functools.cache
def _has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None
