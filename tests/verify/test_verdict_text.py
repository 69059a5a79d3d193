"""The text of a verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from ascendify.emulation import run_report
from ascendify.findings import Finding, Span, Status
from ascendify.verify.judge import Verdict, VerifyResult
from ascendify.verify.text import render

BLOCKER = Finding("EMU-TORCH-OP-1", Status.BLOCKER, "train.py", Span(), "found")


@pytest.mark.parametrize(
    ("result", "reasons", "title"),
    [
        (VerifyResult.MISMATCH, 1, "THE NUMBERS AGREE, BUT A DEVICE WOULD REFUSE IT"),
        (VerifyResult.MISMATCH, 2, "MISMATCH"),
        (VerifyResult.MIGRATED_FAILED, 1, "THE MIGRATED PROJECT FAILED"),
    ],
)
def test_title_where_a_device_would_refuse_something(
    tmp_path: Path, result: VerifyResult, reasons: int, title: str
) -> None:
    report = replace(run_report.report([], tmp_path), findings=(BLOCKER,))
    verdict = Verdict(result, tuple("ab"[:reasons]), (), report=report, folder=tmp_path)
    console = Console(record=True, width=100)
    render(verdict, console)
    assert console.export_text().splitlines()[0] == title
