"""GitHub workflow commands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Callable

import pytest

from ascendify.findings import Finding, Span, Status
from ascendify.reports import github
from ascendify.reports.model import Report

Make = Callable[..., Finding]


def annotate(clean: Report, finding: Finding) -> str:
    return github.to_text(replace(clean, findings=(finding,))).splitlines()[0]


def test_worst_first_then_a_summary(report: Report) -> None:
    lines = github.to_text(report).splitlines()
    levels = [line.split(" ")[0] for line in lines[:-3]]
    assert levels == ["::error", *["::warning"] * 4, *["::notice"] * 4]
    assert lines[-1] == (
        "ascendify: 1 blocker, 2 to do by hand, 1 rewritten and to check, 1 possible, 3 rewritten,"
        " 1 note; readiness 25/100, effort left: about 3.9 days"
    )


def test_an_annotation(report: Report) -> None:
    assert (
        "::warning file=train.py,line=7,endLine=7,col=5,endColumn=16,"
        "title=TF1-DATA-1 Static batch size::"
        "ds.batch(32) keeps a last, smaller batch%0A"
        "Done: added drop_remainder=True%0A"
        "To do: Check that losing up to 31 samples an epoch is fine.\n"
    ) in github.to_text(report)


@pytest.mark.parametrize(
    ("text", "message", "title"),
    [
        pytest.param("50% done", "50%25 done", "50%25 done", id="percent"),
        pytest.param("a\nb", "a%0Ab", "a%0Ab", id="newline"),
        pytest.param("a\r\nb", "a%0Ab", "a%0Ab", id="crlf"),
        pytest.param("a: b, c", "a: b, c", "a%3A b%2C c", id="colon and comma"),
        pytest.param("%0A", "%250A", "%250A", id="an escape of the user's"),
        pytest.param("x\n::error::y", "x%0A::error::y", "x%0A%3A%3Aerror%3A%3Ay", id="injection"),
        pytest.param("a\x1b[1mb", "a\\x1b[1mb", "a\\x1b[1mb", id="terminal command"),
        pytest.param("步", "步", "步", id="unicode"),
    ],
)
def test_escaping(clean: Report, make: Make, text: str, message: str, title: str) -> None:
    line = annotate(clean, make(text, Status.AUTO, "a.py", found=text))
    assert line.endswith(f",title={title}::{message}")


def test_a_path_is_escaped(clean: Report, make: Make) -> None:
    line = annotate(clean, make("X", Status.AUTO, "a,b:c%.py"))
    assert line.startswith("::notice file=a%2Cb%3Ac%25.py,line=1,")


@pytest.mark.parametrize(
    ("span", "region"),
    [
        pytest.param(Span(3, 5, 3, 9), "line=3,endLine=3,col=5,endColumn=8", id="one line"),
        pytest.param(Span(3, 5, 3, 5), "line=3,endLine=3,col=5,endColumn=5", id="empty"),
        pytest.param(Span(3, 5, 6, 2), "line=3,endLine=6", id="several lines take no columns"),
        pytest.param(Span(3, 1, 6, 1), "line=3,endLine=5", id="ends before the last line"),
    ],
)
def test_regions(clean: Report, make: Make, span: Span, region: str) -> None:
    line = annotate(clean, make("X", Status.AUTO, "a.py", span=span))
    assert line == f"::notice file=a.py,{region},title=X::X found here"


def test_a_cell_is_named_in_the_message(clean: Report, make: Make) -> None:
    line = annotate(clean, make("X", Status.MANUAL, "n.ipynb", 2, cell=0, possible=True))
    assert line == ("::warning file=n.ipynb,title=X::Cell 1, line 2.%0APossible: X found here")


def test_unreadable_files_leave_the_first_places_to_findings(report: Report) -> None:
    assert github.to_text(report).splitlines()[-2] == (
        "::warning file=old/py2.py,title=File could not be read,line=14::"
        "old/py2.py:14: Python 2 print statement"
    )


def test_the_last_line_says_what_the_project_is_migrated_for(clean: Report) -> None:
    text = github.to_text(replace(clean, target="TensorFlow 2: setup.py asks for tensorflow>=2"))
    assert text.endswith("; migrated for TensorFlow 2: setup.py asks for tensorflow>=2\n")


def test_paths_count_from_the_checkout(report: Report, tmp_path: Path) -> None:
    inside = replace(report, root=str(tmp_path / "jobs"))
    assert "file=jobs/train.py,line=7," in github.to_text(inside, base=tmp_path)
