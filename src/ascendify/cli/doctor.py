"""``ascendify doctor``: check whether this machine is ready to train, and say what to do if not."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import json
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ascendify.cli import options, outcome

if TYPE_CHECKING:
    from ascendify.cluster.doctor import Examination, Observation

_COLOURS = {"ok": "green", "warning": "yellow", "problem": "red", "not seen": "blue"}
_WIDTH = max(map(len, _COLOURS))


def command(
    python: Annotated[
        Optional[str],
        typer.Option(
            "--python",
            metavar="PROGRAM",
            help="The interpreter that trains.",
            show_default="the first on the PATH",
        ),
    ] = None,
    require_npu: Annotated[
        bool, typer.Option("--require-npu", help="A machine without an NPU is a problem.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Examine this machine: driver, CANN, frameworks, variables, ports, processes, disk, health."""
    from ascendify.cluster.doctor import Machine, ObservationState, examine

    seen = examine(Machine(), python, require_npu=require_npu)
    if as_json:
        print(json.dumps(seen.to_dict(), indent=2))
    else:
        for line in _lines(seen, quiet):
            typer.echo(line)
    raise typer.Exit(outcome.FINDINGS if seen.count(ObservationState.PROBLEM) else outcome.CLEAN)


def _lines(seen: "Examination", quiet: bool) -> Iterator[str]:
    from ascendify.cluster.doctor import ObservationState

    chosen = (
        (ObservationState.WARNING, ObservationState.PROBLEM) if quiet else tuple(ObservationState)
    )
    shown = [each for each in seen.observations if each.state in chosen]
    for subject, group in groupby(shown, key=lambda each: each.subject):
        yield typer.style(subject, bold=True)
        for each in group:
            yield from _entry(each)
        yield ""
    counts = (f"{seen.count(state)} {state.value}" for state in ObservationState)
    yield ", ".join(counts)


def _entry(each: "Observation") -> Iterator[str]:
    word = typer.style(f"{each.state.value:{_WIDTH}}", fg=_COLOURS[each.state.value])
    yield f"  {word}  {_printable(each.text)}"
    if each.advice:
        yield f"  {'':{_WIDTH}}  -> {_printable(each.advice)}"


def _printable(text: str) -> str:
    """Replace control characters, which could steer the terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
