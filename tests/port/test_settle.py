"""What a strict run has shown closes findings, what it met makes them certain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ascendify.emulation.shown import Fed, Shown
from ascendify.findings import Effort, Finding, Span, Status, by_cause
from ascendify.port.settle import TESTS, is_shown, settle
from ascendify.reports.model import FileAction, FileResult, Report
from ascendify.rules.registry import codes

BEFORE = "import os\nx = tf.placeholder(tf.float32, [None, 4])\ny = tf.where(x > 0)\n"
AFTER = "import os\nimport npu\nx = tf.placeholder(tf.float32, [None, 4])\ny = tf.where(x > 0)\n"
PLACEHOLDER, WHERE = 3, 4
"""Their lines after the migration."""


def finding(code: str, line: int, status: Status = Status.MANUAL, **changes: object) -> Finding:
    made = Finding(
        code, status, "train.py", Span(line, 1, line, 9), "found", todo="do it", effort=Effort.HOURS
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # fields of a finding


def settled(
    tmp_path: Path, open_finding: Finding, shown: Shown, *met: Finding, text: str = AFTER
) -> Finding:
    (tmp_path / "train.py").write_text(text)
    entry = FileResult("train.py", FileAction.CHANGED, BEFORE, AFTER)
    report = Report("migrate", "1", "in", "out", (entry,), (open_finding,))
    strict = replace(report, command="verify", files=(), findings=met)
    return settle(report, strict, shown, tmp_path).findings[0]


def fed(shapes: int, runs: int, line: int = PLACEHOLDER) -> Shown:
    return Shown(feeds={("train.py", line): Fed(shapes, runs)})


def ran(line: int) -> Shown:
    return Shown(lines={"train.py": frozenset({line})})


CLOSED = {
    "one shape in several runs": (finding("TF1-DATA-4", 2), fed(1, 5), "one shape in 5 runs"),
    "operators that ran": (finding("TF1-SHAPE-1", 3), ran(WHERE), "its shape is known"),
    "a blocker that the run refuted": (
        finding("TF1-TYPE-2", 3, Status.BLOCKER), ran(WHERE), "no string reached the device",
    ),
    "a session that was closed": (
        finding("TF1-SESS-2", 2),
        Shown(sessions={("train.py", PLACEHOLDER): True}),
        "the session was closed",
    ),
    "what is only possible": (
        finding("TF1-SHAPE-1", 3, Status.AUTO_CHECK, possible=True), ran(WHERE), "its shape",
    ),
}  # fmt: skip
OPEN = {
    "two shapes": (finding("TF1-DATA-4", 2), fed(2, 5)),
    "one run proves nothing": (finding("TF1-DATA-4", 2), fed(1, 1)),
    "another placeholder": (finding("TF1-DATA-4", 2), fed(1, 5, WHERE)),
    "code that did not run": (finding("TF1-SHAPE-1", 3), ran(PLACEHOLDER)),
    "a session left open": (
        finding("TF1-SESS-2", 2), Shown(sessions={("train.py", PLACEHOLDER): False}),
    ),
    "a rule that no run can settle": (finding("TF1-GPU-3", 3), ran(WHERE)),
    "what is done already": (finding("TF1-SHAPE-1", 3, Status.AUTO, todo=""), ran(WHERE)),
}  # fmt: skip


@pytest.mark.parametrize(("before", "shown", "words"), CLOSED.values(), ids=CLOSED)
def test_a_run_closes(tmp_path: Path, before: Finding, shown: Shown, words: str) -> None:
    after = settled(tmp_path, before, shown)
    assert is_shown(after)
    assert words in after.done
    assert (after.status, after.effort, after.todo) == (Status.INFO, Effort.NONE, "")
    assert not after.possible


@pytest.mark.parametrize(("before", "shown"), OPEN.values(), ids=OPEN)
def test_a_run_does_not_close(tmp_path: Path, before: Finding, shown: Shown) -> None:
    assert settled(tmp_path, before, shown) == before


@pytest.mark.parametrize("status", [Status.BLOCKER, Status.MANUAL])
def test_what_the_run_met_is_certain(tmp_path: Path, status: Status) -> None:
    met = finding("EMU-SHAPE-1", WHERE, status, found="Where gives an open shape")
    before = finding("TF1-SHAPE-1", 3, Status.AUTO_CHECK, possible=True)
    after = settled(tmp_path, before, ran(WHERE), met)
    assert after.status is status
    assert not after.possible
    assert after.found == "found; verify met it: Where gives an open shape (EMU-SHAPE-1)"
    assert after.todo == "do it"


def test_lines_are_those_of_the_port_as_people_edited_it(tmp_path: Path) -> None:
    text = "# mine\n" + AFTER
    before = finding("TF1-DATA-4", 2)
    assert is_shown(settled(tmp_path, before, fed(1, 5, PLACEHOLDER + 1), text=text))
    assert not is_shown(settled(tmp_path, before, fed(1, 5), text=text))


def test_the_rules_exist() -> None:
    assert set(TESTS) <= set(codes())


def test_a_note_that_the_run_met_is_work(tmp_path: Path) -> None:
    note = finding("TF1-DATA-4", 2, Status.INFO, effort=Effort.NONE)
    met = finding("EMU-SHAPE-2", PLACEHOLDER, found="fed two shapes", effort=Effort.MINUTES)
    after = settled(tmp_path, note, fed(2, 5), met)
    assert (after.status, after.effort) == (Status.MANUAL, Effort.MINUTES)
    assert settled(tmp_path, note, fed(1, 5)) == note


def test_the_places_of_one_cause_are_settled_one_by_one(tmp_path: Path) -> None:
    places = [finding("TF1-SHAPE-1", line, cause="train.py") for line in (2, 3)]
    (tmp_path / "train.py").write_text(AFTER)
    entry = FileResult("train.py", FileAction.CHANGED, BEFORE, AFTER)
    report = Report("migrate", "1", "in", "out", (entry,), tuple(by_cause(places)))
    strict = replace(report, command="verify", files=(), findings=())
    assert len(report.findings) == 1
    left, closed = settle(report, strict, ran(WHERE), tmp_path).findings
    assert (left.span.line, is_shown(left)) == (2, False)
    assert (closed.span.line, is_shown(closed)) == (3, True)
    (both,) = settle(report, strict, Shown(), tmp_path).findings
    assert both == report.findings[0]
