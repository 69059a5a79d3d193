"""The text of a verdict."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from ascendify.emulation import run_report
from ascendify.findings import Finding, Span, Status
from ascendify.verify.captured import Point, Series
from ascendify.verify.judge import Evidence, Verdict, VerifyResult
from ascendify.verify.series import compare
from ascendify.verify.text import render
from ascendify.verify.tolerance import Tolerance

BLOCKER = Finding("EMU-TORCH-OP-1", Status.BLOCKER, "train.py", Span(), "found")


@pytest.mark.parametrize(
    ("result", "reasons", "compared", "title"),
    [
        (VerifyResult.MISMATCH, 1, True, "THE NUMBERS AGREE, BUT A DEVICE WOULD REFUSE IT"),
        (VerifyResult.MISMATCH, 1, False, "MISMATCH"),
        (VerifyResult.MISMATCH, 2, True, "MISMATCH"),
        (VerifyResult.MIGRATED_FAILED, 1, False, "THE MIGRATED PROJECT FAILED"),
    ],
)
def test_title_where_a_device_would_refuse_something(
    tmp_path: Path, result: VerifyResult, reasons: int, compared: bool, title: str
) -> None:
    report = replace(run_report.report([], tmp_path), findings=(BLOCKER,))
    losses = Series("loss", "loss", (Point(1, 2.0),))
    series = (compare(losses, losses, Tolerance()),) if compared else ()
    verdict = Verdict(
        result, tuple("ab"[:reasons]), (), comparisons=series, report=report, folder=tmp_path
    )
    console = Console(record=True, width=100)
    render(verdict, console)
    assert title in console.export_text().splitlines()


@pytest.mark.parametrize(
    ("more", "title"), [((), "NO NUMBERS TO COMPARE"), (("it ends elsewhere",), "MISMATCH")]
)
def test_title_where_neither_side_computes_a_number(
    tmp_path: Path, more: tuple[str, ...], title: str
) -> None:
    losses = Series("loss", "loss", (Point(1, math.nan),))
    reasons = ("loss: both sides are NaN from the first step, which proves nothing", *more)
    compared = (compare(losses, losses, Tolerance()),)
    result = Evidence(list(reasons), comparisons=list(compared)).result
    assert result is (VerifyResult.MISMATCH if more else VerifyResult.NO_LOSS)
    verdict = Verdict(result, reasons, comparisons=compared, folder=tmp_path)
    console = Console(record=True, width=100)
    render(verdict, console)
    assert title in console.export_text().splitlines()
