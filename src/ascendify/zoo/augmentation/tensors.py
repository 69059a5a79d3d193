"""The operations of AutoAugment on a batch of pictures, on its device, to the pixel as Pillow.

Operations are of four families, each computed for the whole batch at once, and each sample takes
its own: pixels moved by a matrix, colours looked up in a table of the picture, colours mixed with
grey, and pixels mixed with their neighbours. All shapes are fixed and nothing is read back, so
that this can be part of a captured step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn
from torch.nn import functional

from ascendify.zoo.augmentation.operations import (
    GEOMETRIC,
    Operation,
    PolicyTable,
    StepTable,
    apply,
    matrix,
)

_FIXED = 1 << 16
"""Pillow moves pixels with numbers of 16 bits after the point."""
_KEPT, _MOVED, _LOOKED_UP, _GREYED, _SMOOTHED = range(5)
_STATIC = ("Invert", "Solarize", "Posterize", "Brightness")
"""Operations whose colour table is the same for every picture."""
_IS_STATIC, _CONTRAST, _AUTO_CONTRAST, _EQUALIZE = range(4)
_TABLES = {"Contrast": _CONTRAST, "AutoContrast": _AUTO_CONTRAST, "Equalize": _EQUALIZE}
_GREY = (19595, 38470, 7471)
"""Weights of red, green and blue in Pillow's grey, of 65,536."""
_SMOOTH = ((1, 1, 1), (1, 5, 1), (1, 1, 1))
"""Pillow's filter SMOOTH, of 13."""


@dataclass(frozen=True)
class OperationTensors:
    """Operations by number, as tensors on a device."""

    family: Tensor
    moves: Tensor
    """int64 [N, 6], with 16 bits after the point."""
    table_kind: Tensor
    tables: Tensor
    """uint8 [N, 256]: colours of the static operations."""
    factors: Tensor

    def take(self, chosen: Tensor) -> OperationTensors:
        """Return the operations of some numbers."""
        parts = (self.family, self.moves, self.table_kind, self.tables, self.factors)
        return OperationTensors(*(part[chosen] for part in parts))


def as_tensors(
    operations: Sequence[Operation], side: int, device: torch.device
) -> OperationTensors:
    """Return operations for square pictures as tensors."""
    rows = [_row(operation, side) for operation in operations]
    family, moves, kinds, tables, factors = zip(*rows)
    return OperationTensors(
        torch.tensor(family, device=device),
        torch.tensor(moves, dtype=torch.int64, device=device),
        torch.tensor(kinds, device=device),
        torch.from_numpy(np.stack(tables)).to(device),
        torch.tensor(factors, dtype=torch.float32, device=device),
    )


def _row(operation: Operation, side: int) -> tuple[int, tuple[int, ...], int, object, float]:
    name = operation.name
    moves = (_FIXED, 0, 0, 0, _FIXED, 0)
    table = np.arange(256, dtype=np.uint8)
    if name in GEOMETRIC:
        return _MOVED, _fixed_point(operation, side), _IS_STATIC, table, 1.0
    if name in _STATIC:
        colours = Image.fromarray(np.repeat(table[None, :, None], 3, 2))
        changed = np.asarray(apply(colours, operation))[0, :, 0].copy()
        return _LOOKED_UP, moves, _IS_STATIC, changed, 1.0
    if name in _TABLES:
        return _LOOKED_UP, moves, _TABLES[name], table, operation.value
    family = {"Color": _GREYED, "Sharpness": _SMOOTHED}[name]
    return family, moves, _IS_STATIC, table, operation.value


def _fixed_point(operation: Operation, side: int) -> tuple[int, ...]:
    """Return the matrix as Pillow rounds it, from the middle of the first pixel."""
    a, b, c, d, e, f = matrix(operation, (side, side))
    from_middle = (a, b, c + (a + b) / 2, d, e, f + (d + e) / 2)
    return tuple(int(np.floor(number * _FIXED + 0.5)) for number in from_middle)


