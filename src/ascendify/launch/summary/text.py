"""The summary for people: the figures of the run, and a table of its ranks."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ascendify.launch.summary.figures import QuantityFigures, RankFigures, Summary

_NOTHING = "-"
_SHOWN = 16
"""Rows of the table of ranks; of more ranks only the slowest are shown, all with ``-v``."""
_WIDTH_OF_A_FILE = 160
"""Columns where the output is a file, which has no width."""


def render(summary: Summary, console: Console, *, verbose: bool = False) -> None:
    """Print the summary."""
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH_OF_A_FILE)
    console.print(_run_table(summary))
    if len(summary.ranks) > 1:
        console.print()
        console.print(_rank_table(summary, verbose))
    for problem in summary.problems:
        console.print(Text(f"problem: {problem}", "red"), soft_wrap=True)


def _run_table(summary: Summary) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold")
    table.add_column()
    for name, value in _run_rows(summary):
        table.add_row(name, escape(value))
    return table


def _run_rows(summary: Summary) -> Iterator[tuple[str, str]]:
    first = summary.first
    yield "Ranks", str(summary.size)
    yield "Format", ", ".join(first.formats) or _NOTHING
    yield "Steps", _steps(first)
    yield "Throughput", _throughput(summary)
    yield "Step time", "-" if summary.step_seconds is None else f"{summary.step_seconds:.4g} s"
    if summary.skew is not None:
        yield "Skew", f"{summary.skew:.2f} (rank {summary.slowest}, slowest step time to median)"
    yield "Loss", _loss(first.loss)
    yield "Accuracy", _accuracy(first.accuracy)
    if first.eval_loss is not None:
        yield "Evaluation loss", _loss(first.eval_loss)
    if first.eval_accuracy is not None:
        yield "Evaluation accuracy", _accuracy(first.eval_accuracy)
    if summary.batch_size is not None:
        yield "Batch size", f"{summary.batch_size} a rank (from the {summary.batch_size_from})"
    yield "Wall time", _wall(summary)


def _rank_table(summary: Summary, verbose: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("Rank", "Steps", "Step time", "Samples/s", "Loss", "Accuracy", "Wall time"):
        table.add_column(column, justify="right")
    table.add_column("Format")
    shown = summary.ranks
    if len(shown) > _SHOWN and not verbose:
        slowest = sorted(shown, key=lambda one: one.step_seconds or 0.0, reverse=True)[:_SHOWN]
        shown = tuple(sorted(slowest, key=lambda one: one.rank))
        table.caption = f"the {_SHOWN} slowest of {len(summary.ranks)} (-v shows all)"
    for one in shown:
        accuracy = one.eval_accuracy or one.accuracy
        table.add_row(
            str(one.rank),
            _NOTHING if one.last_step is None else str(one.last_step),
            _number(one.step_seconds),
            _number(one.own_throughput),
            _number(one.loss.final if one.loss else None),
            _number(accuracy.final if accuracy else None),
            _number(one.wall_seconds),
            escape(_format(one)),
        )
    return table


def _format(one: RankFigures) -> str:
    return ", ".join(one.formats) or ("no known format" if one.size else "the log is empty")


def _steps(one: RankFigures) -> str:
    if one.last_step is None:
        return _NOTHING if one.loss is None else f"{one.loss.readings} readings"
    return f"{one.first_step} to {one.last_step}"


def _throughput(summary: Summary) -> str:
    if summary.throughput is not None:
        return f"{summary.throughput:.6g} samples/s"
    if summary.step_seconds is not None:
        return f"{1 / summary.step_seconds:.4g} steps/s (--batch-size makes them samples)"
    return _NOTHING


def _loss(figures: QuantityFigures | None) -> str:
    return _NOTHING if figures is None else _best(figures, figures.lowest, figures.lowest_step)


def _accuracy(figures: QuantityFigures | None) -> str:
    return _NOTHING if figures is None else _best(figures, figures.highest, figures.highest_step)


def _best(figures: QuantityFigures, value: float | None, step: int | None) -> str:
    where = "reading" if figures.counted else "step"
    best = "" if value is None else f" (best {value:g} at {where} {step})"
    return f"{figures.final:g}{best}"


def _wall(summary: Summary) -> str:
    if summary.wall_seconds is None:
        return _NOTHING
    return f"{summary.wall_seconds:.6g} s (from {summary.wall_from})"


def _number(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.5g}"
