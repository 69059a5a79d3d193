"""Render a report as a workbook with sheets for summary, findings, APIs and files.

openpyxl is an optional dependency, imported only for this format.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Union

from ascendify.findings import Effort, Status
from ascendify.reports import ReportError, wording
from ascendify.reports.model import FileAction, Report

if TYPE_CHECKING:
    from openpyxl.styles import Alignment, PatternFill
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

Value = Union[str, int, float, None]

_LONGEST = 32_767
"""Characters a cell can hold."""
_CUT = " ... (cut: a cell holds no more)"
_FORMULA = ("=", "+", "-", "@")
"""Characters at which a spreadsheet would start a formula."""

_HEADER_FILL, _HEADER_FONT = "FF1F3864", "FFFFFFFF"
_FILL = {
    Status.BLOCKER.value: "FFF8CBAD",
    Status.MANUAL.value: "FFFFE699",
    Status.AUTO_CHECK.value: "FFD9D2E9",
    Status.AUTO.value: "FFC6E0B4",
    Status.INFO.value: "FFDDEBF7",
    "unsupported": "FFF8CBAD",
    "supported": "FFC6E0B4",
    wording.support("tool"): "FFC6E0B4",
    "harmless": "FFC6E0B4",
    FileAction.UNREADABLE.value: "FFF8CBAD",
    FileAction.CHANGED.value: "FFC6E0B4",
    FileAction.ADDED.value: "FFC6E0B4",
}
"""Colour by the word in a status cell."""
_FILL_CARE = "FFFFE699"
"""Colour of all other support statuses."""

_FINDINGS = {
    "Status": 12,
    "Possible": 10,
    "Code": 16,
    "Rule": 32,
    "File": 36,
    "Cell": 7,
    "Line": 7,
    "Column": 9,
    "Found": 60,
    "Also at": 36,
    "Rewrite": 50,
    "To do": 60,
    "Effort": 10,
    "Why it matters": 60,
}
_APIS = {
    "API": 44,
    "Support": 14,
    "Vendor says": 14,
    "Uses": 8,
    "Note": 70,
    "First places": 60,
}
_FILES = {"File": 50, "Action": 13, "Findings": 10, "Already migrated": 17, "Line": 7, "Reason": 70}


def to_bytes(report: Report) -> bytes:
    """The workbook as the bytes of an ``.xlsx`` file.

    Raises:
        ReportError: openpyxl is not installed.
    """
    try:
        from openpyxl import Workbook  # noqa: PLC0415 - optional dependency
    except ImportError as error:
        raise ReportError(
            "the xlsx format needs openpyxl, which is not installed:"
            " run pip install 'ascendify[xlsx]'"
        ) from error
    book = Workbook()
    book.properties.creator = f"ascendify {report.version}"
    _summary(book, report)
    _table(book, "Findings", _FINDINGS, _finding_rows(report), status="Status")
    _table(book, "APIs", _APIS, _api_rows(report), status="Support")
    _table(book, "Files", _FILES, _file_rows(report), status="Action")
    page = io.BytesIO()
    book.save(page)
    return page.getvalue()


def _finding_rows(report: Report) -> Iterable[Sequence[Value]]:
    for finding in report.ordered:
        rule = report.rule(finding.code)
        yield (
            finding.status.value,
            "yes" if finding.possible else "",
            finding.code,
            rule.title,
            finding.path,
            None if finding.cell is None else finding.cell + 1,
            finding.span.line,
            finding.span.column,
            finding.found,
            "\n".join(wording.place(item) for item in finding.also),
            finding.done,
            finding.todo,
            "" if finding.effort is Effort.NONE else finding.effort.value,
            rule.why,
        )


def _api_rows(report: Report) -> Iterable[Sequence[Value]]:
    for use in report.ordered_apis:
        places = ", ".join(f"{place.path}:{place.line}" for place in use.places)
        yield (
            use.api,
            wording.support(use.support),
            wording.support(use.vendor),
            use.count,
            use.note,
            places,
        )


def _file_rows(report: Report) -> Iterable[Sequence[Value]]:
    for entry in sorted(report.files, key=lambda entry: entry.path):
        yield (
            entry.path,
            entry.action.value,
            report.by_path.get(entry.path, 0),
            "yes" if entry.migrated else "",
            entry.line,
            entry.reason,
        )


def _summary_rows(report: Report) -> Iterable[tuple[str, Value]]:
    yield "Project", report.root
    yield "Output", report.output or "none: nothing was written"
    yield "Command", f"ascendify {report.command}"
    yield "Version", report.version
    yield "Support verdicts of", report.catalog_version
    if report.target:
        yield "Migrated for", report.target
    if report.offer:
        yield "Devices", report.offer
    if report.seen:
        yield "Seen", report.seen
    else:
        yield "Readiness (0 to 100)", report.readiness
    yield "Effort left (hours)", report.hours_left
    for reason in report.effort_reasons:
        yield f"Effort: {reason.code} x{reason.count} ({reason.effort.value})", reason.hours
    for status, count in report.by_status.items():
        yield f"Findings: {status.value}", count
    yield "Files: analysed", report.analysed
    yield "Files: already migrated", report.already_migrated
    for action, count in report.by_action.items():
        yield f"Files: {action.value}", count
    for support, count in report.by_support.items():
        yield f"APIs: {wording.support(support)}", count
    for number, step in enumerate(wording.next_steps(report), 1):
        yield f"Next {number}", step


def _summary(book: Workbook, report: Report) -> None:
    sheet = book.worksheets[0]
    sheet.title = "Summary"
    _head(sheet, {"Summary": 36, "Value": 90})
    for number, row in enumerate(_summary_rows(report), 2):
        _fill_row(sheet, number, row)
        _, _, word = row[0].partition(": ")
        _colour(sheet, number, 1, word)


def _table(
    book: Workbook,
    title: str,
    columns: dict[str, int],
    rows: Iterable[Sequence[Value]],
    *,
    status: str,
) -> None:
    sheet = book.create_sheet(title)
    _head(sheet, columns)
    coloured = list(columns).index(status)
    for number, row in enumerate(rows, 2):
        _fill_row(sheet, number, row)
        _colour(sheet, number, coloured + 1, str(row[coloured]), other=_FILL_CARE)
    sheet.auto_filter.ref = sheet.dimensions


def _head(sheet: Worksheet, columns: dict[str, int]) -> None:
    from openpyxl.styles import Font  # noqa: PLC0415 - optional dependency
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - optional dependency

    for number, (name, width) in enumerate(columns.items(), 1):
        cell = sheet.cell(1, number, name)
        cell.font = Font(bold=True, color=_HEADER_FONT)
        cell.fill = _solid(_HEADER_FILL)
        sheet.column_dimensions[get_column_letter(number)].width = width
    sheet.freeze_panes = "A2"


def _fill_row(sheet: Worksheet, number: int, row: Sequence[Value]) -> None:
    for column, value in enumerate(row, 1):
        if value is None or value == "":
            continue
        cell = sheet.cell(number, column)
        cell.alignment = _wrapped()
        if not isinstance(value, str):
            cell.value = value
            continue
        # Stored as text whatever it starts with, and kept text when somebody edits the cell.
        text = _text(value)
        cell.value = text
        cell.data_type = "s"
        if text.startswith(_FORMULA):
            cell.quotePrefix = True


def _text(value: str) -> str:
    """A text that fits a cell: no control characters but line ends, and not too long."""
    text = "\n".join(wording.printable(line) for line in value.replace("\r\n", "\n").split("\n"))
    return text if len(text) <= _LONGEST else text[: _LONGEST - len(_CUT)] + _CUT


def _colour(
    sheet: Worksheet, number: int, column: int, word: str, *, other: str | None = None
) -> None:
    colour = _FILL.get(word, other)
    if colour:
        sheet.cell(number, column).fill = _solid(colour)


# openpyxl compares every style it is given with those it has, which is slow for equal objects and
# fast for the same object: hence the caches.


@cache
def _wrapped() -> Alignment:
    from openpyxl.styles import Alignment  # noqa: PLC0415 - optional dependency

    return Alignment(wrap_text=True, vertical="top")


@cache
def _solid(colour: str) -> PatternFill:
    from openpyxl.styles import PatternFill  # noqa: PLC0415 - optional dependency

    return PatternFill("solid", fgColor=colour)
