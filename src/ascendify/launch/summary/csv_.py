"""The summary for spreadsheets: one row for each rank."""

from __future__ import annotations

import csv
import io

from ascendify.launch.summary.figures import QuantityFigures, RankFigures, Summary

COLUMNS = (
    "rank", "formats", "first_step", "last_step", "loss", "best_loss", "accuracy", "best_accuracy",
    "eval_loss", "eval_accuracy", "best_eval_accuracy", "step_seconds", "samples_per_second",
    "job_samples_per_second", "batch_size", "wall_seconds", "losses_not_finite", "tracebacks",
    "error",
)  # fmt: skip


def to_csv(summary: Summary) -> str:
    """Write the table; unknown values are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_row(one, summary) for one in summary.ranks)
    return text.getvalue()


def _row(one: RankFigures, summary: Summary) -> list[object]:
    return [
        one.rank,
        " + ".join(one.formats),
        one.first_step,
        one.last_step,
        _final(one.loss),
        one.loss.lowest if one.loss else None,
        _final(one.accuracy),
        one.accuracy.highest if one.accuracy else None,
        _final(one.eval_loss),
        _final(one.eval_accuracy),
        one.eval_accuracy.highest if one.eval_accuracy else None,
        one.step_seconds,
        one.own_throughput,
        summary.throughput,
        one.batch_size,
        one.wall_seconds,
        one.loss.not_finite if one.loss else 0,
        one.tracebacks,
        one.error,
    ]


def _final(figures: QuantityFigures | None) -> float | None:
    return figures.final if figures else None
