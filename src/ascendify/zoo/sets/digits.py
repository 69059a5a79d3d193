"""Three digits in several views, each with one digit hidden: data for Attention-OCR on a CPU.

No single view shows the whole number, so a network that reads it has learned to use all views.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from PIL import Image

from ascendify.errors import UsageError
from ascendify.zoo.rendering.backgrounds import Array
from ascendify.zoo.rendering.splits import held_out

SIDE = 24
"""Height and width of a view in pixels."""
DIGITS = 3
NULL = 10
"""The class after the digits."""
TEST_PART = 0.15
"""Share of the thousand numbers that only the test uses."""

_ROWS, _COLUMNS = 7, 5
_SHAPES = (
    "01110 10001 10011 10101 11001 10001 01110",
    "00100 01100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00010 00100 01000 11111",
    "11111 00010 00100 00010 00001 10001 01110",
    "00010 00110 01010 10010 11111 00010 00010",
    "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110",
    "11111 00001 00010 00100 01000 01000 01000",
    "01110 10001 10001 01110 10001 10001 01110",
    "01110 10001 10001 01111 00001 00010 01100",
)
"""The digits as a display of 5 by 7 dots shows them."""
_BITMAPS = np.array(
    [[[int(dot) for dot in row] for row in shape.split()] for shape in _SHAPES], np.uint8
)


@dataclass(frozen=True)
class Digits:
    """Numbers of three digits, by number: ``images`` and ``labels``."""

    split: Literal["train", "test"]
    size: int
    seed: int = 1
    views: int = 2
    length: int = DIGITS + 1
    """Length of a label, padded with ``NULL``."""

    def __post_init__(self) -> None:
        if self.views < 2 or self.length < DIGITS:
            raise UsageError(
                f"{self.views} views and labels of {self.length} for {DIGITS} digits",
                f"give at least 2 views, for each hides a digit, and a length of {DIGITS}",
            )

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Mapping[str, Array]:
        number = range(self.size)[index]
        rng = np.random.default_rng((self.seed, self.split == "test", number))
        digits = draw_digits(self.split, rng)
        first = int(rng.integers(DIGITS))
        views = [_view(digits, (first + view) % DIGITS, rng) for view in range(self.views)]
        labels = np.full(self.length, NULL, np.int64)
        labels[:DIGITS] = digits
        return {"images": np.concatenate(views, 1), "labels": labels}


def draw_digits(split: Literal["train", "test"], rng: Any) -> tuple[int, ...]:
    """Draw digits of a split; those of the test are never in training."""
    while True:
        digits = tuple(rng.integers(0, 10, DIGITS).tolist())
        if held_out(f"digits {digits}", TEST_PART) == (split == "test"):
            return digits


def _view(digits: tuple[int, ...], hidden: int, rng: Any) -> Array:
    """Draw the digits with random brightness, one of them behind a patch."""
    ground, ink = _light(rng)
    seen = np.full((SIDE, SIDE), ground, np.float32)
    for place, digit in enumerate(digits):
        left = 8 * place + int(rng.integers(2))
        top = 4 + int(rng.integers(5))
        if place == hidden:
            seen[2:-2, 8 * place : 8 * place + 8] = (ground + ink) / 2
            continue
        shape = _stretch(digit, 7, 10 + int(rng.integers(3)))
        patch = seen[top : top + shape.shape[0], left : left + shape.shape[1]]
        patch += (ink - ground) * shape[: patch.shape[0], : patch.shape[1]]
    seen += rng.standard_normal(seen.shape, np.float32) * 8
    grey = seen.clip(0, 255).astype(np.uint8)
    return np.repeat(grey[..., None], 3, 2)


def _light(rng: Any) -> tuple[float, float]:
    """Return the brightness of background and ink, with enough contrast."""
    dark, bright = 90 * rng.random(), 255 - 90 * rng.random()
    return (dark, bright) if rng.random() < 0.5 else (bright, dark)


def _stretch(digit: int, width: int, height: int) -> Array:
    image = Image.fromarray(_BITMAPS[digit] * np.uint8(255))
    return np.asarray(image.resize((width, height), Image.Resampling.BILINEAR)) / np.float32(255)
