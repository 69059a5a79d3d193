"""Settle findings by what a strict run has shown.

A finding of the migration says what may go wrong at a line. A run that came there either did
without trouble, which closes the finding, or met it, which makes the finding certain. Findings at
lines that did not run stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from ascendify.emulation.shown import Shown
from ascendify.findings import Effort, Finding, Status, by_cause, by_place
from ascendify.reports.model import FileResult, Report

SHOWN = "Shown by verify"
_FEEDS, _SESSIONS = "feeds", "sessions"


@dataclass(frozen=True)
class _Test:
    """How a run settles the findings of a rule."""

    refuted_by: frozenset[str]
    """Codes of strict findings that show the trouble at the line."""
    evidence: str = ""
    """``feeds`` or ``sessions`` where these decide; else that the line's operators ran."""
    words: str = "its operators ran, and the device would refuse none of them"


def _codes(*codes: str) -> frozenset[str]:
    return frozenset(codes)


TESTS: Mapping[str, _Test] = {
    "TF1-API-1": _Test(_codes("EMU-OP-1", "EMU-OP-2")),
    "TF1-DATA-1": _Test(_codes("EMU-BATCH-1"), words="no batch came out smaller"),
    "TF1-DATA-3": _Test(_codes("EMU-SHAPE-1", "EMU-SHAPE-2", "EMU-TYPE-1")),
    "TF1-DATA-4": _Test(_codes("EMU-SHAPE-2", "EMU-BATCH-1"), _FEEDS),
    "TF1-DATA-9": _Test(_codes("EMU-SHAPE-1", "EMU-BATCH-1"), words="every batch had one shape"),
    "TF1-EVAL-1": _Test(_codes("EMU-BATCH-1"), words="no batch came out smaller"),
    "TF1-OP-8": _Test(_codes("EMU-OP-2"), words="it ran on the host, outside of the network"),
    "TF1-SESS-2": _Test(_codes("EMU-SESS-3"), _SESSIONS, "the session was closed"),
    "TF1-SESS-3": _Test(_codes("EMU-SESS-4")),
    "TF1-SHAPE-1": _Test(_codes("EMU-SHAPE-1"), words="its shape is known when the graph is built"),
    "TF1-TYPE-1": _Test(_codes("EMU-TYPE-1"), words="no 64-bit float reached the device"),
    "TF1-TYPE-2": _Test(_codes("EMU-TYPE-2"), words="no string reached the device"),
}
"""Rules whose findings a strict run can settle."""


def settle(report: Report, strict: Report, shown: Shown, port: Path) -> Report:
    """Close findings that the run has shown to be in order, and make certain what it met.

    Args:
        report: The report of the migration.
        strict: What strict mode found while the port ran.
        shown: What ran without trouble.
        port: The folder of the port, whose files may have been edited since.
    """
    entries = {entry.path: entry for entry in report.files}
    met: dict[str, list[Finding]] = {}
    for finding in strict.findings:
        met.setdefault(finding.path, []).append(finding)

    @cache
    def lines_of(path: str) -> Callable[[int, int], range]:
        return _mapping(entries.get(path), port / path)

    findings = by_cause(
        _settled(finding, lines_of, met.get(finding.path, ()), shown)
        for finding in by_place(report.findings)
    )
    return replace(report, findings=tuple(findings))


def is_shown(finding: Finding) -> bool:
    """Whether a run closed a finding."""
    return finding.done.startswith(SHOWN)


def _settled(
    finding: Finding,
    lines_of: Callable[[str], Callable[[int, int], range]],
    met: Iterable[Finding],
    shown: Shown,
) -> Finding:
    test = TESTS.get(finding.code)
    rewritten = finding.status.rewrites and not finding.possible
    if test is None or finding.cell is not None or rewritten:
        return finding
    lines = lines_of(finding.path)(finding.span.line, finding.span.end_line)
    trouble = [one for one in met if one.code in test.refuted_by and one.span.line in lines]
    if trouble:
        worst = min(trouble, key=lambda one: one.status.rank)
        certain = f"{finding.found}; verify met it: {worst.found} ({worst.code})"
        effort = max(finding.effort, worst.effort, key=lambda effort: effort.rank)
        return replace(finding, found=certain, status=worst.status, effort=effort, possible=False)
    words = _evidence(test, finding.path, lines, shown)
    if not words or not _is_open(finding):
        return finding
    done = f"{SHOWN}: {words}."
    return replace(
        finding, status=Status.INFO, done=done, todo="", effort=Effort.NONE, possible=False
    )


def _is_open(finding: Finding) -> bool:
    return finding.possible or finding.status in (Status.BLOCKER, Status.MANUAL)


def _evidence(test: _Test, path: str, lines: range, shown: Shown) -> str:
    """Say what the run showed about some lines; empty if it did not run them."""
    if test.evidence == _FEEDS:
        feeds = [shown.feeds[path, line] for line in lines if (path, line) in shown.feeds]
        if not feeds or any(one.shapes != 1 for one in feeds) or feeds[0].runs < 2:
            return ""
        return f"it was fed one shape in {max(one.runs for one in feeds)} runs"
    if test.evidence == _SESSIONS:
        closed = [shown.sessions[path, line] for line in lines if (path, line) in shown.sessions]
        return test.words if closed and all(closed) else ""
    return test.words if not shown.lines.get(path, frozenset()).isdisjoint(lines) else ""


def _mapping(entry: FileResult | None, file: Path) -> Callable[[int, int], range]:
    """A function from lines of the original file to lines of the one in the port."""
    if entry is None or entry.before is None:
        return lambda first, last: range(first, last + 1)
    now = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    matcher = SequenceMatcher(None, entry.before.splitlines(), now.splitlines(), autojunk=False)
    blocks = matcher.get_opcodes()

    def lines(first: int, last: int) -> range:
        start = end = 0
        for _, low, high, new_low, new_high in blocks:
            if low < last and high > first - 1:
                same = high - low == new_high - new_low
                begins = new_low + (max(first - 1 - low, 0) if same else 0)
                ends = new_high - (max(high - last, 0) if same else 0)
                start = begins + 1 if not end else start
                end = max(end, ends)
        return range(start, end + 1)

    return lines
