"""Draw random numbers and colours."""

from __future__ import annotations

from typing import Any

Color = tuple[int, int, int]


def between(rng: Any, low: float, high: float) -> float:
    """Draw a number from a range."""
    return low + (high - low) * float(rng.random())


def shade(color: Color, spread: int, rng: Any) -> Color:
    """Draw a colour near another: lighter or darker, with a small change of hue."""
    level = (2 * rng.random() - 1) * spread
    red, green, blue = (
        int(min(max(part + level + (2 * luck - 1) * spread / 3, 0), 255))
        for part, luck in zip(color, rng.random(3).tolist())
    )
    return (red, green, blue)


def any_color(rng: Any) -> Color:
    """Draw a colour that is neither black nor white."""
    red, green, blue = (int(40 + 200 * luck) for luck in rng.random(3).tolist())
    return (red, green, blue)
