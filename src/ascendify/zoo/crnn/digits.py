"""Strings of three or four digits, for runs on a CPU: one font, its size and place at random.

A sample depends on its seed, split and number alone. Strings of the test are never in training.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from ascendify.zoo.crnn.model import HEIGHT
from ascendify.zoo.recipe import Split
from ascendify.zoo.rendering import fonts
from ascendify.zoo.rendering.splits import held_out

DIGITS = "0123456789"
TEST_PART = 0.2
"""Share of the strings that only the test uses."""
SHORTEST, LONGEST = 3, 4
_FONT = str(fonts.SHIPPED / "Roboto-Bold.ttf")
_SIZES = (20, 26)
"""Pixels an em."""


class DigitStrings:
    """Samples of a split: ``images`` [32, width, 3], ``labels`` padded, ``lengths``."""

    def __init__(self, split: Split, size: int, seed: int, width: int) -> None:
        self._split: Split = split
        self._size = size
        self._seed = seed
        self._width = width

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> Mapping[str, Any]:
        """Draw the sample of a number."""
        test = self._split == "test"
        rng = np.random.default_rng([self._seed, test, index])
        text = _string(rng)
        while held_out(text, TEST_PART) != test:
            text = _string(rng)
        labels = np.full(LONGEST, len(DIGITS), np.int64)
        labels[: len(text)] = [DIGITS.index(digit) for digit in text]
        return {
            "images": self._draw(text, rng),
            "labels": labels,
            "lengths": np.int64(len(text)),
        }

    def _draw(self, text: str, rng: np.random.Generator) -> Any:
        ground, ink = rng.integers(0, 90), rng.integers(160, 256)
        if rng.random() < 0.5:
            ground, ink = ink, ground
        picture = Image.new("RGB", (self._width, HEIGHT), (int(ground),) * 3)
        pen = ImageDraw.Draw(picture)
        font = fonts.load(_FONT, int(rng.integers(*_SIZES, endpoint=True)))
        left, top, right, bottom = map(round, pen.textbbox((0, 0), text, font))
        room = max(0, self._width - (right - left))
        x = rng.integers(0, room, endpoint=True) - left
        y = (HEIGHT - (bottom - top)) // 2 + rng.integers(-3, 3, endpoint=True) - top
        pen.text((int(x), int(y)), text, (int(ink),) * 3, font)
        noise = rng.normal(0, 8, (HEIGHT, self._width, 3))
        return np.clip(np.asarray(picture) + noise, 0, 255).astype(np.uint8)


def _string(rng: np.random.Generator) -> str:
    length = rng.integers(SHORTEST, LONGEST, endpoint=True)
    return "".join(DIGITS[digit] for digit in rng.integers(0, 10, length))
