"""The formats by name, and that asking for one imports only that one."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ascendify.reports import RENDERERS, ReportError, render
from ascendify.reports.model import Report


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("text", "ascendify migrate /home/me/crnn"),
        ("json", '{\n  "schema_version": "1.4"'),
        ("sarif", '{\n  "$schema": "https://docs.oasis-open.org/sarif/'),
        ("github", "::error file=models/net.py"),
        ("xlsx", b"PK"),
    ],
)
def test_render(report: Report, clean: Report, format: str, start: str | bytes) -> None:
    rendered = render(report, format)
    assert rendered[: len(start)] == start
    assert render(clean, format)


def test_every_format_is_tried_here() -> None:
    assert set(RENDERERS) == {"text", "json", "sarif", "xlsx", "github"}


def test_machine_formats_end_their_last_line(report: Report) -> None:
    for format in ("json", "sarif"):
        document = render(report, format)
        assert isinstance(document, str)
        assert document.endswith("}\n")
        json.loads(document)


def test_an_unknown_format_is_told_the_known_ones(report: Report) -> None:
    with pytest.raises(ReportError, match=r"'html': expected one of text, json, sarif, xlsx, git"):
        render(report, "html")


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("ascendify.reports", {"rich", "openpyxl", "difflib", "json", "hashlib"}),
        ("ascendify.reports.text", {"rich", "openpyxl", "difflib"}),
        ("ascendify.reports.xlsx", {"rich", "openpyxl", "difflib"}),
        ("ascendify.reports.json_", {"rich", "openpyxl", "difflib"}),
    ],
)
def test_imports_stay_light(imported: str, absent: set[str]) -> None:
    program = f"import sys, {imported}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert imported in run.stdout.split()
    assert not absent & set(run.stdout.split())
