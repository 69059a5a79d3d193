"""The tower's max pools: 3 x 3 every 2 pixels, the same numbers and gradients as ``MaxPool2d``.

The gradient that a compiler generates checks four windows for every pixel, and took a tenth of a
training step. The kernel checks only the windows that a row can be in. It is an operator of its
own, so a compiled tower calls it as a whole.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ascendify.zoo.kernels import has_kernels


class Pool(nn.MaxPool2d):
    """``MaxPool2d(3, 2)``, with a Triton kernel if available."""

    def __init__(self) -> None:
        super().__init__(3, 2)

    def forward(self, input: Tensor) -> Tensor:
        """Return the largest value of each window."""
        if not has_kernels(input):
            found: Tensor = super().forward(input)
            return found
        largest: Tensor = _max_pool(input)[0]
        return largest


@torch.library.custom_op("ascendify::max_pool", mutates_args=())
def _max_pool(pictures: Tensor) -> tuple[Tensor, Tensor]:
    from ascendify.zoo.attention_ocr.fused import pools  # noqa: PLC0415 - needs Triton

    return pools.max_pool(pictures)


@torch.library.custom_op("ascendify::max_pool_backward", mutates_args=())
def _max_pool_backward(d_largest: Tensor, chosen: Tensor, height: int, width: int) -> Tensor:
    from ascendify.zoo.attention_ocr.fused import pools  # noqa: PLC0415 - needs Triton

    return pools.max_pool_backward(d_largest, chosen, height, width)


@_max_pool.register_fake
def _(pictures: Tensor) -> tuple[Tensor, Tensor]:
    samples, channels, height, width = pictures.shape
    shape = (samples, channels, (height - 3) // 2 + 1, (width - 3) // 2 + 1)
    largest = pictures.new_empty(shape).to(memory_format=torch.channels_last)
    return largest, torch.empty_like(largest, dtype=torch.uint8)


@_max_pool_backward.register_fake
def _(d_largest: Tensor, chosen: Tensor, height: int, width: int) -> Tensor:
    made = d_largest.new_empty((*chosen.shape[:2], height, width))
    return made.to(memory_format=torch.channels_last)


def _remember(ctx: Any, inputs: tuple[Tensor], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(output[1])
    ctx.size = inputs[0].shape[2:]


def _go_back(ctx: Any, d_largest: Tensor, _: Tensor) -> Tensor:
    (chosen,) = ctx.saved_tensors
    found: Tensor = _max_pool_backward(d_largest, chosen, *ctx.size)
    return found


_max_pool.register_autograd(_go_back, setup_context=_remember)
