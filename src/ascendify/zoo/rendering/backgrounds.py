"""Backgrounds of text: colours, gradients, stains, stripes and edges, all computed.

Arrays are float32 pixel values, 0 to 255; intermediate values may exceed this range.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np
from PIL import Image

Array = np.ndarray[Any, np.dtype[Any]]

_LUMA = np.array([0.299, 0.587, 0.114], np.float32)


def luma(colour: Array) -> float:
    """Return the perceived brightness of a colour."""
    return float(colour @ _LUMA)


def random_colour(rng: np.random.Generator) -> Array:
    """Draw a colour; half of them are greyish, as walls and paint are."""
    colour = rng.random(3, np.float32) * 255
    return colour if rng.random() < 0.5 else colour * 0.25 + colour[0] * 0.75


def contrasting_colour(rng: np.random.Generator, other: Array, contrast: float) -> Array:
    """Draw a colour that is brighter or darker than another by at least ``contrast``."""
    for _ in range(8):
        colour = random_colour(rng)
        if abs(luma(colour) - luma(other)) >= contrast:
            return colour
    return np.full(3, 255.0 if luma(other) < 128 else 0.0, np.float32)


def background(
    rng: np.random.Generator, height: int, width: int, colour: Array, strength: float
) -> Array:
    """Draw a surface of a colour, ``[height, width, 3]``, with variations of about ``strength``."""
    surface = np.empty((height, width, 3), np.float32)
    surface[:] = colour
    for _ in range(1 + int(rng.random() * 2)):
        tint = 0.7 + 0.6 * rng.random(3, np.float32)
        pattern = pick_pattern(rng)(rng, height, width)
        surface += (pattern * strength)[..., None] * tint
    return surface


def pick_pattern(rng: np.random.Generator) -> Callable[[np.random.Generator, int, int], Array]:
    """Return a random pattern function; its values are within about -1 to 1."""
    return _PATTERNS[int(rng.random() * len(_PATTERNS))]


def gradient(rng: np.random.Generator, height: int, width: int) -> Array:
    """Draw light from one side."""
    return _slope(rng, height, width) * 1.2


def clouds(rng: np.random.Generator, height: int, width: int) -> Array:
    """Draw stains, large or small."""
    rows = 2 + int(rng.random() * 8)
    columns = max(2, min(64, round(rows * width / height * (0.5 + rng.random()))))
    coarse = rng.random((rows, columns), np.float32) * 2 - 1
    return smooth(coarse, height, width)


def stripes(rng: np.random.Generator, height: int, width: int) -> Array:
    """Draw stripes, as of boards, bricks or a fence."""
    waves = np.sin(_slope(rng, height, width) * (6 + 40 * rng.random()) + 6 * rng.random())
    waves = np.sign(waves) if rng.random() < 0.4 else waves
    return waves.astype(np.float32) * np.float32(0.6)


def edge(rng: np.random.Generator, height: int, width: int) -> Array:
    """Draw an edge between two surfaces."""
    slope = _slope(rng, height, width)
    return np.where(slope > 0.8 * rng.random() - 0.4, np.float32(0.8), np.float32(-0.8))


def grain(rng: np.random.Generator, height: int, width: int) -> Array:
    """Draw grain, as of plaster and stone: smoothed noise."""
    return smooth(rng.random((height // 2, width // 2), np.float32) * 2 - 1, height, width)


def smooth(coarse: Array, height: int, width: int) -> Array:
    """Scale a coarse pattern to full size."""
    picture = Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)
    return np.asarray(picture)


_PATTERNS = (gradient, gradient, clouds, clouds, stripes, edge, grain)


def _slope(rng: np.random.Generator, height: int, width: int) -> Array:
    """Return a slope in a random direction, 0 in the middle, about -0.5 to 0.5 at the borders."""
    angle = 2 * math.pi * rng.random()
    across = np.linspace(-0.5 * math.cos(angle), 0.5 * math.cos(angle), width, dtype=np.float32)
    down = np.linspace(-0.5 * math.sin(angle), 0.5 * math.sin(angle), height, dtype=np.float32)
    return down[:, None] + across
