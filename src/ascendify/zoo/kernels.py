"""Kernels of a device: those written for one, in packages called ``fused``, and compiled ones."""

from __future__ import annotations

import importlib.util

import torch
from torch import Tensor, nn

_TRITON = importlib.util.find_spec("triton") is not None


def has_kernels(tensor: Tensor) -> bool:
    """Whether Triton's kernels run where a tensor lies, and in its precision."""
    return tensor.is_cuda and tensor.dtype != torch.float64 and _TRITON


def compile_in_place(module: nn.Module) -> None:
    """Have a module compiled for the shapes it is given; names of its weights stay.

    ``module.compile()`` leaves those of torch itself, such as ``Sequential``, as they are: dynamo
    passes over code of torch unless other code calls it, which here the function below does.
    """
    forward = module.forward

    def run(*inputs: Tensor) -> object:
        return forward(*inputs)

    module.forward = torch.compile(run, dynamic=False)
