"""Texts that several renderers use: places, counts, hours and next steps, safe to print."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from ascendify.findings import Effort, Finding, Occurrence, Status
from ascendify.reports.model import FileResult, Group, Mention, Report, Section

_HOURS_A_DAY = 8
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f"  # controls: a file name can carry terminal commands
    "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction marks reorder what the reader sees
    "\u2028\u2029"  # line breaks to some readers, not to others
    "\ud800-\udfff]"  # bytes of a file name that are no text; they cannot be encoded
)

_SUPPORT = {
    "tool": "works after rewriting",
    "tool_train": "works after rewriting, with limits",
    "manual": "vendor disagrees with itself",
    "analysing": "not decided yet",
    "na": "no information",
    "partial": "works with limits",
    "unknown": "not verified",
}
"""Texts for statuses of the catalogue that need an explanation."""

_RUNNING = ("run", "verify")
"""Commands whose report covers only code that ran."""


def printable(text: str) -> str:
    """Replace every character that is not printable by its escape sequence."""
    return _UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def one_line(text: str) -> str:
    """Join the lines of a text and make it safe to print."""
    return printable(re.sub(r"\s*\n\s*", " ", text.strip()))


def place(finding: Finding | Occurrence) -> str:
    """Where a finding is, in the form editors and terminals open: ``path:line:column``.

    Cells of a notebook are counted from 1, as lines and columns are.
    """
    cell = "" if finding.cell is None else f":cell {finding.cell + 1}"
    return f"{printable(finding.path)}{cell}:{finding.span.line}:{finding.span.column}"


def mention(item: Mention) -> str:
    """Where a line is that still mentions CUDA; a file that is not rewritten has several."""
    cell = "" if item.cell is None else f":cell {item.cell + 1}"
    several = f" ({plural(item.lines, 'line')})" if item.lines > 1 else ""
    return f"{printable(item.path)}{cell}:{item.line}{several}"


def unreadable(entry: FileResult) -> str:
    """Where and why a file could not be read."""
    line = "" if entry.line is None else f":{entry.line}"
    return f"{printable(entry.path)}{line}: {one_line(entry.reason) or 'could not be read'}"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """A count and its noun: ``1 file``, ``3 files``."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def hours(amount: float) -> str:
    """An estimate in the unit people plan in: minutes, hours, or working days."""
    if amount < 1:
        return f"{round(amount * 60)} min"
    if amount < 2 * _HOURS_A_DAY:
        return f"{round(amount, 1):g} h"
    return f"{round(amount / _HOURS_A_DAY, 1):g} days"


def effort(report: Report) -> str:
    """The effort left: ``3.6 h``, or that there is none."""
    return "none" if report.effort is Effort.NONE else f"about {hours(report.hours_left)}"


def standing(report: Report) -> str:
    """A line with readiness and effort left; for a run, with what was observed."""
    if report.seen:
        return f"seen: {report.seen}"
    readiness = f"{report.readiness}/100" if is_judged(report) else "unknown"
    return f"readiness {readiness}, effort left: {effort(report)}"


def is_judged(report: Report) -> bool:
    """Whether there was a file to judge a project by."""
    return bool(report.analysed or report.unreadable)


def effort_reasons(report: Report) -> list[str]:
    """The rules that most effort is spent on: ``TF1-DATA-5 x2 (hours)``."""
    return [
        f"{reason.code}{f' x{reason.count}' if reason.count > 1 else ''} ({reason.effort.value})"
        for reason in report.effort_reasons
    ]


def support(status: str) -> str:
    """A support status of the catalogue as the reports print it."""
    return _SUPPORT.get(status, status)


def rewrites(report: Report) -> str:
    """A line on the rewrites: done, or only proposed by a dry run."""
    return "to be rewritten" if report.output is None else "rewritten"


def done_label(report: Report) -> str:
    """The label of a rewrite: a dry run has done nothing yet."""
    return "fix" if report.output is None else "done"


def message(finding: Finding, report: Report) -> str:
    """A finding in a few lines, for formats that show one text beside the place."""
    lines = [f"Possible: {finding.found}" if finding.possible else finding.found]
    if finding.done:
        lines.append(f"{done_label(report).capitalize()}: {finding.done}")
    if finding.todo:
        lines.append(f"To do: {finding.todo}")
    if finding.also:
        lines.append(f"Also at: {other_places(finding)}")
    return "\n".join(lines)