class AutoAugment(nn.Module):
    """Changes a batch by a policy: each sample by one of its pairs of operations."""

    def __init__(self, policy: PolicyTable, side: int, fill: int = 0) -> None:
        super().__init__()
        self._policy = policy
        self._side = side
        self._fill = fill

    def forward(self, pictures: Tensor) -> Tensor:
        """Change pictures uint8 [B, H, W, 3]."""
        device = pictures.device
        pairs = len(self._policy.first.rows)
        chosen = torch.randint(pairs, (len(pictures),), device=device)
        for step in self._policy.steps:
            row = _draw(len(pictures), len(step.rows[0]), device)
            draw = torch.rand(len(pictures), device=device)
            operations, likely = _on_device(step, self._side, device)
            wanted = operations.take(chosen * len(step.rows[0]) + row)
            changed = apply_to_batch(pictures, wanted, self._fill)
            used = draw < likely[chosen]
            pictures = torch.where(used[:, None, None, None], changed, pictures)
        return pictures


def _draw(size: int, numbers: int, device: torch.device) -> Tensor:
    return torch.randint(numbers, (size,), device=device)


@cache
def _on_device(step: StepTable, side: int, device: torch.device) -> tuple[OperationTensors, Tensor]:
    """Return all operations of a step, row by row, and the probability of each sub-policy."""
    operations = as_tensors(list(chain.from_iterable(step.rows)), side, device)
    return operations, torch.tensor(step.probabilities, device=device)


def apply_to_batch(pictures: Tensor, operations: OperationTensors, fill: int = 0) -> Tensor:
    """Apply to each picture, uint8 [B, H, W, 3], its own operation."""
    planes = pictures.permute(0, 3, 1, 2)
    grey = _grey(planes)
    results = (
        (_MOVED, _move(planes, operations.moves, fill)),
        (_LOOKED_UP, _look_up(planes, _colour_tables(planes, grey, operations))),
        (_GREYED, _mix(grey[:, None], planes, operations.factors)),
        (_SMOOTHED, _mix(_smooth(planes), planes, operations.factors)),
    )
    changed = planes
    for family, result in results:
        wanted = (operations.family == family)[:, None, None, None]
        changed = torch.where(wanted, result, changed)
    return changed.permute(0, 2, 3, 1).contiguous()


def _move(planes: Tensor, moves: Tensor, fill: int) -> Tensor:
    """Take each pixel from where the matrix says, the nearest one."""
    samples, channels, height, width = planes.shape
    y, x = torch.meshgrid(
        torch.arange(height, device=planes.device),
        torch.arange(width, device=planes.device),
        indexing="ij",
    )
    a, b, c, d, e, f = (moves[:, n, None, None] for n in range(6))
    column, row = (a * x + b * y + c) >> 16, (d * x + e * y + f) >> 16
    inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    place = row.clamp(0, height - 1) * width + column.clamp(0, width - 1)
    place = place.view(samples, 1, -1).expand(-1, channels, -1)
    moved = planes.flatten(2).gather(2, place).view_as(planes)
    return torch.where(inside[:, None], moved, fill)


def _look_up(planes: Tensor, tables: Tensor) -> Tensor:
    """Replace each colour by that of the table of its picture and channel, uint8 [B, 3, 256]."""
    return tables.gather(2, planes.flatten(2).long()).view_as(planes)


def _colour_tables(planes: Tensor, grey: Tensor, operations: OperationTensors) -> Tensor:
    """Return the table of each picture and channel."""
    counts = _histogram(planes)
    static = operations.tables[:, None].expand(-1, planes.shape[1], -1)
    results = (
        (_CONTRAST, _contrast(grey, operations.factors)[:, None]),
        (_AUTO_CONTRAST, _auto_contrast(counts)),
        (_EQUALIZE, _equalize(counts)),
    )
    tables = static
    for kind, result in results:
        wanted = (operations.table_kind == kind)[:, None, None]
        tables = torch.where(wanted, result, tables)
    return tables


