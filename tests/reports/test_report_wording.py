"""The phrases renderers share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Callable

import pytest

from ascendify.findings import Finding, Status
from ascendify.reports import text, wording
from ascendify.reports.model import FileAction, FileResult, Report

Make = Callable[..., Finding]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        pytest.param("train.py", "train.py", id="plain"),
        pytest.param("输入 管道.py", "输入 管道.py", id="unicode stays"),
        pytest.param("a\tb", "a\tb", id="tab stays"),
        pytest.param("\x1b[31mred", "\\x1b[31mred", id="terminal command"),
        pytest.param("a\nb", "a\\nb", id="newline in a name"),
        pytest.param("a\u202eb", "a\\u202eb", id="direction mark"),
        pytest.param("a\u2028b", "a\\u2028b", id="line separator"),
        pytest.param("caf\udce9.py", "caf\\udce9.py", id="undecodable byte"),
        pytest.param("\x9b31m", "\\x9b31m", id="8-bit terminal command"),
    ],
)
def test_printable(text: str, printed: str) -> None:
    assert wording.printable(text) == printed
    printed.encode("utf-8")


def test_one_line_joins_and_escapes() -> None:
    assert wording.one_line(" f(\n    x,\n\ty\x07) \n") == "f( x, y\\x07)"


@pytest.mark.parametrize(
    ("amount", "printed"),
    [
        (0.05, "3 min"),
        (0.25, "15 min"),
        (0.99, "59 min"),
        (1, "1 h"),
        (3.6, "3.6 h"),
        (15.96, "16 h"),
        (16, "2 days"),
        (27.9, "3.5 days"),
    ],
)
def test_hours(amount: float, printed: str) -> None:
    assert wording.hours(amount) == printed


def test_places(make: Make) -> None:
    assert wording.place(make("X", Status.AUTO, "a b.py", 3)) == "a b.py:3:5"
    assert wording.place(make("X", Status.AUTO, "n.ipynb", 3, cell=0)) == "n.ipynb:cell 1:3:5"


@pytest.mark.parametrize(
    ("entry", "printed"),
    [
        (FileResult("a.py", FileAction.UNREADABLE, reason="Python 2", line=4), "a.py:4: Python 2"),
        (FileResult("a.py", FileAction.UNREADABLE, reason="binary"), "a.py: binary"),
        (FileResult("a.py", FileAction.UNREADABLE), "a.py: could not be read"),
    ],
    ids=["with line", "without line", "without reason"],
)
def test_unreadable(entry: FileResult, printed: str) -> None:
    assert wording.unreadable(entry) == printed


def test_tally_adds_up(report: Report) -> None:
    tally = wording.tally(report)
    assert tally == [
        "1 blocker",
        "2 to do by hand",
        "1 rewritten and to check",
        "1 possible",
        "3 rewritten",
        "1 note",
    ]
    assert sum(int(part.split()[0]) for part in tally) == len(report.findings)


def test_a_dry_run_claims_no_rewrite(report: Report) -> None:
    tally = wording.tally(replace(report, output=None))
    assert "1 to be rewritten and to check" in tally
    assert "3 to be rewritten" in tally


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({}, "it", id="found"),
        pytest.param({"possible": True}, "Possible: it", id="possible"),
        pytest.param({"done": "x", "todo": "y"}, "it\nDone: x\nTo do: y", id="done and to do"),
    ],
)
def test_message(report: Report, make: Make, fields: dict[str, object], message: str) -> None:
    finding = make("X", Status.AUTO, "a.py", found="it", **fields)
    assert wording.message(finding, report) == message
    assert wording.message(finding, replace(report, output=None)) == message.replace("Done", "Fix")


def test_effort_reasons(report: Report) -> None:
    assert wording.effort_reasons(report) == [
        "TF1-DTYPE-1 (rewrite)",
        "TF1-DATA-5 x2 (hours)",
        "unreadable files x2 (hours)",
        "TF1-DATA-1 x2 (minutes)",
    ]


def test_next_steps_name_the_command_after_a_dry_run(report: Report) -> None:
    steps = wording.next_steps(replace(report, output=None, root="my project"))
    assert "Run `ascendify migrate 'my project' -o OUT` to have 4 places rewritten." in steps
    assert not any("ascendify migrate" in step for step in wording.next_steps(report))


def test_next_steps_say_how_to_compare_what_was_written(clean: Report) -> None:
    written = replace(clean, command="migrate", root="my gpu", output="npu")
    assert wording.next_steps(written)[0] == (
        "Compare both: `ascendify verify 'my gpu' npu -- python ...`"
    )
    in_place = replace(written, output="my gpu")
    for report in (in_place, replace(written, output=None), replace(written, command="check")):
        assert not any("verify" in step for step in wording.next_steps(report))


@pytest.mark.parametrize("files", [(), (FileResult("notes.txt", FileAction.COPIED),)])
def test_a_folder_without_programs_is_not_called_ready(
    clean: Report, files: tuple[FileResult, ...]
) -> None:
    nothing = replace(clean, files=files)
    assert wording.next_steps(nothing) == [
        "No file of /home/me/clean uses TensorFlow or PyTorch, or all that do are excluded:"
        " pass the folder of a training project."
    ]
    assert "Readiness unknown" in text.to_text(nothing)
    assert "100/100" in text.to_text(clean)


def test_next_steps_of_a_clean_project(clean: Report) -> None:
    assert wording.next_steps(clean) == ["Nothing is left to do: train /home/me/clean on an NPU."]
    assert wording.next_steps(replace(clean, command="run")) == [
        "Nothing to do for what was run; `ascendify check /home/me/clean` checks the sources too."
    ]


@pytest.mark.parametrize(
    ("root", "prefix"),
    [
        pytest.param("", "", id="the checkout itself"),
        pytest.param("jobs/train", "jobs/train/", id="a folder of the checkout"),
        pytest.param("../elsewhere", "", id="outside the checkout"),
    ],
)
def test_checkout_prefix(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str, prefix: str
) -> None:
    top = tmp_path / "checkout"
    (top / "jobs").mkdir(parents=True)
    absolute = replace(report, root=str(top / root))
    assert wording.checkout_prefix(absolute, top) == prefix
    monkeypatch.chdir(top / "jobs")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(top))
    assert wording.checkout_prefix(absolute) == prefix
    monkeypatch.chdir(top)
    monkeypatch.delenv("GITHUB_WORKSPACE")
    assert wording.checkout_prefix(replace(report, root=root or ".")) == prefix
