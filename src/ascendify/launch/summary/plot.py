"""The losses of a run in one picture."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from ascendify.launch.summary.figures import QuantityFigures, Summary
from ascendify.pictures import BLUE, GREY, ORANGE, PALE, Curve, Mark, Panel, Points, draw

_MOST = 16
"""The most curves of ranks in a picture; more cannot be distinguished."""
_MANY = 100
"""The number of points above which means of neighbours are drawn."""


def has_loss(summary: Summary) -> bool:
    """Whether there is a loss to draw."""
    return any(one.loss or one.eval_loss for one in summary.ranks)


def plot(summary: Summary, file: Path) -> None:
    """Write a PNG: the loss of the rank that represents the run, over those of the others."""
    first = summary.first
    others = [one for one in summary.ranks if one.loss and one is not first][:_MOST]
    points = _points(first.loss)
    curves = [Curve("", GREY, 1, _points(one.loss)) for one in others]
    curves += [Curve("", PALE, 1, points), Curve(f"rank {first.rank}", BLUE, 2, _smooth(points))]
    if first.eval_loss is not None:
        curves.append(Curve("evaluation", ORANGE, 3, _points(first.eval_loss)))
    mark = None
    if first.loss is not None and first.loss.first_not_finite is not None:
        step = first.loss.first_not_finite
        mark = Mark(step, f"not finite from step {step} on")
    draw([Panel(f"{summary.network}: loss", tuple(curves), mark)], file)


def _points(figures: QuantityFigures | None) -> Points:
    return () if figures is None else tuple(zip(figures.steps, figures.values))


def _smooth(points: Points) -> Points:
    """Average each point with its neighbours, about a hundred of them in all."""
    reach = len(points) // _MANY
    if not reach:
        return points
    return [
        (
            points[place][0],
            fmean(value for _, value in points[max(0, place - reach) : place + reach]),
        )
        for place in range(0, len(points), max(1, reach // 2))
    ]
