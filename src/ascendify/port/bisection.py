"""Find out which edit makes a verification fail: an edit of the migration, or one made after it.

What the migration wrote is known from the record of a port. For other projects the original is
migrated again, in each of the usual ways, and the result that is most like the project is taken.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.findings import Finding, by_place
from ascendify.migrate.pipeline import migrate
from ascendify.migrate.settings import load
from ascendify.port import record
from ascendify.reports.model import Report
from ascendify.verify import bisect as search
from ascendify.verify.bisect import Bisection, Origin, Problem, Versions, problem_of
from ascendify.verify.changes import Change, Version, find_changes
from ascendify.verify.judge import Verdict
from ascendify.verify.request import VerifyRequest, keras_of
from ascendify.verify.session import verify

_WAYS: tuple[Mapping[str, object], ...] = ({}, {"distributed": "add"})
"""Options of a migration that change its edits most."""


@dataclass(frozen=True)
class Culprit:
    """An edit that makes the difference."""

    path: str
    line: int
    """In the migrated project, from 1."""
    written: tuple[str, ...]
    """The lines as the migration wrote them."""
    other: tuple[str, ...]
    """As they stand there now; for an edit of the migration, as they were in the original."""
    what: str
    """Such as ``undone after the migration``."""
    rules: tuple[tuple[str, str], ...] = ()
    """Code and title of the rules that made, or would make, the edit."""


@dataclass(frozen=True)
class Culprits:
    """What the search has found."""

    causes: tuple[tuple[Culprit, ...], ...]
    """Sets of edits, each of which makes the difference by itself."""
    bisection: Bisection


def check(request: VerifyRequest) -> None:
    """Refuse a search that could not run.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    if request.in_place:
        raise UsageError(
            "--bisect trains changed copies of the project, so it cannot be used with --in-place",
            "leave one of them out",
        )


def bisect(
    request: VerifyRequest, verdict: Verdict, progress: Callable[[str], None]
) -> Culprits | None:
    """Find the edits that make the difference; None where the verdict blames no edit.

    Args:
        request: The verification.
        verdict: Its verdict.
        progress: Called with a sentence before each training.
    """
    original, problem = verdict.original, problem_of(verdict)
    if original is None or original is verdict.failed_side or problem is None:
        return None
    report, written = _written(request)
    versions = _versions(request, report, written)
    rules = _Rules(report, versions)
    folder = verdict.folder / "bisect"

    def trial(version: Version, text: str) -> Problem | None:
        progress(f"bisecting: training the migrated project {text}")
        changed = tuple(
            (path, content)
            for path, content in version.items()
            if versions.migrated.get(path, b"") != content
        )
        tried = replace(request, replaced=changed, folder=folder, repeat=False)
        try:
            return problem_of(verify(tried, lambda _: None, original))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    found = search.bisect(problem, versions, rules.of, trial)
    causes = (tuple(_describe(cause, found, versions, rules)) for cause in found.causes)
    return Culprits(tuple(causes), found)


def _written(request: VerifyRequest) -> tuple[Report, Version]:
    """The report of the migration, and the files that it wrote."""
    kept = record.read(request.migrated)
    found = None
    for way in _WAYS if kept is None else _WAYS[1:]:
        settings = load(request.original, keras=keras_of(request), diff=True, **way)
        report = migrate(settings)
        files = {entry.path: entry.content for entry in report.rewritten_files}
        count = _differing_lines(files, request)
        if found is None or count < found[0]:
            found = count, report, files
    assert found is not None  # noqa: S101 (there is a way)
    _, report, files = found
    return report, files if kept is None else kept.texts


def _differing_lines(files: Version, request: VerifyRequest) -> int:
    changes = find_changes(files, {path: _read(request.migrated / path) for path in files})
    return sum(len(change.before) + len(change.after) for change in changes)


def _versions(request: VerifyRequest, report: Report, written: Version) -> Versions:
    """The files in which the versions differ."""
    original: dict[str, bytes] = {}
    expected: dict[str, bytes] = {}
    migrated: dict[str, bytes] = {}
    for path in sorted({*written, *(entry.path for entry in report.files)}):
        pair = request.original / path, request.migrated / path
        if path not in written and _are_copies(*pair):
            continue
        before, now = map(_read, pair)
        wrote = written.get(path, before)
        if before == wrote == now:
            continue
        original[path], expected[path], migrated[path] = before, wrote, now
    return Versions(original, expected, migrated)