def _histogram(planes: Tensor) -> Tensor:
    """Count the colours of each picture and channel, int64 [B, 3, 256]."""
    colours = planes.flatten(2).long()
    counts = torch.zeros(*colours.shape[:2], 256, dtype=torch.int64, device=planes.device)
    return counts.scatter_add_(2, colours, torch.ones_like(colours))


def _contrast(grey: Tensor, factors: Tensor) -> Tensor:
    """Mix every colour with the mean of the grey picture."""
    total, pixels = grey.flatten(1).long().sum(1), grey[0].numel()
    mean = ((2 * total + pixels) // (2 * pixels))[:, None].to(torch.uint8)
    colours = torch.arange(256, dtype=torch.uint8, device=grey.device).expand(len(grey), -1)
    return _mix(mean, colours, factors)


def _auto_contrast(counts: Tensor) -> Tensor:
    """Stretch the colours that occur to all that there are."""
    there = counts > 0
    lowest = there.int().argmax(2)
    highest = 255 - there.flip(2).int().argmax(2)
    return _stretching(counts.device)[lowest, highest]


@cache
def _stretching(device: torch.device) -> Tensor:
    """Return Pillow's tables of ``autocontrast`` for every lowest and highest colour.

    It computes with numbers of 64 bits and cuts off, which an NPU has no type for.
    """
    lowest = np.arange(256)[:, None, None].astype(np.float64)
    highest = np.arange(256)[None, :, None].astype(np.float64)
    colours = np.arange(256)[None, None, :]
    span = np.where(highest > lowest, highest - lowest, 255.0)
    scale = 255.0 / span
    stretched = (colours * scale + -lowest * scale).astype(np.int64).clip(0, 255)
    tables = np.where(highest > lowest, stretched, colours).astype(np.uint8)
    return torch.from_numpy(tables).to(device)


def _equalize(counts: Tensor) -> Tensor:
    """Spread the colours so that each is as frequent as the others."""
    numbers = torch.arange(256, device=counts.device)
    last = (numbers * (counts > 0)).amax(2, keepdim=True)
    step = (counts.sum(2, keepdim=True) - counts.gather(2, last)) // 255
    before = counts.cumsum(2) - counts
    spread = ((step // 2 + before) // step.clamp(min=1)).clamp(max=255)
    return torch.where(step > 0, spread, numbers).to(torch.uint8)


def _grey(planes: Tensor) -> Tensor:
    """Return Pillow's grey of pictures, uint8 [B, H, W]."""
    red, green, blue = planes.int().unbind(1)
    weighted = red * _GREY[0] + green * _GREY[1] + blue * _GREY[2] + (1 << 15)
    return (weighted >> 16).to(torch.uint8)


def _smooth(planes: Tensor) -> Tensor:
    """Mix each pixel with its eight neighbours; those at the edge stay."""
    channels = planes.shape[1]
    kernel = torch.tensor(_SMOOTH, dtype=torch.float32, device=planes.device)
    kernel = kernel.expand(channels, 1, 3, 3)
    sums = functional.conv2d(planes.float(), kernel, groups=channels)  # whole numbers: exact
    inner = ((2 * sums.int() + 13) // 26).to(torch.uint8)
    smooth = planes.clone()
    smooth[:, :, 1:-1, 1:-1] = inner
    return smooth


def _mix(start: Tensor, end: Tensor, factors: Tensor) -> Tensor:
    """Return start + factor (end - start), cut off as Pillow does; beyond the ends, too."""
    factors = factors.view(-1, *[1] * (end.ndim - 1))
    first = start.float()
    mixed = first + factors * (end.float() - first)
    return mixed.clamp(0, 255).to(torch.uint8)
