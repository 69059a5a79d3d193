"""Problems in a rank table, an inventory or the environment: where, what was found, the rule."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

ERROR = "error"
WARNING = "warning"
_LONGEST = 60
"""Characters of a value that are shown."""


@dataclass(frozen=True)
class ClusterProblem:
    """A broken rule: an error that stops training, or a warning."""

    path: str
    """Where: a JSON path such as ``$.server_list[0].device[1].rank_id``, or a variable's name."""
    value: str
    """The value found there, as :func:`format_value` formats it."""
    rule: str
    """The rule that is broken."""
    severity: str = ERROR
    """``error``: training fails. ``warning``: it may fail, or the vendor advises against it."""
    advice: str = ""

    def __str__(self) -> str:
        found = f", found {self.value}" if self.value else ""
        return f"{self.path}: {self.rule}{found}"


def format_value(value: object) -> str:
    """Format a value of a file as JSON on one line, without control characters."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        short = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..."
        return json.dumps(short, ensure_ascii=not short.isprintable())
    try:
        return _shorten(json.dumps(value))
    except ValueError:  # an integer too long to be printed
        return "a number of thousands of digits"


def join_values(values: Sequence[object]) -> str:
    """Join numbers or names on one line, shortened."""
    return _shorten(", ".join(map(str, values[:_LONGEST]))) or "none"


def errors(problems: Iterable[ClusterProblem]) -> list[ClusterProblem]:
    """Return the problems that stop training."""
    return [problem for problem in problems if problem.severity == ERROR]


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST + 5 else f"{text[:_LONGEST]}..."


def format_problems(problems: Iterable[ClusterProblem], places: int = 3) -> Iterator[str]:
    """Format problems for people: errors first, at most ``places`` lines for each broken rule."""
    groups: dict[tuple[str, str], list[ClusterProblem]] = {}
    for problem in sorted(problems, key=lambda problem: problem.severity != ERROR):
        groups.setdefault((problem.severity, problem.rule), []).append(problem)
    for group in groups.values():
        for problem, following in zip(group[:places], [*group[1:places], None]):
            yield f"{problem.severity:7}  {problem}"
            if problem.advice and (following is None or following.advice != problem.advice):
                yield f"{'':7}  {problem.advice}"
        if len(group) > places:
            yield f"{'':7}  and {len(group) - places} more like these"


def count_severities(problems: Iterable[ClusterProblem]) -> str:
    """Count the problems of each severity: ``2 errors, 1 warning``."""
    every = list(problems)
    failing = len(errors(every))
    numbers = ((failing, ERROR), (len(every) - failing, WARNING))
    counts = [f"{count} {word}{'s' * (count > 1)}" for count, word in numbers if count]
    return ", ".join(counts) or "no problem"
