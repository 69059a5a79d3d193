"""What ``verify --bisect`` prints and writes of the edits that make the difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ascendify.port.bisection import Culprit, Culprits
from ascendify.reports import wording
from ascendify.verify.bisect import Origin

Line = tuple[str, str]
"""A line, and the style that a terminal shows it in."""
_SHOWN = 8
"""How many edits are shown, and how many lines of each."""
_OTHER = {Origin.LATER: "is now", Origin.MIGRATION: "original"}


def lines(found: Culprits) -> Iterator[Line]:
    """Yield the lines for people."""
    search = found.bisection
    trained = wording.plural(search.trials, "training")
    if search.origin is Origin.UNKNOWN:
        yield f"NO EDIT FOUND THAT MAKES THE DIFFERENCE, {trained}", "bold yellow"
        yield f"  {search.why}", ""
        return
    for number, cause in enumerate(found.causes):
        edits = wording.plural(len(cause), "edit").upper()
        makes = "MAKES" if len(cause) == 1 else "TOGETHER MAKE"
        also = " BY ITSELF, TOO" * bool(number)
        yield f"{edits} {makes} THE DIFFERENCE{also}" + f", {trained}" * (not number), "bold red"
        for culprit in cause[:_SHOWN]:
            yield from _lines_of(culprit, _OTHER[search.origin])
        if len(cause) > _SHOWN:
            yield f"  ... and {len(cause) - _SHOWN} more (--json lists them)", "dim"
    if not search.complete:
        yield "  the search was ended early: perhaps not all of these are needed", "dim"


def _lines_of(culprit: Culprit, other: str) -> Iterator[Line]:
    rules = ", ".join(f"{code} ({title})" for code, title in culprit.rules)
    by = f", {rules}" if rules else ""
    yield f"  {culprit.path}:{culprit.line}  {culprit.what}{by}", ""
    for word, text in (("written", culprit.written), (other, culprit.other)):
        shown = [line.rstrip("\r\n") for line in text[:_SHOWN]] or ["(nothing)"]
        for number, line in enumerate(shown):
            yield f"    {'' if number else word:<10}{line}", "dim"


def to_dict(found: Culprits) -> dict[str, Any]:
    """Everything that was found, as plain data."""
    search = found.bisection
    return {
        "origin": search.origin.name.lower(),
        "trainings": search.trials,
        "complete": search.complete,
        "why": search.why,
        "causes": [[_edit(culprit) for culprit in cause] for cause in found.causes],
    }


def _edit(culprit: Culprit) -> dict[str, Any]:
    return {
        "path": culprit.path,
        "line": culprit.line,
        "what": culprit.what,
        "rules": [code for code, _ in culprit.rules],
        "written": "".join(culprit.written),
        "other": "".join(culprit.other),
    }
