"""What text stands on: colours, gradients, stains, stripes and edges, all computed.

Arrays are float32 with values of pixels, 0 to 255, which may be passed for a while.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np
from PIL import Image

Array = np.ndarray[Any, np.dtype[Any]]

_LUMA = np.array([0.299, 0.587, 0.114], np.float32)


def luma(colour: Array) -> float:
    """How bright a colour looks."""
    return float(colour @ _LUMA)


def random_colour(rng: np.random.Generator) -> Array:
    """Any colour; greys as often as all others, as walls and paint are."""
    colour = rng.random(3, np.float32) * 255
    return colour if rng.random() < 0.5 else colour * 0.25 + colour[0] * 0.75


def contrasting_colour(rng: np.random.Generator, other: Array, contrast: float) -> Array:
    """A colour that is at least so much brighter or darker than another."""
    for _ in range(8):
        colour = random_colour(rng)
        if abs(luma(colour) - luma(other)) >= contrast:
            return colour
    return np.full(3, 255.0 if luma(other) < 128 else 0.0, np.float32)


def background(
    rng: np.random.Generator, height: int, width: int, colour: Array, strength: float
) -> Array:
    """A surface of a colour, ``[height, width, 3]``; it departs from it by about ``strength``."""
    surface = np.empty((height, width, 3), np.float32)
    surface[:] = colour
    for _ in range(1 + int(rng.random() * 2)):
        tint = 0.7 + 0.6 * rng.random(3, np.float32)
        pattern = pick_pattern(rng)(rng, height, width)
        surface += (pattern * strength)[..., None] * tint
    return surface


def pick_pattern(rng: np.random.Generator) -> Callable[[np.random.Generator, int, int], Array]:
    """A kind of pattern: a function that draws one, within about -1 to 1."""
    return _PATTERNS[int(rng.random() * len(_PATTERNS))]


def gradient(rng: np.random.Generator, height: int, width: int) -> Array:
    """Light from a side."""
    return _slope(rng, height, width) * 1.2


def clouds(rng: np.random.Generator, height: int, width: int) -> Array:
    """Stains, large or small."""
    rows = 2 + int(rng.random() * 8)
    columns = max(2, min(64, round(rows * width / height * (0.5 + rng.random()))))
    coarse = rng.random((rows, columns), np.float32) * 2 - 1
    return smooth(coarse, height, width)


def stripes(rng: np.random.Generator, height: int, width: int) -> Array:
    """Boards, bricks, a fence."""
    waves = np.sin(_slope(rng, height, width) * (6 + 40 * rng.random()) + 6 * rng.random())
    waves = np.sign(waves) if rng.random() < 0.4 else waves
    return waves.astype(np.float32) * np.float32(0.6)


def edge(rng: np.random.Generator, height: int, width: int) -> Array:
    """Where one surface ends and another begins."""
    slope = _slope(rng, height, width)
    return np.where(slope > 0.8 * rng.random() - 0.4, np.float32(0.8), np.float32(-0.8))


def grain(rng: np.random.Generator, height: int, width: int) -> Array:
    """Plaster and stone: every pixel for itself, a little smoothed."""
    return smooth(rng.random((height // 2, width // 2), np.float32) * 2 - 1, height, width)


def smooth(coarse: Array, height: int, width: int) -> Array:
    """A coarse pattern at full size."""
    picture = Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)
    return np.asarray(picture)


_PATTERNS = (gradient, gradient, clouds, clouds, stripes, edge, grain)


def _slope(rng: np.random.Generator, height: int, width: int) -> Array:
    """A plane through the middle, from -0.5 to 0.5 or a little more, in a direction at random."""
    angle = 2 * math.pi * rng.random()
    across = np.linspace(-0.5 * math.cos(angle), 0.5 * math.cos(angle), width, dtype=np.float32)
    down = np.linspace(-0.5 * math.sin(angle), 0.5 * math.sin(angle), height, dtype=np.float32)
    return down[:, None] + across
