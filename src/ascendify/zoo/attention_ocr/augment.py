"""Change pictures of signs at random, on their device, as upstream's ``data_provider.py``."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from ascendify.zoo.attention_ocr.model import split_views


def augment_views(images: Tensor, views: int) -> Tensor:
    """Crop and recolour every view of pictures uint8 [B,H,W,3] at random.

    A crop has 0.8 to 1 of the area, its sides' ratio changed by 0.8 to 1.2. Brightness moves by up
    to 32/255, hue by up to a fifth of the circle; saturation and contrast are multiplied by 0.5 to
    1.5. Nothing here waits for the device.
    """
    batch, height, width, channels = images.shape
    with torch.autocast(images.device.type, enabled=False):  # pixels need their eight bits
        apart = split_views(images.permute(0, 3, 1, 2).float(), views)
        changed = recolour(crop(apart).div(255)).clamp(0, 1).mul(255).round().to(torch.uint8)
    together = changed.reshape(batch, views, channels, height, width // views)
    return together.permute(0, 3, 1, 4, 2).reshape(images.shape)


def crop(pictures: Tensor) -> Tensor:
    """Crop each picture [B,C,H,W] at random, and scale the crop to full size."""
    area = _between(pictures, 0.8, 1.0)
    ratio = _between(pictures, 0.8, 1.2).sqrt()
    sides = torch.stack([area.sqrt() * ratio, area.sqrt() / ratio], 1).clamp(max=1)
    shift = (2 * torch.rand_like(sides) - 1) * (1 - sides)
    transform = torch.cat([torch.diag_embed(sides), shift[:, :, None]], 2)
    grid = functional.affine_grid(transform, list(pictures.shape), align_corners=False)
    return functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)


def recolour(pictures: Tensor) -> Tensor:
    """Change hue, saturation, contrast and brightness of each picture [B,3,H,W] in [0,1]."""
    angle = _between(pictures, -0.2, 0.2) * (2 * math.pi)
    mix = _colours(angle, _between(pictures, 0.5, 1.5))
    moved = torch.matmul(mix, pictures.flatten(2)).view_as(pictures)
    mean = moved.mean((2, 3), keepdim=True)
    contrast = _between(pictures, 0.5, 1.5)[:, None, None, None]
    brightness = _between(pictures, -32 / 255, 32 / 255)[:, None, None, None]
    return (moved - mean) * contrast + mean + brightness


def _between(pictures: Tensor, low: float, high: float) -> Tensor:
    """Draw a number for each picture."""
    return low + (high - low) * torch.rand(len(pictures), device=pictures.device)


def _colours(angle: Tensor, saturation: Tensor) -> Tensor:
    """Return matrices [B,3,3] that rotate the hue and scale the saturation."""
    cos, sin = angle.cos()[:, None, None], angle.sin()[:, None, None]
    eye = torch.eye(3, device=angle.device)
    grey = torch.full_like(eye, 1 / 3)
    across = (eye.roll(1, 0) - eye.roll(-1, 0)) / math.sqrt(3)
    return grey + saturation[:, None, None] * (cos * (eye - grey) + sin * across)