def _are_copies(file: Path, other: Path) -> bool:
    """Whether two files need not be compared: data, or equal by size and time of change."""
    if not file.is_file() or not other.is_file():
        return False
    one, two = file.stat(), other.stat()
    if max(one.st_size, two.st_size) > record.MERGED_BYTES:
        return True
    return (one.st_size, one.st_mtime_ns) == (two.st_size, two.st_mtime_ns)


def _read(file: Path) -> bytes:
    """The content of a file; nothing for one that is missing, which runs like an empty one."""
    return file.read_bytes() if file.is_file() else b""


class _Rules:
    """Knows which rules made an edit of the migration."""

    def __init__(self, report: Report, versions: Versions) -> None:
        self._report = report
        self._versions = versions
        self._findings: dict[str, list[Finding]] = {}
        for finding in by_place(report.findings):
            if finding.status.rewrites:
                self._findings.setdefault(finding.path, []).append(finding)

    def of(self, change: Change) -> tuple[str, ...]:
        """The rules behind a change from what was written to the original."""
        return self._on_lines(change.path, change.place, change.place + len(change.after))

    def behind(self, change: Change) -> tuple[str, ...]:
        """The rules that wrote what a change made after the migration has replaced."""
        codes: dict[str, None] = {}
        path = change.path
        backwards = find_changes(
            {path: self._versions.written.get(path, b"")},
            {path: self._versions.original.get(path, b"")},
        )
        for back in backwards:
            if back.touches(change.start, change.end):
                codes.update(dict.fromkeys(self._on_columns(change, back) or self.of(back)))
        return tuple(codes)

    def titles(self, codes: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """The codes, each with the title of its rule."""
        return tuple((code, self._report.rules[code].title) for code in codes)

    def _on_lines(self, path: str, start: int, end: int) -> tuple[str, ...]:
        """Rules with a finding that begins on these lines of the original, counted from 0.

        Where none does, those with a finding that covers them.
        """
        found = self._findings.get(path, ())
        end = max(end, start + 1)
        begin = [one for one in found if start <= one.span.line - 1 < end]
        cover = [one for one in found if one.span.line - 1 < end and start < one.span.end_line]
        return tuple(dict.fromkeys(one.code for one in begin or cover))

    def _on_columns(self, change: Change, back: Change) -> tuple[str, ...]:
        """Of one line, the rules with a finding at the columns that a change has replaced."""
        if [len(lines) for lines in (change.before, change.after, back.after)] != [1, 1, 1]:
            return ()
        written, original = change.before[0], back.after[0]
        low, high = _replaced_columns(written, change.after[0])
        matcher = SequenceMatcher(None, written, original, autojunk=False)
        ranges = [
            (k, m)
            for tag, i, j, k, m in matcher.get_opcodes()
            if tag != "equal" and i <= high and low <= j
        ]
        return tuple(
            dict.fromkeys(
                one.code
                for one in self._findings.get(change.path, ())
                if one.span.line == one.span.end_line == back.place + 1
                and any(one.span.column - 1 <= m and k < one.span.end_column for k, m in ranges)
            )
        )


def _replaced_columns(before: str, after: str) -> tuple[int, int]:
    """The columns of a line that another line has differently, counted from 0."""
    low = _shared(before, after)
    return low, len(before) - _shared(before[low:][::-1], after[low:][::-1])


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))


def _describe(
    cause: Iterable[Change], found: Bisection, versions: Versions, rules: _Rules
) -> Iterator[Culprit]:
    for change in cause:
        if found.origin is Origin.LATER:
            codes = rules.behind(change)
            undone = _is_original(change, versions)
            done = "undone" if undone else "altered" if codes else "made"
            what, line = f"{done} after the migration", change.place
        else:
            codes, what, line = rules.of(change), "made by the migration", change.start
        titles = rules.titles(codes)
        yield Culprit(change.path, line + 1, change.before, change.after, what, titles)


def _is_original(change: Change, versions: Versions) -> bool:
    """Whether a change puts back what the original has."""
    return any(
        change.after == back.after and back.touches(change.start, change.end)
        for back in find_changes(
            {change.path: versions.written.get(change.path, b"")},
            {change.path: versions.original.get(change.path, b"")},
        )
    )
