"""The operations of AutoAugment on one picture, as Pillow computes them.

An operation has a value of its own kind: pixels, degrees, a factor, bits, a threshold. The two
published conventions give different values to a magnitude; a policy is compiled for one of them to
a table of concrete operations, so that CPU and device apply the very same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Optional

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter, ImageOps, ImageStat

from ascendify.zoo.augmentation.policies import POLICIES, PolicyName, PolicyStep

Convention = Literal["paper", "upstream"]
"""paper: a magnitude is one value, its sign is drawn. upstream (the guide's PyTorch code): a value
drawn from the magnitude's part of a range, from negative to positive, so that it fixes the sign."""

LEVELS = 10
"""Magnitudes of the paper."""
_PARTS = 11
"""Ends of the parts that upstream divides a range into."""
DRAWS = 16
"""Values that represent a part of a range."""
_SHIFT = 150 / 331
"""Longest shift, as a share of the picture's side."""
GEOMETRIC = ("ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate")
FACTORS = ("Brightness", "Color", "Contrast", "Sharpness")
PLAIN = ("AutoContrast", "Equalize", "Invert")
"""Operations without a value."""
Matrix = tuple[float, float, float, float, float, float]
"""Where the pixel of an output is in the input: a x + b y + c, d x + e y + f."""


@dataclass(frozen=True)
class Operation:
    """An operation with its value."""

    name: str
    value: float = 0.0


def apply(picture: Image.Image, operation: Operation, fill: int = 0) -> Image.Image:
    """Apply an operation to an RGB picture; ``fill`` is the colour of what was outside."""
    name, value = operation.name, operation.value
    if name in GEOMETRIC:
        return picture.transform(
            picture.size,
            Image.Transform.AFFINE,
            matrix(operation, picture.size),
            Image.Resampling.NEAREST,
            fillcolor=(fill,) * 3,
        )
    if name == "Brightness":
        return ImageEnhance.Brightness(picture).enhance(value)
    if name == "Color":
        return ImageEnhance.Color(picture).enhance(value)
    if name == "Contrast":
        mean = int(ImageStat.Stat(picture.convert("L")).mean[0] + 0.5)
        return Image.blend(Image.new("RGB", picture.size, (mean,) * 3), picture, value)
    if name == "Sharpness":
        return Image.blend(picture.filter(ImageFilter.SMOOTH), picture, value)
    if name == "Posterize":
        return ImageOps.posterize(picture, int(value))
    if name == "Solarize":
        return ImageOps.solarize(picture, value)  # type: ignore[arg-type] # a threshold may be 28.3
    if name == "AutoContrast":
        return ImageOps.autocontrast(picture)
    return ImageOps.equalize(picture) if name == "Equalize" else ImageOps.invert(picture)


def matrix(operation: Operation, size: tuple[int, int]) -> Matrix:
    """Return where a geometric operation takes each pixel from; rotation is around the centre."""
    name, value = operation.name, operation.value
    if name == "Rotate":
        turn = math.radians(value)
        cos, sin = math.cos(turn), math.sin(turn)
        x, y = size[0] / 2, size[1] / 2
        return cos, -sin, x - cos * x + sin * y, sin, cos, y - sin * x - cos * y
    return {
        "ShearX": (1.0, value, 0.0, 0.0, 1.0, 0.0),
        "ShearY": (1.0, 0.0, 0.0, value, 1.0, 0.0),
        "TranslateX": (1.0, 0.0, value, 0.0, 1.0, 0.0),
        "TranslateY": (1.0, 0.0, 0.0, 0.0, 1.0, value),
    }[name]


@dataclass(frozen=True)
class StepTable:
    """The concrete operations of one step of each sub-policy, all equally likely in its row."""

    rows: tuple[tuple[Operation, ...], ...]
    """For each sub-policy, as many operations as in every other."""
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class PolicyTable:
    """A policy for pictures of one size, in one convention."""

    first: StepTable
    second: StepTable

    @property
    def steps(self) -> tuple[StepTable, StepTable]:
        """Both steps, in their order."""
        return self.first, self.second


def compile_policy(policy: PolicyName, side: int, convention: Convention = "paper") -> PolicyTable:
    """Return the operations of a policy for square pictures."""
    first, second = (
        _compile([pair[number] for pair in POLICIES[policy]], side, convention) for number in (0, 1)
    )
    return PolicyTable(first, second)


def _compile(steps: Sequence[PolicyStep], side: int, convention: Convention) -> StepTable:
    found = [
        [
            Operation(step.operation, value)
            for value in values(step.operation, step.magnitude, side, convention)
        ]
        for step in steps
    ]
    longest = max(map(len, found))  # every row's number divides it: 1, 2 or DRAWS
    rows = tuple(tuple(row * (longest // len(row))) for row in found)
    return StepTable(rows, tuple(step.probability for step in steps))


def values(
    operation: str, magnitude: Optional[int], side: int, convention: Convention
) -> tuple[float, ...]:
    """Return the values that a magnitude stands for, all equally likely."""
    if operation in PLAIN or magnitude is None:
        return (0.0,)
    if convention == "paper":
        return _paper(operation, magnitude / (LEVELS - 1), side)
    return _upstream(operation, magnitude, side)


def _paper(operation: str, share: float, side: int) -> tuple[float, ...]:
    """Values for a magnitude from 0 to 1."""
    if operation in ("ShearX", "ShearY"):
        return 0.3 * share, -0.3 * share
    if operation in ("TranslateX", "TranslateY"):
        pixels = float(int(_SHIFT * side * share))
        return pixels, -pixels
    if operation == "Rotate":
        return 30 * share, -30 * share
    if operation in FACTORS:
        return 1 + 0.9 * share, 1 - 0.9 * share
    if operation == "Posterize":
        return (8.0 - round(share * 4),)
    return (255 * (1 - share),)  # Solarize


def _upstream(operation: str, magnitude: int, side: int) -> tuple[float, ...]:
    """Values from a part of the operation's range."""
    shift = _SHIFT * side
    low, high = {
        "ShearX": (-0.3, 0.3),
        "ShearY": (-0.3, 0.3),
        "TranslateX": (-shift, shift),
        "TranslateY": (-shift, shift),
        "Rotate": (-30.0, 30.0),
        "Posterize": (4.0, 8.0),
        "Solarize": (0.0, 256.0),
    }.get(operation, (0.1, 1.9))
    ends = np.linspace(low, high, _PARTS)
    start, end = ends[magnitude], ends[magnitude + 1]
    drawn = (start + (end - start) * (number + 0.5) / DRAWS for number in range(DRAWS))
    whole = operation in ("TranslateX", "TranslateY", "Posterize")
    return tuple(float(int(value)) if whole else float(value) for value in drawn)
