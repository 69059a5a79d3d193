"""Curves reach the picture where their numbers say, and odd numbers do no harm."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from PIL import Image

from ascendify.pictures import BLUE, ORANGE, Curve, Mark, Panel, draw

RED = (200, 30, 30)


def colours(file: Path) -> set[object]:
    with Image.open(file) as picture:
        return {colour for _, colour in picture.getcolors(1 << 16) or []}


@pytest.mark.parametrize(
    ("points", "drawn"),
    [
        pytest.param([(0, 1.0), (10, 0.5)], True, id="a-line"),
        pytest.param([(5, 1.0)], True, id="a-dot"),
        pytest.param([(0, 1.0), (10, 1.0)], True, id="flat"),
        pytest.param([(0, 1.0), (1, math.nan), (2, math.inf), (3, 2.0)], True, id="with-gaps"),
        pytest.param([(0, math.nan)], False, id="nothing-finite"),
        pytest.param([], False, id="nothing"),
        pytest.param([(0, 1e300), (1, -1e300)], True, id="huge"),
    ],
)
def test_a_curve(points: list[tuple[float, float]], drawn: bool, tmp_path: Path) -> None:
    file = tmp_path / "x.png"
    draw([Panel("title", (Curve("", BLUE, 2, points),))], file)
    assert (BLUE in colours(file)) is drawn


def test_panels_lie_below_each_other_and_marks_are_red(tmp_path: Path) -> None:
    curve = Curve("one", ORANGE, 2, [(0, 1.0), (9, 2.0)])
    draw([Panel("a", (curve,))], tmp_path / "one.png")
    draw([Panel("a", (curve,)), Panel("b", (curve,), Mark(9, "from here"))], tmp_path / "two.png")
    with Image.open(tmp_path / "one.png") as one, Image.open(tmp_path / "two.png") as two:
        assert two.height == 2 * one.height
    assert RED not in colours(tmp_path / "one.png")
    assert RED in colours(tmp_path / "two.png")
