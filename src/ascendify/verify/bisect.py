"""Find the edits that make the difference, by training versions of the project that lack some.

The migrated project differs from the original by the migration's own edits, and may differ from
what the migration wrote, by a person's. Where the problem is gone as soon as everything stands as
it was written, edits made after the migration are the cause. Else edits of the migration are taken
back, all of one rule at a time. In both cases the set is made smaller until every edit that is left
is needed (delta debugging, after Zeller and Hildebrandt). A version that fails in another way than
the project says nothing about an edit.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from ascendify.verify.changes import Change, Version, apply_changes, find_changes
from ascendify.verify.judge import Verdict, VerifyResult

MOST_TRIALS = 64
"""After so many trainings the search ends with what is known by then."""


class Origin(enum.Enum):
    """Who made the edits that make the difference."""

    LATER = "after the migration"
    MIGRATION = "the migration"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Versions:
    """The files in which the versions of a project differ."""

    original: Version
    written: Version
    """What the migration writes."""
    migrated: Version
    """What stands in the migrated project now."""


@dataclass(frozen=True)
class Bisection:
    """Which edits make the difference."""

    origin: Origin
    causes: tuple[tuple[Change, ...], ...] = ()
    """Sets of edits. Each set makes the difference by itself, and needs all its edits for that.
    From what was written to what stands there now; for edits of the migration, from what was
    written to the original."""
    trials: int = 0
    """How many versions were trained."""
    complete: bool = True
    """Whether the search came to its end, so that every change is needed."""
    why: str = ""
    """Why nothing was found."""


class Severity(enum.IntEnum):
    """How bad a problem is, the worst last."""

    REFUSED = enum.auto()
    """It trains with equal numbers, but something else speaks against it."""
    NUMBERS = enum.auto()
    """It trains with other numbers."""
    FAILS = enum.auto()
    """It does not train to the end."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with a version."""

    kind: Severity
    details: frozenset[str] = frozenset()
    """What it failed with, or all that speaks against it; of numbers, only that they differ."""

    def is_gone(self, now: Problem | None) -> bool:
        """Whether another version, with the problem given, is free of this one."""
        if now is None:
            return True
        if now.kind is self.kind is Severity.REFUSED:
            return not self.details <= now.details
        return now.kind < self.kind


Trial = Callable[[Version, str], Optional[Problem]]
"""Trains a version of the migrated project, described by the text; None when nothing is wrong."""


def problem_of(verdict: Verdict) -> Problem | None:
    """What a verdict holds against the migrated project; None for nothing."""
    if verdict.failed_side is not None:
        last = [line for line in verdict.failed_side.blamed.last_lines if line.strip()]
        error = last[-1].partition(":")[0] if last else ""
        return Problem(Severity.FAILS, frozenset({verdict.result.name, error}))
    if verdict.result is VerifyResult.PASS:
        return None
    different = any(not one.agrees for one in verdict.comparisons)
    if different or any(one.problems for one in verdict.weights):
        return Problem(Severity.NUMBERS)
    return Problem(Severity.REFUSED, frozenset(verdict.reasons))


def bisect(
    problem: Problem,
    versions: Versions,
    rules_of: Callable[[Change], tuple[str, ...]],
    trial: Trial,
    most: int = MOST_TRIALS,
) -> Bisection:
    """Find the edits that make the difference.

    Args:
        problem: What is wrong with the migrated project.
        versions: What may stand in its files.
        rules_of: The rules that made an edit of the migration, given from what was written to the
            original.
        trial: Trains a version.
        most: How many trainings are allowed.
    """
    trials = _Trials(trial, most)
    later = find_changes(versions.written, versions.migrated)
    if later:
        written = trials.run(versions.written, "as the migration wrote it")
        if problem.is_gone(written):
            return _search_later(versions.written, later, problem, trials)
        if written != problem:
            why = "the project as the migration wrote it has another problem"
            return Bisection(Origin.UNKNOWN, trials=trials.count, why=why)
    return _search_own(versions, problem, rules_of, trials)


def _search_later(
    written: Version, later: list[Change], problem: Problem, trials: _Trials
) -> Bisection:
    """Find which of the edits made after the migration cause the problem."""

    def shows(changes: Sequence[Change]) -> bool:
        text = f"with {_count(changes)} made after the migration"
        return trials.run(apply_changes(written, changes), text) == problem

    causes = []
    left, complete = later, True
    while left and complete:
        found, complete = minimal(left, shows)
        causes.append(tuple(found))
        left = [change for change in left if change not in found]
        try:
            if left and not shows(left):
                break
        except EnoughError:
            complete = False
    return Bisection(Origin.LATER, tuple(causes), trials.count, complete)


