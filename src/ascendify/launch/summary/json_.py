"""The summary for machines, loss curves included; docs/summary.md describes it."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any

from ascendify import __version__
from ascendify.launch.summary.figures import QuantityFigures, RankFigures, Summary

SCHEMA_VERSION = "1.0"
"""A new field raises the second number; a field that changes or goes raises the first."""


def to_json(summary: Summary) -> str:
    """Render everything as JSON; numbers that JSON cannot express become null."""
    return json.dumps(_summary(summary), indent=2, allow_nan=False) + "\n"


def _summary(summary: Summary) -> dict[str, Any]:
    first = summary.first
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ascendify", "version": __version__},
        "folder": str(summary.folder),
        "network": summary.network,
        "rank_size": summary.size,
        "batch_size": summary.batch_size,
        "batch_size_from": summary.batch_size_from,
        "throughput": _finite(summary.throughput),
        "step_seconds": _finite(summary.step_seconds),
        "skew": _finite(summary.skew),
        "slowest_rank": summary.slowest,
        "steps": first.last_step,
        "loss": _quantity(first.loss, curve=False),
        "accuracy": _quantity(first.accuracy, curve=False),
        "eval_loss": _quantity(first.eval_loss, curve=False),
        "eval_accuracy": _quantity(first.eval_accuracy, curve=False),
        "wall_seconds": _finite(summary.wall_seconds),
        "wall_from": summary.wall_from,
        "problems": list(summary.problems),
        "ranks": [_rank(one) for one in summary.ranks],
    }


def _rank(one: RankFigures) -> dict[str, Any]:
    values: dict[str, Any] = {field.name: getattr(one, field.name) for field in fields(one)}
    for name, value in values.items():
        if isinstance(value, float):
            values[name] = _finite(value)
        elif isinstance(value, QuantityFigures):
            values[name] = _quantity(value, curve=True)
    return {**values, "files": [str(file) for file in one.files]}


def _quantity(figures: QuantityFigures | None, *, curve: bool) -> dict[str, Any] | None:
    if figures is None:
        return None
    described: dict[str, Any] = {
        "readings": figures.readings,
        "final": _finite(figures.final),
        "lowest": figures.lowest,
        "lowest_step": figures.lowest_step,
        "highest": figures.highest,
        "highest_step": figures.highest_step,
        "not_finite": figures.not_finite,
        "first_not_finite": figures.first_not_finite,
        "steps_counted": figures.counted,
    }
    return {**described, "curve": list(zip(figures.steps, figures.values))} if curve else described


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
