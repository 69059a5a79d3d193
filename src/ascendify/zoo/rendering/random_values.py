"""Numbers and colours at random."""

from __future__ import annotations

from typing import Any

Color = tuple[int, int, int]


def between(rng: Any, low: float, high: float) -> float:
    """A number from a range."""
    return low + (high - low) * float(rng.random())


def shade(color: Color, spread: int, rng: Any) -> Color:
    """A colour near another: lighter or darker, and a little to one side."""
    level = (2 * rng.random() - 1) * spread
    red, green, blue = (
        int(min(max(part + level + (2 * luck - 1) * spread / 3, 0), 255))
        for part, luck in zip(color, rng.random(3).tolist())
    )
    return (red, green, blue)


def any_color(rng: Any) -> Color:
    """A colour that is neither black nor white."""
    red, green, blue = (int(40 + 200 * luck) for luck in rng.random(3).tolist())
    return (red, green, blue)
