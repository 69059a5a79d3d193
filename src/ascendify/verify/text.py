"""The verdict for people: a table of what was compared, why it is no pass, where to look."""

from __future__ import annotations

import math

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ascendify.emulation import own_failures
from ascendify.verify.judge import Verdict, VerifyResult
from ascendify.verify.series import Comparison
from ascendify.verify.weights import WeightsComparison

_TITLE = {
    VerifyResult.PASS: ("PASS", "green"),
    VerifyResult.MISMATCH: ("MISMATCH", "red"),
    VerifyResult.ORIGINAL_FAILED: ("THE ORIGINAL FAILED", "red"),
    VerifyResult.MIGRATED_FAILED: ("THE MIGRATED PROJECT FAILED", "red"),
    VerifyResult.TIMED_OUT: ("OUT OF TIME", "red"),
    VerifyResult.NO_LOSS: ("NO LOSS FOUND", "yellow"),
}
_WIDTH_OF_A_FILE = 200
"""Room for long names of series where no window sets a limit."""
NO_LOSS_HINT = (
    "the program must train with PyTorch, or train a TensorFlow graph, which eager execution has "
    "not, in a Python that reads PYTHONPATH: a script that sets it must keep its old value, as in "
    "PYTHONPATH=.:$PYTHONPATH"
)
PATTERN_HINT = r"a loss that is only printed is found with --pattern 'loss (?P<value>\S+)'"


def render(verdict: Verdict, console: Console, *, verbose: bool = False) -> None:
    """Print the verdict."""
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH_OF_A_FILE)
    for part in _parts(verdict, verbose):
        # Lines of logs and paths stay whole, so that they can be copied and searched for.
        console.print(part, soft_wrap=isinstance(part, Text))


def _parts(verdict: Verdict, verbose: bool) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if verdict.comparisons:
        parts += [_series_table(verdict.comparisons, verbose), ""]
    if verdict.weights:
        parts += [_weights_table(verdict.weights), ""]
    word, style = _TITLE[verdict.result]
    agree = verdict.comparisons and all(one.agrees for one in verdict.comparisons)
    if agree and len(verdict.reasons) == 1 and verdict.blockers:
        word, style = "THE NUMBERS AGREE, BUT A DEVICE WOULD REFUSE IT", "yellow"
    elif verdict.compares_nothing:
        word, style = "NO NUMBERS TO COMPARE", "yellow"
    parts.append(Text(word, style=f"bold {style}"))
    parts += [Text(f"  {reason}") for reason in verdict.reasons]
    parts += _last_words(verdict)
    parts += [Text(f"  note: {note}", style="dim") for note in verdict.notes]
    parts.append(Text(f"  logs and copies in {verdict.folder}", style="dim"))
    return parts


def _last_words(verdict: Verdict) -> list[RenderableType]:
    side = verdict.failed_side
    if side is None:
        return []
    parts: list[RenderableType] = [Text(f"  | {line}") for line in side.blamed.last_lines if line]
    parts.append(Text(f"  log: {side.logs[side.blamed.rank]}"))
    failed = side.startup_failure if verdict.result is VerifyResult.NO_LOSS else ""
    if failed:
        parts += [
            Text(f"  {own_failures.INTRODUCTION}: {failed}"),
            Text(f"  hint: {own_failures.REPORT}"),
        ]
        return parts
    no_loss = verdict.result is VerifyResult.NO_LOSS
    hint = f"{NO_LOSS_HINT}; {PATTERN_HINT}" if no_loss else side.advice
    if hint:
        parts.append(Text(f"  hint: {hint}"))
    return parts


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        table.add_column(column, justify="right")
    table.add_column("")
    return table


_SHOWN = 12


def _series_table(comparisons: tuple[Comparison, ...], verbose: bool) -> RenderableType:
    """Losses first; of many series only the worst, unless ``verbose``."""
    table = _table("Series", "Source", "Original", "Migrated", "Largest error", "Mean error")
    ordered = sorted(comparisons, key=lambda one: (one.agrees, not one.original.is_loss))
    shown = ordered if verbose else ordered[:_SHOWN]
    several = len({one.rank for one in comparisons}) > 1
    for one in shown:
        rank = f"[{one.rank}] " if several else ""
        table.add_row(
            escape(f"{rank}{one.name}"),
            one.original.source,
            _points(len(one.original.points)),
            _points(len(one.migrated.points)),
            error(one.largest_error) if one.compared else "",
            error(one.mean_error) if one.compared else "",
            _outcome(one),
        )
    hidden = len(ordered) - len(shown)
    agree = " that agree" if all(one.agrees for one in ordered[_SHOWN:]) else ""
    more = Text(f"... and {hidden} more{agree} (-v shows all)" if hidden else "", style="dim")
    return Group(table, more) if hidden else table


def _weights_table(comparisons: tuple[WeightsComparison, ...]) -> RenderableType:
    table = _table("Weights", "Tensors", "Largest error")
    for one in comparisons:
        outcome = Text("same", "green") if one.agrees else Text("different", "red")
        table.add_row(one.what, str(one.compared), error(one.largest_error), outcome)
    return table


def _outcome(comparison: Comparison) -> Text:
    if comparison.compared == 0 and comparison.other_data:
        return Text("of other data", "yellow")
    if comparison.agrees:
        return Text("same", "green")
    first = comparison.first_divergence
    return Text(f"from step {first.step} on" if first else "nothing to compare", "red")


def _points(count: int) -> str:
    return f"{count} point{'s' * (count != 1)}"


def error(value: float) -> str:
    """A relative error, short."""
    if value == 0:
        return "0"
    return "not finite" if math.isinf(value) else f"{value:.1e}"
