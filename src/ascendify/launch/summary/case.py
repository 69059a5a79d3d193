"""The case file of the vendor's guides: ``Network = ...`` and nine more lines."""

from __future__ import annotations

import platform

from ascendify.launch.summary.figures import Summary

_ACCURACY_WIDTH = 5
"""Characters of an accuracy; the guides truncate it."""


def to_case(summary: Summary) -> str:
    """Render the ten lines; a figure that is not known leaves its place empty, as in the guides."""
    return "".join(f"{name} = {value}\n" for name, value in _lines(summary))


def missing(summary: Summary) -> list[str]:
    """Return the names of the lines that have no figure."""
    return [name for name, value in _lines(summary) if not value]


def _lines(summary: Summary) -> list[tuple[str, str]]:
    first = summary.first
    accuracy = first.accuracy or first.eval_accuracy
    batch = "" if summary.batch_size is None else str(summary.batch_size)
    return [
        ("Network", summary.network),
        ("RankSize", str(summary.size)),
        ("BatchSize", batch),
        ("DeviceType", platform.machine()),
        ("CaseName", f"{summary.network}_bs{batch}_{summary.size}p_acc"),
        ("ActualFPS", "" if summary.throughput is None else f"{summary.throughput:.2f}"),
        ("TrainingTime", _milliseconds_a_step(summary)),
        ("TrainAccuracy", "" if accuracy is None else f"{accuracy.final:f}"[:_ACCURACY_WIDTH]),
        ("ActualLoss", "" if first.loss is None else f"{first.loss.final:g}"),
        ("E2ETrainingTime", "" if summary.wall_seconds is None else f"{summary.wall_seconds:.0f}"),
    ]


def _milliseconds_a_step(summary: Summary) -> str:
    if summary.batch_size and summary.throughput:
        return f"{summary.batch_size * summary.size * 1000 / summary.throughput:.2f}"
    return "" if summary.step_seconds is None else f"{summary.step_seconds * 1000:.2f}"