def _search_own(
    versions: Versions,
    problem: Problem,
    rules_of: Callable[[Change], tuple[str, ...]],
    trials: _Trials,
) -> Bisection:
    """Find which edits of the migration cause the problem, by taking some back."""

    def helps(changes: Sequence[Change], what: str = "") -> bool:
        version = apply_changes(versions.written, changes)
        return problem.is_gone(trials.run(version, f"without {what or _count(changes)}"))

    groups: dict[tuple[str, ...], list[Change]] = {}
    for change in find_changes(versions.written, versions.original):
        groups.setdefault(rules_of(change), []).append(change)
    try:
        for group, what in _attempts(groups, trials, versions.written):
            if helps(group, what):
                found, complete = minimal(group, helps)
                return Bisection(Origin.MIGRATION, (tuple(found),), trials.count, complete)
    except EnoughError:
        why = f"the search was ended after {trials.count} trainings"
        return Bisection(Origin.UNKNOWN, trials=trials.count, complete=False, why=why)
    why = "with any edits taken back, the project has the same problem or does not run"
    return Bisection(Origin.UNKNOWN, trials=trials.count, why=why)


def _attempts(
    groups: Mapping[tuple[str, ...], list[Change]], trials: _Trials, written: Version
) -> Iterator[tuple[list[Change], str]]:
    """Sets of edits to take back: those of each rule, of all rules it runs without, single ones.

    An edit without a rule, such as an import, belongs to others and is no cause by itself.
    """
    named = {rules: group for rules, group in groups.items() if rules}
    runs: list[Change] = []
    for rules, group in named.items():
        what = f"the edits of {' and '.join(rules)}"
        yield group, what
        found = trials.run(apply_changes(written, group), what)
        if found is not None and found.kind is not Severity.FAILS:
            runs += group
    if runs:
        yield runs, "the edits of all rules that it runs without"
    for rules, group in named.items():
        for change in group if len(group) > 1 else ():
            line = change.start + 1
            yield [change], f"the edit of {' and '.join(rules)} in {change.path}, line {line}"


class EnoughError(Exception):
    """As many versions were trained as are allowed."""


class _Trials:
    """Trains versions and counts them; one that was trained before is not trained again."""

    def __init__(self, trial: Trial, most: int) -> None:
        self._trial = trial
        self._most = most
        self._known: dict[tuple[tuple[str, bytes], ...], Problem | None] = {}

    @property
    def count(self) -> int:
        return len(self._known)

    def run(self, version: Version, text: str) -> Problem | None:
        key = tuple(sorted(version.items()))
        if key not in self._known:
            if len(self._known) >= self._most:
                raise EnoughError
            self._known[key] = self._trial(version, text)
        return self._known[key]


def minimal(
    changes: Sequence[Change], holds: Callable[[Sequence[Change]], bool]
) -> tuple[list[Change], bool]:
    """Make a set of changes smaller for which something holds, until each of them is needed.

    Returns:
        The set, and whether the search came to its end.
    """
    found, parts = list(changes), 2
    try:
        while len(found) > 1:
            pieces = _split(found, parts)
            smaller = next((piece for piece in pieces if holds(piece)), None)
            if smaller is not None:
                found, parts = smaller, 2
                continue
            rests = ([one for one in found if one not in piece] for piece in pieces)
            smaller = next((rest for rest in rests if parts > 2 and holds(rest)), None)
            if smaller is not None:
                found, parts = smaller, max(parts - 1, 2)
            elif parts >= len(found):
                break
            else:
                parts = min(2 * parts, len(found))
    except EnoughError:
        return found, False
    return found, True


def _split(changes: list[Change], parts: int) -> list[list[Change]]:
    """Divide a list into so many pieces of nearly equal length, none of them empty."""
    bounds = [len(changes) * number // parts for number in range(parts + 1)]
    return [changes[low:high] for low, high in zip(bounds, bounds[1:]) if high > low]


def _count(changes: Iterable[Change]) -> str:
    number = len(list(changes))
    return f"{number} edit{'s' * (number != 1)}"
