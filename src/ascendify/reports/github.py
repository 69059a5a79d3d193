"""The report for a GitHub job: workflow commands that become annotations on the changed lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ascendify.findings import Finding, Span
from ascendify.reports import wording
from ascendify.reports.model import FileResult, Report, Section, section_of

_COMMAND = {
    Section.BLOCKERS: "error",
    Section.DECISIONS: "warning",
    Section.DONE: "notice",
    Section.NOTES: "notice",
}


def to_text(report: Report, *, base: Path | None = None) -> str:
    """One workflow command for each finding, the worst first, then a line with a summary.

    GitHub shows only the first ten annotations of each level of a step, so the order matters.

    Args:
        report: The report to render.
        base: The root of the checkout, where paths start; see :func:`wording.checkout_prefix`.
    """
    prefix = wording.checkout_prefix(report, base)
    findings = (finding for group in report.groups for finding in group.findings)
    lines = [
        *(_annotation(finding, prefix, report) for finding in findings),
        *_unreadable(report.unreadable, prefix),
        _summary(report),
    ]
    return "".join(f"{line}\n" for line in lines)


def _annotation(finding: Finding, prefix: str, report: Report) -> str:
    title = report.rule(finding.code).title
    properties = {
        "file": prefix + finding.path,
        **(_region(finding.span) if finding.cell is None else {}),
        "title": title if title == finding.code else f"{finding.code} {title}",
    }
    return _command(_COMMAND[section_of(finding)], properties, _message(finding, report))


def _unreadable(entries: tuple[FileResult, ...], prefix: str) -> Iterator[str]:
    for entry in entries:
        properties = {"file": prefix + entry.path, "title": "File could not be read"}
        if entry.line is not None:
            properties["line"] = str(entry.line)
        yield _command("warning", properties, wording.unreadable(entry))


def _message(finding: Finding, report: Report) -> str:
    message = wording.message(finding, report)
    if finding.cell is None:
        return message
    # The line of a cell is not a line of the file, so the message has to name it.
    return f"Cell {finding.cell + 1}, line {finding.span.line}.\n{message}"


def _region(span: Span) -> dict[str, str]:
    """Lines and columns of a finding; columns only on a single line, where GitHub takes them."""
    ends_before = span.end_column == 1 and span.end_line > span.line
    end_line = span.end_line - 1 if ends_before else span.end_line
    region = {"line": str(span.line), "endLine": str(end_line)}
    if span.end_line == span.line:
        region["col"] = str(span.column)
        region["endColumn"] = str(max(span.column, span.end_column - 1))
    return region


def _command(name: str, properties: dict[str, str], message: str) -> str:
    listed = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{name} {listed}::{_escape(message)}"


def _escape(text: str) -> str:
    """Escape line ends and everything that is not printable."""
    rows = text.replace("%", "%25").replace("\r\n", "\n").split("\n")
    return "%0A".join(wording.printable(row) for row in rows)


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


def _summary(report: Report) -> str:
    found = ", ".join(wording.tally(report)) or "no findings"
    target = f"; migrated for {wording.printable(report.target)}" if report.target else ""
    return f"ascendify: {found}; {wording.standing(report)}{target}"
