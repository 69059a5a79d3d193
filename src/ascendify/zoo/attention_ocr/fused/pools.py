"""Max pools of 3 x 3 every 2 pixels as Triton kernels, for CUDA; see ``pooling``."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

_BLOCK = 1024
"""Numbers of a row that a program pools."""


@triton.jit
def _pool(
    pictures, largest, chosen, height, width, out_height, columns, channels: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """The largest of 3 x 3 every 2 pixels, for part of a row, and which of the nine it was."""
    line = tl.program_id(0).to(tl.int64)
    picture, row = line // out_height, line % out_height
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < columns
    # channels lie together, so the place of a column's left pixel is twice its own
    left = at // channels * 2 * channels + at % channels
    start = pictures + (picture * height + 2 * row) * width * channels
    best = tl.full([BLOCK], -float("inf"), tl.float32)
    which = tl.zeros([BLOCK], tl.int32)
    for tap in tl.static_range(9):
        place = start + (tap // 3) * width * channels + (tap % 3) * channels + left
        value = tl.load(place, mask=inside, other=-float("inf")).to(tl.float32)
        # what is no number is passed on, as torch does
        larger = (value > best) | (value != value)  # noqa: PLR0124
        which = tl.where(larger, tap, which)
        best = tl.where(larger, value, best)
    tl.store(largest + line * columns + at, best.to(largest.dtype.element_ty), mask=inside)
    tl.store(chosen + line * columns + at, which.to(tl.uint8), mask=inside)


@triton.jit
def _pool_backward(
    d_largest, chosen, d_pictures, height, out_height, out_width, row_size,
    channels: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The gradient of part of a row of pixels: what came back to the windows that chose them."""
    line = tl.program_id(0).to(tl.int64)
    picture, row = line // height, (line % height).to(tl.int32)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < row_size
    column, channel = at // channels, at % channels
    total = tl.zeros([BLOCK], tl.float32)
    for up in tl.static_range(2):
        out_row = row // 2 - up
        tap_row = row - 2 * out_row
        if (tap_row < 3) & (out_row >= 0) & (out_row < out_height):
            start = (picture * out_height + out_row) * out_width
            for back in tl.static_range(2):
                out_column = column // 2 - back
                tap_column = column - 2 * out_column
                there = inside & (tap_column < 3) & (out_column >= 0) & (out_column < out_width)
                place = (start + out_column) * channels + channel
                which = tl.load(chosen + place, mask=there, other=255).to(tl.int32)
                mine = there & (which == tap_row * 3 + tap_column)
                total += tl.load(d_largest + place, mask=mine, other=0.0).to(tl.float32)
    place = d_pictures + line * row_size + at
    tl.store(place, total.to(d_pictures.dtype.element_ty), mask=inside)


def max_pool(pictures: Tensor) -> tuple[Tensor, Tensor]:
    """The largest of 3 x 3 every 2 pixels without padding, and which; channels lie last."""
    pictures = pictures.contiguous(memory_format=torch.channels_last)
    samples, channels, height, width = pictures.shape
    rows, columns = (height - 3) // 2 + 1, (width - 3) // 2 + 1
    largest = torch.empty(
        (samples, channels, rows, columns), dtype=pictures.dtype, device=pictures.device,
        memory_format=torch.channels_last,
    )  # fmt: skip
    chosen = torch.empty_like(largest, dtype=torch.uint8)
    grid = (samples * rows, triton.cdiv(columns * channels, _BLOCK))
    _pool[grid](
        pictures, largest, chosen, height, width, rows, columns * channels, channels, _BLOCK
    )
    return largest, chosen


def max_pool_backward(d_largest: Tensor, chosen: Tensor, height: int, width: int) -> Tensor:
    """The gradient of the pictures."""
    d_largest = d_largest.contiguous(memory_format=torch.channels_last)
    samples, channels, rows, columns = chosen.shape
    d_pictures = torch.empty(
        (samples, channels, height, width), dtype=d_largest.dtype, device=d_largest.device,
        memory_format=torch.channels_last,
    )  # fmt: skip
    grid = (samples * height, triton.cdiv(width * channels, _BLOCK))
    _pool_backward[grid](
        d_largest, chosen, d_pictures, height, rows, columns, width * channels, channels,
        _BLOCK,
    )  # fmt: skip
    return d_pictures
