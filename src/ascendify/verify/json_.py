"""The verdict for programs: JSON with every point that was compared."""

from __future__ import annotations

import json
import math
from typing import Any

from ascendify import __version__
from ascendify.reports.json_ import to_dict as report_to_dict
from ascendify.verify.judge import Verdict
from ascendify.verify.series import Comparison
from ascendify.verify.sides import Side
from ascendify.verify.weights import WeightsComparison

SCHEMA_VERSION = "1.2"
"""A new field raises the second number; a field that changes or goes raises the first."""


def to_json(verdict: Verdict, culprits: dict[str, Any] | None = None) -> str:
    """The verdict as a JSON document in ASCII.

    Args:
        verdict: The verdict.
        culprits: What ``--bisect`` found of the edits that make the difference.
    """
    found = {**to_dict(verdict), "bisect": culprits}
    return json.dumps(found, indent=2, allow_nan=False) + "\n"


def to_dict(verdict: Verdict) -> dict[str, Any]:
    """The verdict as plain data; numbers that are not finite become text."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ascendify", "version": __version__},
        "result": verdict.result.name.lower(),
        "exit_code": verdict.result.value,
        "reasons": list(verdict.reasons),
        "notes": list(verdict.notes),
        "folder": str(verdict.folder),
        "original": _side(verdict.original),
        "migrated": _side(verdict.migrated),
        "series": [_series(comparison) for comparison in verdict.comparisons],
        "weights": [_weights(comparison) for comparison in verdict.weights],
        "findings": report_to_dict(verdict.report, texts=False) if verdict.report else None,
    }


def _side(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "folder": str(side.folder),
        "seconds": round(side.outcome.seconds, 3),
        "timed_out": side.outcome.timed_out,
        "exits": [ending.how for ending in side.outcome.endings],
        "logs": [str(log) for log in side.logs],
        "processes": [
            {
                "rank": capture.rank,
                "steps": capture.steps,
                "global_step": capture.global_step,
                "gpu": capture.gpu,
                "series": len(capture.series),
                "checkpoints": [str(path) for path in capture.checkpoints],
            }
            for capture in side.captures
        ],
    }


def _series(comparison: Comparison) -> dict[str, Any]:
    first = comparison.first_divergence
    return {
        "rank": comparison.rank,
        "original": comparison.original.name,
        "migrated": comparison.migrated.name,
        "source": comparison.original.source,
        "agrees": comparison.agrees,
        "compared": comparison.compared,
        "diverging": comparison.diverging,
        "other_data": comparison.other_data,
        "largest_error": _number(comparison.largest_error),
        "mean_error": _number(comparison.mean_error),
        "first_divergence": first
        and {
            "step": first.step,
            "original": _number(first.original),
            "migrated": _number(first.migrated),
            "allowed": first.allowed,
        },
        "points": {
            side: [[point.step, _number(point.value)] for point in series.points]
            for side, series in (
                ("original", comparison.original),
                ("migrated", comparison.migrated),
            )
        },
    }


def _weights(comparison: WeightsComparison) -> dict[str, Any]:
    return {
        "what": comparison.what,
        "agrees": comparison.agrees,
        "original": str(comparison.files.original),
        "migrated": str(comparison.files.migrated),
        "compared": comparison.compared,
        "largest_error": _number(comparison.largest_error),
        "problems": {problem.name: problem.problem for problem in comparison.problems},
        "ignored": list(comparison.ignored),
    }


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
