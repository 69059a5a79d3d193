"""Crops, mirror images and patches of a batch of pictures, on its device."""

from __future__ import annotations

import torch
from torch import Tensor


def crop_padded(pictures: Tensor, padding: int) -> Tensor:
    """Pad pictures uint8 [B, H, W, 3] with black, and cut their size out anywhere."""
    samples, height, width, _ = pictures.shape
    top, left = (_draw_whole(samples, 2 * padding + 1, pictures.device) for _ in range(2))
    rows = torch.arange(height, device=pictures.device) + top[:, None] - padding
    columns = torch.arange(width, device=pictures.device) + left[:, None] - padding
    inside = _within(rows, height)[:, :, None] & _within(columns, width)[:, None]
    place = rows.clamp(0, height - 1)[:, :, None] * width + columns.clamp(0, width - 1)[:, None]
    pixels = pictures.flatten(1, 2)
    taken = pixels.gather(1, place.view(samples, -1, 1).expand(-1, -1, pixels.shape[2]))
    return torch.where(inside[..., None], taken.view_as(pictures), 0)


def mirror(pictures: Tensor) -> Tensor:
    """Mirror half of the pictures [B, H, W, 3], left to right."""
    mirrored = torch.rand(len(pictures), 1, 1, 1, device=pictures.device) < 0.5
    return torch.where(mirrored, pictures.flip(2), pictures)


def cut_out(pictures: Tensor, size: int, value: float = 0.0) -> Tensor:
    """Set a square of each picture [B, C, H, W] to a value, after normalisation.

    Its centre is anywhere in the picture, so that a part of it may be outside (DeVries and Taylor,
    arXiv 1708.04552).
    """
    samples, _, height, width = pictures.shape
    top = _draw_whole(samples, height, pictures.device)[:, None] - size // 2
    left = _draw_whole(samples, width, pictures.device)[:, None] - size // 2
    rows = torch.arange(height, device=pictures.device)
    columns = torch.arange(width, device=pictures.device)
    hidden_rows = (rows >= top) & (rows < top + size)
    hidden_columns = (columns >= left) & (columns < left + size)
    hidden = hidden_rows[:, None, :, None] & hidden_columns[:, None, None, :]
    return pictures.masked_fill(hidden, value)


def _draw_whole(samples: int, numbers: int, device: torch.device) -> Tensor:
    return torch.randint(numbers, (samples,), device=device)


def _within(places: Tensor, size: int) -> Tensor:
    return (places >= 0) & (places < size)
