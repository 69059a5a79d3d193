"""Kernels: whether Triton kernels (packages ``fused``) can run, and compilation of modules."""

from __future__ import annotations

import importlib.util

import torch
from torch import Tensor, nn

_TRITON = importlib.util.find_spec("triton") is not None


def has_kernels(tensor: Tensor) -> bool:
    """Whether Triton kernels can run on the device and in the precision of a tensor."""
    return tensor.is_cuda and tensor.dtype != torch.float64 and _TRITON


def compile_in_place(module: nn.Module) -> None:
    """Compile a module for the shapes it is called with, and keep the names of its weights.

    ``module.compile()`` does not compile torch's own classes, such as ``Sequential``: dynamo skips
    torch's code unless code outside of torch calls it, as the function below does.
    """
    forward = module.forward

    def run(*inputs: Tensor) -> object:
        return forward(*inputs)

    module.forward = torch.compile(run, dynamic=False)
