"""Draw curves over steps as a PNG, in one or more panels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

Colour = tuple[int, int, int]
Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT, _GAP = 900, 320, 24
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 20, 40, 36
_BACKGROUND, _INK, _GRID, _BAD = (255, 255, 255), (60, 60, 60), (225, 225, 225), (200, 30, 30)
BLUE: Colour = (38, 110, 190)
ORANGE: Colour = (235, 120, 20)
GREY: Colour = (185, 190, 200)
PALE: Colour = (185, 210, 235)
_TICKS = 4
_LEGEND_WIDTH = 100


@dataclass(frozen=True)
class Curve:
    """Points (step, value); values that are not finite are not drawn."""

    name: str
    """Empty for a curve that is not in the legend."""
    colour: Colour
    width: int
    points: Points


@dataclass(frozen=True)
class Mark:
    """A vertical line at a step, with a text."""

    step: float
    text: str


@dataclass(frozen=True)
class Panel:
    """Curves with one pair of axes; later ones are drawn on top."""

    title: str
    curves: tuple[Curve, ...]
    mark: Mark | None = None


def draw(panels: Sequence[Panel], file: Path) -> None:
    """Write a PNG with the panels one above the other."""
    picture = Image.new("RGB", (_WIDTH, (_HEIGHT + _GAP) * max(len(panels), 1)), _BACKGROUND)
    for number, panel in enumerate(panels):
        _PanelDrawing(ImageDraw.Draw(picture), number * (_HEIGHT + _GAP), panel).draw()
    picture.save(file, format="PNG")


class _PanelDrawing:
    """Draws a panel at its position in a picture."""

    def __init__(self, pen: ImageDraw.ImageDraw, top: int, panel: Panel) -> None:
        self._pen = pen
        self._top = top
        self._panel = panel
        points = [point for curve in panel.curves for point in _finite(curve.points)]
        marked = [panel.mark.step] if panel.mark else []
        self._steps = _range([step for step, _ in points] + marked)
        self._values = _range([value for _, value in points])

    def draw(self) -> None:
        self._axes()
        for curve in self._panel.curves:
            self._curve(curve)
        if self._panel.mark is not None:
            self._mark(self._panel.mark)
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

    def _curve(self, curve: Curve) -> None:
        places = [(self._x(step), self._y(value)) for step, value in _finite(curve.points)]
        width = curve.width
        if len(places) == 1:
            x, y = places[0]
            self._pen.ellipse([x - width, y - width, x + width, y + width], curve.colour)
        elif places:
            self._pen.line(places, curve.colour, width, joint="curve")

    def _mark(self, mark: Mark) -> None:
        x = self._x(mark.step)
        bottom = self._top + _HEIGHT - _BOTTOM
        self._pen.line([(x, self._top + _TOP), (x, bottom)], _BAD)
        # in the right half, write the text to the left of the line
        anchor, shift = ("la", 4) if x < _WIDTH / 2 else ("ra", -4)
        self._pen.text((x + shift, bottom - 14), mark.text, _BAD, anchor=anchor)

    def _title(self) -> None:
        self._pen.text((_LEFT, self._top + 8), self._panel.title, _INK)
        named = [curve for curve in self._panel.curves if curve.name]
        for number, curve in enumerate(named):
            x = _WIDTH - _RIGHT - _LEGEND_WIDTH * (len(named) - number)
            y = self._top + 14
            self._pen.line([(x, y), (x + 20, y)], curve.colour, curve.width)
            self._pen.text((x + 26, y), curve.name, _INK, anchor="lm")


def _finite(points: Points) -> Iterator[tuple[float, float]]:
    return ((step, value) for step, value in points if math.isfinite(value))


def _range(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and the highest number, or a range of 1 around equal ones."""
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
