"""The numbers and orders of the report that every renderer shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable

import pytest

from ascendify.findings import Effort, Finding, RuleInfo, Status
from ascendify.reports.model import ApiUse, FileAction, Report, Section, section_of

Make = Callable[..., Finding]


@pytest.mark.parametrize(
    ("status", "possible", "section"),
    [
        pytest.param(Status.BLOCKER, False, Section.BLOCKERS, id="blocker"),
        pytest.param(Status.BLOCKER, True, Section.BLOCKERS, id="possible blocker is read first"),
        pytest.param(Status.MANUAL, False, Section.DECISIONS, id="manual"),
        pytest.param(Status.AUTO_CHECK, False, Section.DECISIONS, id="auto-check"),
        pytest.param(Status.AUTO, True, Section.DECISIONS, id="possible rewrite was not made"),
        pytest.param(Status.AUTO, False, Section.DONE, id="auto"),
        pytest.param(Status.INFO, False, Section.NOTES, id="info"),
        pytest.param(Status.INFO, True, Section.NOTES, id="possible info asks for nothing"),
    ],
)
def test_section(make: Make, status: Status, possible: bool, section: Section) -> None:
    assert section_of(make("X", status, "a.py", possible=possible)) is section


def test_every_finding_is_in_one_group(report: Report) -> None:
    grouped = [finding for group in report.groups for finding in group.findings]
    assert sorted(grouped, key=lambda f: f.sort_key) == list(report.ordered)
    assert sum(report.by_section.values()) == len(report.findings) == sum(report.by_path.values())


def test_groups_are_in_reading_order(report: Report) -> None:
    assert [(g.section, g.status, g.possible, g.code, g.count) for g in report.groups] == [
        (Section.BLOCKERS, Status.BLOCKER, False, "TF1-DTYPE-1", 1),
        (Section.DECISIONS, Status.MANUAL, False, "TF1-DATA-5", 2),
        (Section.DECISIONS, Status.AUTO_CHECK, False, "TF1-DATA-1", 1),
        (Section.DECISIONS, Status.AUTO, True, "TF1-DATA-1", 1),
        (Section.DONE, Status.AUTO, False, "TF1-SESS-1", 2),
        (Section.DONE, Status.AUTO, False, "HVD-INIT-1", 1),
        (Section.NOTES, Status.INFO, False, "TF1-LOG-1", 1),
    ]


def test_the_certain_is_read_before_the_possible(clean: Report, make: Make) -> None:
    findings = (
        make("P", Status.MANUAL, "a.py", possible=True),
        make("C", Status.AUTO_CHECK, "a.py"),
        make("D", Status.MANUAL, "a.py", effort=Effort.MINUTES),
        make("E", Status.MANUAL, "a.py", effort=Effort.HOURS),
        make("B", Status.MANUAL, "a.py", effort=Effort.MINUTES),
        make("D", Status.MANUAL, "b.py", effort=Effort.MINUTES),
    )
    groups = replace(clean, findings=findings).groups
    assert [group.code for group in groups] == ["E", "D", "B", "C", "P"]


def test_effort_reasons_add_up(report: Report) -> None:
    reasons = [(r.code, r.effort, r.count, round(r.hours, 2)) for r in report.effort_reasons]
    assert reasons == [
        ("TF1-DTYPE-1", Effort.REWRITE, 1, 24.0),
        ("TF1-DATA-5", Effort.HOURS, 2, 3.6),
        ("unreadable files", Effort.HOURS, 2, 3.6),
        ("TF1-DATA-1", Effort.MINUTES, 2, 0.3),
    ]
    assert report.hours_left == 31.5


@pytest.mark.parametrize(
    ("efforts", "hours", "readiness"),
    [
        pytest.param([], 0.0, 100, id="nothing left"),
        pytest.param([Effort.NONE], 0.0, 100, id="findings that cost nothing"),
        pytest.param([Effort.HOURS], 3.0, 87, id="once"),
        pytest.param([Effort.HOURS] * 6, 6.0, 77, id="five repeats cost as much as the first"),
        pytest.param([Effort.REWRITE], 24.0, 35, id="three days"),
    ],
)
def test_effort_and_readiness(
    clean: Report, make: Make, efforts: list[Effort], hours: float, readiness: int
) -> None:
    findings = tuple(make("X", Status.MANUAL, "a.py", n, effort=e) for n, e in enumerate(efforts))
    report = replace(clean, findings=findings)
    assert (report.hours_left, report.readiness) == (hours, readiness)


def test_a_blocker_keeps_readiness_below_half(clean: Report, make: Make) -> None:
    report = replace(clean, findings=(make("X", Status.BLOCKER, "a.py"),))
    assert report.readiness == 49


@pytest.mark.parametrize(
    ("status", "foretells", "readiness"),
    [
        pytest.param(Status.MANUAL, ("EMU-BATCH-1",), 90, id="a strict run stops"),
        pytest.param(Status.MANUAL, (), 98, id="no strict run stops for it"),
        pytest.param(Status.INFO, ("EMU-BATCH-1",), 98, id="nothing is left to do"),
    ],
)
def test_what_stops_a_strict_run_keeps_readiness_at_90(
    clean: Report, make: Make, status: Status, foretells: tuple[str, ...], readiness: int
) -> None:
    rule = RuleInfo("X", "X", "", foretells=foretells)
    finding = make("X", status, "a.py", effort=Effort.MINUTES)
    assert replace(clean, findings=(finding,), rules={"X": rule}).readiness == readiness


def test_apis_worst_first_and_unknown_statuses_need_care(report: Report) -> None:
    novel = ApiUse("tf.new", "half-supported", "?", "", 99)
    ordered = replace(report, apis=(*report.apis, novel)).ordered_apis
    assert [use.support for use in ordered] == [
        "unsupported",
        "manual",
        "tool_train",
        "analysing",
        "deprecated",
        "half-supported",
        "na",
        "harmless",
        "tool",
        "supported",
    ]
    assert [use.support for use in ordered if not use.needs_care] == [
        "harmless",
        "tool",
        "supported",
    ]


def test_files(report: Report) -> None:
    assert report.analysed == 5
    assert report.already_migrated == 1
    assert [entry.path for entry in report.unreadable] == ["old/blob.py", "old/py2.py"]
    assert [entry.path for entry in report.rewritten_files] == [
        "notebooks/demo.ipynb",
        "npu_options.py",
        "train.py",
    ]
    assert all(report.by_action[action] for action in FileAction)


def test_a_rule_nobody_described_goes_by_its_code(report: Report) -> None:
    assert report.rule("NEW-1").title == "NEW-1"
    assert report.rule("TF1-SESS-1").title == "Session configuration"