def other_places(finding: Finding, most: int | None = None) -> str:
    """The other places of a finding in one line; at most ``most`` are listed."""
    listed = ", ".join(place(item) for item in finding.also[:most])
    hidden = 0 if most is None else max(0, len(finding.also) - most)
    return f"{listed} and {hidden} more (-v shows all)" if hidden else listed


def kind(group: Group) -> str:
    """The status of a group as the reports print it."""
    return f"possible {group.status.value}" if group.possible else group.status.value


def tally(report: Report) -> list[str]:
    """How many findings of each kind, worst first, kinds without findings left out."""
    counts: dict[str, int] = {}
    for group in report.groups:
        name = _tally_name(group, report)
        counts[name] = counts.get(name, 0) + group.count
    return [
        plural(count, name) if name in ("blocker", "note") else f"{count} {name}"
        for name, count in counts.items()
    ]


def _tally_name(group: Group, report: Report) -> str:
    if group.section is Section.DECISIONS and group.possible:
        return "possible"
    return {
        Status.BLOCKER: "blocker",
        Status.MANUAL: "to do by hand",
        Status.AUTO_CHECK: f"{rewrites(report)} and to check",
        Status.AUTO: rewrites(report),
        Status.INFO: "note",
    }[group.status]


def next_steps(report: Report) -> list[str]:
    """What to do next, in order."""
    count = report.by_status
    possible = sum(
        group.count
        for group in report.groups
        if group.possible and group.section is Section.DECISIONS
    )
    certain = {
        status: sum(
            g.count + g.unlisted for g in report.groups if g.status is status and not g.possible
        )
        for status in (Status.MANUAL, Status.AUTO_CHECK, Status.AUTO)
    }
    steps = []
    if report.unreadable:
        steps.append(
            f"Repair or exclude {plural(len(report.unreadable), 'unreadable file')} and run again:"
            " this report does not cover them."
        )
    if count[Status.BLOCKER]:
        steps.append(
            f"Redesign the code at {plural(count[Status.BLOCKER], 'blocker')}: until then nothing"
            " trains on an NPU."
        )
    if report.output is None and certain[Status.AUTO] + certain[Status.AUTO_CHECK]:
        steps.append(
            f"Run `ascendify migrate {shlex.quote(printable(report.root))} -o OUT` to have"
            f" {plural(certain[Status.AUTO] + certain[Status.AUTO_CHECK], 'place')} rewritten."
        )
    if certain[Status.MANUAL]:
        steps.append(f"Work through {plural(certain[Status.MANUAL], 'manual finding')}.")
    if certain[Status.AUTO_CHECK]:
        steps.append(
            f"Check {plural(certain[Status.AUTO_CHECK], 'rewrite')} marked auto-check:"
            " the behaviour may differ."
        )
    if possible:
        steps.append(
            f"Decide on {plural(possible, 'possible finding')}: the type of the object is not"
            " certain, so nothing was rewritten there."
        )
    if not steps and report.command in _RUNNING:
        return [
            f"Nothing to do for what was run; `ascendify check {_project(report)}` checks the"
            " sources too."
        ]
    if not steps and not report.analysed:
        return [
            f"No file of {shlex.quote(printable(report.root))} uses TensorFlow or PyTorch, or all"
            " that do are excluded: pass the folder of a training project."
        ]
    proof = _proof(report)
    if not steps:
        return [*proof, f"Nothing is left to do: train {_project(report)} on an NPU."]
    return [*steps, *proof, "`ascendify rule CODE` explains a rule and shows an example."]


def _proof(report: Report) -> list[str]:
    """How to compare the original with the result; empty where only one of them exists."""
    if report.command != "migrate" or report.output in (None, report.root):
        return []
    original = shlex.quote(printable(report.root))
    return [f"Compare both: `ascendify verify {original} {_project(report)} -- python ...`"]


def _project(report: Report) -> str:
    return shlex.quote(printable(report.output or report.root))


def checkout_prefix(report: Report, base: Path | None = None) -> str:
    """The path from the checkout to the project, ending in a slash; empty where they coincide.

    Code hosts expect paths from the root of the checkout; those of findings start at the project.

    Args:
        report: The report of the project.
        base: The root of the checkout; by default the workspace of a GitHub job, or the current
            folder. Paths of a project outside of it get no prefix.
    """
    base = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()) if base is None else base
    try:
        inside = (Path.cwd() / report.root).resolve().relative_to(base.resolve())
    except ValueError:
        return ""
    return "" if inside == Path() else f"{inside.as_posix()}/"
