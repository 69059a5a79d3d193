"""The parts of Attention-OCR's loss, and its least value."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def sequence_losses(
    logits: Tensor, labels: Tensor, smoothing: float, null: int, ignore_nulls: bool
) -> tuple[Tensor, Tensor]:
    """Return cross-entropies [B,N] to smoothed targets, and weights 1 or 0 of what counts.

    The targets are one-hot * (1 - smoothing) + smoothing / classes.
    """
    losses = functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), reduction="none", label_smoothing=smoothing
    ).view_as(labels)
    counted = torch.ones_like(losses) if ignore_nulls else (labels != null).to(losses.dtype)
    return losses * counted, counted


def entropy(smoothing: float, classes: int) -> float:
    """Return the entropy of a smoothed one-hot target: the least value of its cross-entropy."""
    rest = smoothing / classes
    true = 1 - smoothing + rest
    spread = (classes - 1) * rest * math.log(rest) if rest else 0.0
    return -true * math.log(true) - spread


def l2(model: nn.Module, factor: float) -> Tensor:
    """Return half the factor times the squares of the convolutions' and the last layer's weights.

    The last layer's bias counts too, as upstream; normalisation and the rest of the decoder do not.
    """
    decayed = [
        parameter
        for name, parameter in model.named_parameters()
        if parameter.ndim == 4 or "decoder.logits." in name
    ]
    squares: Tensor = _Squares.apply(*decayed)  # type: ignore[no-untyped-call]
    return squares * (factor / 2)


class _Squares(torch.autograd.Function):
    """The sum of all squares, in a few kernels instead of several for each parameter."""

    @staticmethod
    def forward(ctx: Any, *parameters: Tensor) -> Tensor:
        ctx.save_for_backward(*parameters)
        return torch.stack(torch._foreach_norm(parameters)).square().sum()

    @staticmethod
    def backward(ctx: Any, outer: Tensor) -> tuple[Tensor, ...]:
        return tuple(torch._foreach_mul(ctx.saved_tensors, 2 * outer))
