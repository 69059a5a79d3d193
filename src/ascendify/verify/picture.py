"""The losses of both runs in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ascendify import pictures
from ascendify.pictures import BLUE, ORANGE, Curve, Mark, Panel
from ascendify.verify.captured import Series
from ascendify.verify.series import Comparison
from ascendify.verify.text import error

_MOST = 6
"""The most panels of a picture."""


def draw(comparisons: Sequence[Comparison], file: Path) -> None:
    """Write a PNG: one panel per loss, the original broad, the migration thin on top of it."""
    pictures.draw([_panel(one) for one in _chosen(comparisons)], file)


def _chosen(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the losses; if there are none, the other series."""
    losses = [one for one in comparisons if one.original.is_loss or one.migrated.is_loss]
    return (losses or list(comparisons))[:_MOST]


def _panel(comparison: Comparison) -> Panel:
    worst = error(comparison.largest_error)
    first = comparison.first_divergence
    return Panel(
        f"{comparison.name} (rank {comparison.rank}), largest relative error {worst}",
        (
            Curve("original", BLUE, 5, _points(comparison.original)),
            Curve("migrated", ORANGE, 2, _points(comparison.migrated)),
        ),
        Mark(first.step, f"differs from step {first.step} on") if first is not None else None,
    )


def _points(series: Series) -> tuple[tuple[float, float], ...]:
    return tuple((point.step, point.value) for point in series.points)
