"""What is wrong with a description of a cluster: where, what was found, what is the rule."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

ERROR = "error"
WARNING = "warning"
_LONGEST = 60
"""Characters of a value that are shown."""


@dataclass(frozen=True)
class Problem:
    """One thing to change, or to know of."""

    path: str
    """Where: a JSON path such as ``$.server_list[0].device[1].rank_id``, or a variable's name."""
    value: str
    """What was found there, as :func:`shown` writes it."""
    rule: str
    """What must hold."""
    severity: str = ERROR
    """``error``: training fails. ``warning``: it may, or it is not as the vendor advises."""
    advice: str = ""

    def __str__(self) -> str:
        found = f", found {self.value}" if self.value else ""
        return f"{self.path}: {self.rule}{found}"


def shown(value: object) -> str:
    """A value of a file on one line, as JSON: no control character reaches the terminal."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        short = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..."
        return json.dumps(short, ensure_ascii=not short.isprintable())
    try:
        return _shortened(json.dumps(value))
    except ValueError:  # an integer too long to be printed
        return "a number of thousands of digits"


def listed(values: Sequence[object]) -> str:
    """Numbers or names on one line."""
    return _shortened(", ".join(map(str, values[:_LONGEST]))) or "none"


def errors(problems: Iterable[Problem]) -> list[Problem]:
    """Those that stop a training."""
    return [problem for problem in problems if problem.severity == ERROR]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST + 5 else f"{text[:_LONGEST]}..."


def in_lines(problems: Iterable[Problem], places: int = 3) -> Iterator[str]:
    """Problems for people: the errors first; what breaks one rule in many places is folded."""
    groups: dict[tuple[str, str], list[Problem]] = {}
    for problem in sorted(problems, key=lambda problem: problem.severity != ERROR):
        groups.setdefault((problem.severity, problem.rule), []).append(problem)
    for group in groups.values():
        for problem, following in zip(group[:places], [*group[1:places], None]):
            yield f"{problem.severity:7}  {problem}"
            if problem.advice and (following is None or following.advice != problem.advice):
                yield f"{'':7}  {problem.advice}"
        if len(group) > places:
            yield f"{'':7}  and {len(group) - places} more like these"


def counted(problems: Iterable[Problem]) -> str:
    """How many there are of each severity."""
    every = list(problems)
    failing = len(errors(every))
    numbers = ((failing, ERROR), (len(every) - failing, WARNING))
    told = [f"{count} {word}{'s' * (count > 1)}" for count, word in numbers if count]
    return ", ".join(told) or "no problem"
