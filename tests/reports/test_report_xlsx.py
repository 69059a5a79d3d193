"""The workbook: what it holds, how it looks, and that text stays text."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from typing import Callable

import openpyxl
import pytest
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from ascendify.findings import Finding, Status
from ascendify.reports import ReportError, xlsx
from ascendify.reports.model import Report

Make = Callable[..., Finding]


def load(report: Report) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(xlsx.to_bytes(report)))


def rows(sheet: Worksheet) -> list[tuple[object, ...]]:
    return list(sheet.iter_rows(values_only=True))


def test_sheets(report: Report, clean: Report) -> None:
    for each in (report, clean):
        assert load(each).sheetnames == ["Summary", "Findings", "APIs", "Files"]


def test_every_finding_has_a_row(report: Report) -> None:
    header, *body = rows(load(report)["Findings"])
    assert header[:5] == ("Status", "Possible", "Code", "Rule", "File")
    assert [row[4] for row in body] == [finding.path for finding in report.ordered]
    assert body[0] == (
        "blocker",
        None,
        "TF1-DTYPE-1",
        "Unsupported data type",
        "models/net.py",
        None,
        40,
        5,
        "tf.complex64 has no NPU kernel",
        None,
        None,
        "Split the tensor into its real and imaginary parts.",
        "rewrite",
        "The device has no kernels for this type.",
    )


def test_apis_and_files(report: Report) -> None:
    book = load(report)
    assert rows(book["APIs"])[1] == (
        "tf.complex",
        "unsupported",
        "supported",
        5,
        "about tf.complex",
        "train.py:5",
    )
    files = rows(book["Files"])[1:]
    assert len(files) == len(report.files)
    assert ("old/py2.py", "unreadable", 0, None, 14, "Python 2 print statement") in files
    assert ("train.py", "changed", 5, None, None, None) in files


def test_summary(report: Report) -> None:
    facts = {row[0]: row[1] for row in rows(load(report)["Summary"])}
    assert facts["Readiness (0 to 100)"] == 25
    assert facts["Effort left (hours)"] == 31.5
    assert facts["Findings: blocker"] == 1
    assert facts["APIs: unsupported"] == 1
    assert facts["Files: unreadable"] == 2


@pytest.mark.parametrize("name", ["Findings", "APIs", "Files"])
def test_tables_filter_freeze_and_wrap(report: Report, name: str) -> None:
    sheet = load(report)[name]
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == sheet.dimensions
    assert sheet["A2"].alignment.wrap_text
    assert all(dimension.width > 5 for dimension in sheet.column_dimensions.values())
    assert sheet["A1"].font.bold


def test_colours_tell_the_statuses_apart(report: Report) -> None:
    sheet = load(report)["Findings"]
    colours = {
        row[0].value: row[0].fill.fgColor.rgb for row in sheet.iter_rows(min_row=2, max_col=1)
    }
    assert set(colours) == {status.value for status in Status}
    assert len(set(colours.values())) == len(Status)


@pytest.mark.parametrize("text", ["=1+1", "=HYPERLINK('x')", "+1", "-1", "@SUM(A1)"])
def test_text_is_never_a_formula(clean: Report, make: Make, text: str) -> None:
    report = replace(clean, findings=(make("X", Status.MANUAL, text, found=text),))
    sheet = load(report)["Findings"]
    for cell in (sheet["E2"], sheet["I2"]):
        assert (cell.value, cell.data_type, cell.quotePrefix) == (text, "s", True)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        pytest.param("a\x00b\x1b", "a\\x00b\\x1b", id="controls a workbook cannot hold"),
        pytest.param("caf\udce9", "caf\\udce9", id="undecodable byte"),
        pytest.param("a\r\nb\nc", "a\nb\nc", id="lines stay lines"),
        pytest.param(
            "步" * 40_000, "步" * 32_735 + " ... (cut: a cell holds no more)", id="too long"
        ),
    ],
)
def test_any_text_can_be_stored(clean: Report, make: Make, text: str, stored: str) -> None:
    report = replace(clean, findings=(make("X", Status.MANUAL, "a.py", found=text),))
    assert load(report)["Findings"]["I2"].value == stored


def test_without_openpyxl_the_error_names_the_extra(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ReportError, match=r"pip install 'ascendify\[xlsx\]'"):
        xlsx.to_bytes(report)
