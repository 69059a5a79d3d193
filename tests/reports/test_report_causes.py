"""Findings with one cause: a report has one of them, which lists every place."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Callable

import jsonschema
import openpyxl
import pytest

from ascendify.findings import Effort, Finding, Occurrence, Status, by_cause, by_place
from ascendify.reports import github, json_, sarif, text, xlsx
from ascendify.reports.model import Report

Make = Callable[..., Finding]


def manual(make: Make, path: str, line: int, cause: str, **fields: object) -> Finding:
    found = f"queue on line {line}"
    return make("TF1-DATA-5", Status.MANUAL, path, line, found=found, cause=cause, **fields)


@pytest.mark.parametrize(
    ("second", "joined"),
    [
        pytest.param({}, True, id="one cause"),
        pytest.param({"path": "b.py"}, True, id="one cause in two files"),
        pytest.param({"todo": "Pad to 8."}, True, id="advice for another size"),
        pytest.param({"cause": "b.py"}, False, id="another cause"),
        pytest.param({"cause": ""}, False, id="no cause named"),
        pytest.param({"code": "TF1-DATA-1"}, False, id="another rule"),
        pytest.param({"status": Status.BLOCKER}, False, id="another status"),
        pytest.param({"possible": True}, False, id="only possible"),
    ],
)
def test_joined(make: Make, second: dict[str, object], joined: bool) -> None:
    first = manual(make, "a.py", 3, "a.py")
    other = replace(manual(make, "a.py", 9, "a.py"), **second)  # type: ignore[arg-type]
    assert (len(by_cause([first, other])) == 1) is joined


def test_findings_without_a_cause_stay_apart(make: Make) -> None:
    findings = [manual(make, "a.py", line, "") for line in (3, 9)]
    assert by_cause(findings) == findings


def test_the_first_place_stays_and_each_has_its_effort(clean: Report, make: Make) -> None:
    first = manual(make, "a.py", 3, "a.py", effort=Effort.MINUTES)
    other = manual(make, "a.py", 9, "a.py", effort=Effort.HOURS, cell=2)
    (found,) = by_cause([first, other])
    also = (Occurrence("a.py", other.span, "queue on line 9", effort=Effort.HOURS, cell=2),)
    assert found == replace(first, also=also)
    assert list(by_place([found])) == [first, other]
    reasons = replace(clean, findings=(found,)).effort_reasons
    assert [(item.effort, item.count) for item in reasons] == [
        (Effort.HOURS, 1), (Effort.MINUTES, 1),
    ]  # fmt: skip


def test_other_advice_is_kept(clean: Report, make: Make) -> None:
    first = manual(make, "a.py", 3, "a.py", todo="Use Dataset.range.")
    (found,) = by_cause([first, *(replace(first, todo=todo) for todo in (first.todo, "Pad."))])
    assert [item.todo for item in found.also] == ["", "Pad."]
    report = replace(clean, findings=(found,))
    assert "        to do: Pad.\n" in text.to_text(report, 1)
    (result,) = sarif.to_dict(report)["runs"][0]["results"]
    assert result["relatedLocations"][1]["message"]["text"].endswith("\nTo do: Pad.")


@pytest.fixture
def shared(clean: Report, make: Make) -> Report:
    """One cause with eight places in two files."""
    findings = [
        *(manual(make, "a.py", line, "queues", effort=Effort.HOURS) for line in range(1, 7)),
        *(manual(make, "b.py", line, "queues", effort=Effort.HOURS, cell=1) for line in (4, 5)),
    ]
    return replace(clean, findings=tuple(by_cause(findings)))


def test_findings_count_causes_and_effort_counts_places(shared: Report) -> None:
    assert shared.by_status[Status.MANUAL] == 1
    assert shared.by_path == {"a.py": 6, "b.py": 2}
    (group,) = shared.groups
    assert (group.count, group.places, group.files) == (1, 8, 2)
    assert shared.effort_reasons[0].count == 8


def test_further_places_of_a_cause_cost_minutes(clean: Report, shared: Report, make: Make) -> None:
    apart = [manual(make, "a.py", line, "", effort=Effort.HOURS) for line in range(1, 9)]
    assert replace(clean, findings=tuple(apart)).hours_left == 3.0 + 7 * 0.2 * 3.0
    assert shared.hours_left == 3.0 + 7 * 0.2 * 0.25


def test_text(shared: Report) -> None:
    page = text.to_text(shared)
    assert "TF1-DATA-5 x8 in 2 files" in page
    assert (
        "    a.py:1:5 TF1-DATA-5 queue on line 1\n"
        "      also at: a.py:2:5, a.py:3:5, a.py:4:5, a.py:5:5, a.py:6:5"
        " and 2 more (-v shows all)\n"
    ) in page
    assert "      b.py:cell 2:5:5 also: queue on line 5\n" in text.to_text(shared, 1)


def test_json(shared: Report) -> None:
    data = json_.to_dict(shared)
    jsonschema.Draft202012Validator(json_.schema()).validate(data)
    (found,) = data["findings"]
    span = {"line": 5, "column": 5, "end_line": 5, "end_column": 17}
    last = {
        "path": "b.py", "span": span, "found": "queue on line 5", "todo": "", "effort": "hours",
        "cell": 1,
    }  # fmt: skip
    assert (len(found["also"]), found["also"][-1]) == (7, last)


def test_sarif(shared: Report) -> None:
    (result,) = sarif.to_dict(shared)["runs"][0]["results"]
    related = result["relatedLocations"]
    assert related[0]["physicalLocation"]["region"]["startLine"] == 2
    assert related[0]["message"]["text"] == "queue on line 2"
    assert related[-1]["message"]["text"] == "cell 2, line 5: queue on line 5"


def test_github(shared: Report) -> None:
    annotation, *_ = github.to_text(shared).splitlines()
    assert annotation.endswith("a.py:6:5, b.py:cell 2:4:5, b.py:cell 2:5:5")


def test_xlsx(shared: Report) -> None:
    sheet = openpyxl.load_workbook(io.BytesIO(xlsx.to_bytes(shared)))["Findings"]
    header, row = sheet.iter_rows(values_only=True)
    cell = dict(zip(header, row))["Also at"]
    assert isinstance(cell, str)
    assert cell.splitlines()[-1] == "b.py:cell 2:5:5"


def test_places_that_are_only_counted(clean: Report, make: Make) -> None:
    listed = manual(make, "a.py", 3, "", effort=Effort.MINUTES)
    report = replace(clean, findings=(listed, replace(listed, unlisted=998)))
    (group,) = report.groups
    assert (group.count, group.places) == (2, 1000)
    assert report.by_path == {"a.py": 1000}
    assert [(item.effort, item.count) for item in report.effort_reasons] == [(Effort.MINUTES, 1000)]
    data = json_.to_dict(report)
    jsonschema.validate(data, json_.schema())
    assert [item["unlisted"] for item in data["findings"]] == [0, 998]
    assert "x1000 in 1 file" in text.to_text(report)
    assert "Work through 1000 manual findings." in text.to_text(report)
