"""Change pictures of words at random, a whole batch at once on its device.

Every sample gets its own rotation, shift, light, blur and noise. All operations are float32
arithmetic with fixed shapes, so that they can be part of a captured step.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Augmentation:
    """Strength of the changes; each number is the largest change, 0 for none."""

    share: float = 0.0
    """Share of the samples that are changed."""
    rotate: float = 0.05
    """Radians."""
    shear: float = 0.15
    scale: float = 0.08
    shift: float = 0.06
    """In units of half the height and half the width."""
    brightness: float = 0.1
    contrast: float = 0.2
    blur: float = 0.5
    """Weight of the blurred picture (over three pixels) in the mix."""
    noise: float = 0.04
    """The largest standard deviation, where black to white is 1."""


def augment(pictures: Tensor, settings: Augmentation) -> Tensor:
    """Change some of the pictures uint8 [B, H, W, 3]."""
    before = pictures.permute(0, 3, 1, 2).float() / 255
    after = _transform(before, settings)
    after = _change_light(after, settings)
    after = _blur(after, settings)
    after = after + torch.randn_like(after) * _draw(after, 0, settings.noise)
    changed = _draw(after, 0, 1) < settings.share
    kept = torch.where(changed, after, before).clamp(0, 1)
    return (kept * 255).round().to(torch.uint8).permute(0, 2, 3, 1)


def _draw(pictures: Tensor, low: float, high: float) -> Tensor:
    """Draw a number for each sample, [B, 1, 1, 1]."""
    drawn = torch.rand(len(pictures), 1, 1, 1, device=pictures.device)
    return low + (high - low) * drawn


def _transform(pictures: Tensor, settings: Augmentation) -> Tensor:
    """Rotate, shear, scale and shift; outside the picture its edge is repeated.

    A shear moves rows along the line of writing, as in slanted letters.
    """
    _, _, height, width = pictures.shape
    x = torch.linspace(-1, 1, width, device=pictures.device) * (1 - 1 / width)
    y = (torch.linspace(-1, 1, height, device=pictures.device) * (1 - 1 / height))[:, None]
    ratio = height / width  # to rotate in pixels, as both axes go from -1 to 1
    turn = _draw(pictures, -settings.rotate, settings.rotate)[:, 0]
    slant = turn + _draw(pictures, -settings.shear, settings.shear)[:, 0]
    columns = x * _scale(pictures, settings) + y * slant * ratio + _shift(pictures, settings)
    rows = y * _scale(pictures, settings) - x * turn / ratio + _shift(pictures, settings)
    grid = torch.stack([columns, rows], dim=3)
    return functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)


def _scale(pictures: Tensor, settings: Augmentation) -> Tensor:
    return _draw(pictures, 1 - settings.scale, 1 + settings.scale)[:, 0]


def _shift(pictures: Tensor, settings: Augmentation) -> Tensor:
    return _draw(pictures, -settings.shift, settings.shift)[:, 0]


def _change_light(pictures: Tensor, settings: Augmentation) -> Tensor:
    """Change brightness, and contrast around the picture's mean."""
    mean = pictures.mean(dim=(1, 2, 3), keepdim=True)
    contrast = _draw(pictures, 1 - settings.contrast, 1 + settings.contrast)
    light = _draw(pictures, -settings.brightness, settings.brightness)
    return (pictures - mean) * contrast + mean + light


def _blur(pictures: Tensor, settings: Augmentation) -> Tensor:
    padded = functional.pad(pictures, (1, 1, 1, 1), mode="replicate")
    soft = functional.avg_pool2d(padded, 3, stride=1)
    return torch.lerp(pictures, soft, _draw(pictures, 0, settings.blur))
