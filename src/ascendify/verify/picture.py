"""The losses of both runs in one picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from ascendify.verify.captured import Series
from ascendify.verify.series import Comparison
from ascendify.verify.text import error

_WIDTH, _HEIGHT, _GAP = 900, 320, 24
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 20, 40, 36
_MOST = 6
"""Panels; more than that nobody reads."""
_BACKGROUND, _INK, _GRID = (255, 255, 255), (60, 60, 60), (225, 225, 225)
_ORIGINAL, _MIGRATED, _BAD = (38, 110, 190), (235, 120, 20), (200, 30, 30)
_TICKS = 4


def draw(comparisons: Sequence[Comparison], file: Path) -> None:
    """Write a PNG: a panel a loss, the original broad, the migration thin on top of it."""
    shown = _chosen(comparisons)
    picture = Image.new("RGB", (_WIDTH, (_HEIGHT + _GAP) * max(len(shown), 1)), _BACKGROUND)
    for number, comparison in enumerate(shown):
        _Panel(ImageDraw.Draw(picture), number * (_HEIGHT + _GAP), comparison).draw()
    picture.save(file, format="PNG")


def _chosen(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Losses, or whatever there is when there are none."""
    losses = [one for one in comparisons if one.original.is_loss or one.migrated.is_loss]
    return (losses or list(comparisons))[:_MOST]


class _Panel:
    """One pair of curves with its axes."""

    def __init__(self, pen: ImageDraw.ImageDraw, top: int, comparison: Comparison) -> None:
        self._pen = pen
        self._top = top
        self._comparison = comparison
        both = (*comparison.original.points, *comparison.migrated.points)
        finite = [point for point in both if math.isfinite(point.value)]
        self._steps = _range([float(point.step) for point in finite])
        self._values = _range([point.value for point in finite])

    def draw(self) -> None:
        self._axes()
        self._curve(self._comparison.original, _ORIGINAL, 5)
        self._curve(self._comparison.migrated, _MIGRATED, 2)
        self._divergence()
        self._title()

    def _x(self, step: float) -> float:
        low, high = self._steps
        return _LEFT + (step - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    def _y(self, value: float) -> float:
        low, high = self._values
        height = _HEIGHT - _TOP - _BOTTOM
        return self._top + _TOP + (1 - (value - low) / (high - low)) * height

    def _axes(self) -> None:
        for number in range(_TICKS + 1):
            share = number / _TICKS
            value = self._values[0] + share * (self._values[1] - self._values[0])
            step = self._steps[0] + share * (self._steps[1] - self._steps[0])
            y, x = self._y(value), self._x(step)
            self._pen.line([(_LEFT, y), (_WIDTH - _RIGHT, y)], _GRID)
            self._pen.text((_LEFT - 6, y), f"{value:.4g}", _INK, anchor="rm")
            bottom = self._top + _HEIGHT - _BOTTOM
            self._pen.text((x, bottom + 10), f"{step:.0f}", _INK, anchor="mt")

    def _curve(self, series: Series, colour: tuple[int, int, int], width: int) -> None:
        places = [
            (self._x(point.step), self._y(point.value))
            for point in series.points
            if math.isfinite(point.value)
        ]
        if len(places) == 1:
            x, y = places[0]
            self._pen.ellipse([x - width, y - width, x + width, y + width], colour)
        elif places:
            self._pen.line(places, colour, width, joint="curve")

    def _divergence(self) -> None:
        first = self._comparison.first_divergence
        if first is not None:
            x = self._x(first.step)
            bottom = self._top + _HEIGHT - _BOTTOM
            self._pen.line([(x, self._top + _TOP), (x, bottom)], _BAD)
            self._pen.text((x + 4, bottom - 14), f"differs from step {first.step} on", _BAD)

    def _title(self) -> None:
        comparison = self._comparison
        worst = error(comparison.largest_error)
        text = f"{comparison.name} (rank {comparison.rank}), largest relative error {worst}"
        self._pen.text((_LEFT, self._top + 8), text, _INK)
        for number, (word, colour) in enumerate((("original", _ORIGINAL), ("migrated", _MIGRATED))):
            x = _WIDTH - _RIGHT - 200 + number * 100
            y = self._top + 14
            self._pen.line([(x, y), (x + 20, y)], colour, 5 - 3 * number)
            self._pen.text((x + 26, y), word, _INK, anchor="lm")


def _range(numbers: Sequence[float]) -> tuple[float, float]:
    """Lowest and highest, never the same."""
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
