"""The SARIF log: valid against the standard's schema, and what editors and code hosts rely on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import jsonschema
import pytest

from ascendify.findings import Finding, Span, Status
from ascendify.reports import sarif
from ascendify.reports.model import Report

Make = Callable[..., Finding]
SCHEMA = Path(__file__).parent / "data" / "sarif-2.1.0.schema.json"


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return jsonschema.Draft202012Validator(schema, format_checker=checker)


def run_of(report: Report, base: Path | None = None) -> dict[str, Any]:
    log = sarif.to_dict(report, base=base)
    assert len(log["runs"]) == 1
    run: dict[str, Any] = log["runs"][0]
    return run


def result_for(report: Report, path: str) -> dict[str, Any]:
    results = run_of(report)["results"]
    return next(r for r, f in zip(results, report.ordered) if f.path == path)


def test_valid(report: Report, clean: Report, validator: jsonschema.Draft202012Validator) -> None:
    for each in (report, clean, replace(report, rules={})):
        validator.validate(json.loads(sarif.to_json(each)))


@pytest.mark.parametrize(
    ("key", "value"),
    [("level", "blocker"), ("message", {"txt": "x"}), ("ruleIndex", -2), ("locations", {})],
)
def test_the_schema_bites(
    report: Report, validator: jsonschema.Draft202012Validator, key: str, value: object
) -> None:
    log = sarif.to_dict(report)
    log["runs"][0]["results"][0][key] = value
    assert not validator.is_valid(log)


@pytest.mark.parametrize(
    ("status", "possible", "level"),
    [
        (Status.BLOCKER, False, "error"),
        (Status.MANUAL, False, "warning"),
        (Status.AUTO_CHECK, False, "warning"),
        (Status.AUTO, False, "note"),
        (Status.AUTO, True, "warning"),
        (Status.INFO, False, "note"),
    ],
)
def test_levels(clean: Report, make: Make, status: Status, possible: bool, level: str) -> None:
    report = replace(clean, findings=(make("X", status, "a.py", possible=possible),))
    assert [result["level"] for result in run_of(report)["results"]] == [level]


def test_rules_explain_themselves(report: Report) -> None:
    run = run_of(report)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted(report.rules)
    session = next(rule for rule in rules if rule["id"] == "TF1-SESS-1")
    assert session["shortDescription"]["text"] == "Session configuration"
    assert session["help"]["text"].startswith("Without the NPU entry in its config a session")
    assert session["defaultConfiguration"] == {"level": "warning"}, "the worst it can be"
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_regions_count_characters_and_end_after_the_last(report: Report) -> None:
    run = run_of(report)
    assert run["columnKind"] == "unicodeCodePoints"
    session = next(r for r in run["results"] if r["properties"]["done"].startswith("passed"))
    location = next(
        r["locations"][0]["physicalLocation"]
        for r in run["results"]
        if r["ruleId"] == "TF1-SESS-1" and "region" in r["locations"][0]["physicalLocation"]
    )
    assert session["message"]["text"].endswith("Done: passed config=npu_config_proto()")
    assert location["region"] == {
        "startLine": 3,
        "startColumn": 8,
        "endLine": 3,
        "endColumn": 20,
    }


def test_paths_are_relative_uris(report: Report) -> None:
    location = result_for(report, "data/输入 管道.py")["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {
        "uri": "data/%E8%BE%93%E5%85%A5%20%E7%AE%A1%E9%81%93.py",
        "uriBaseId": "%SRCROOT%",
    }
    assert "%SRCROOT%" in run_of(report)["originalUriBaseIds"]


def test_paths_count_from_the_checkout(report: Report, tmp_path: Path) -> None:
    inside = replace(report, root=str(tmp_path / "jobs"))
    uris = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in run_of(inside, tmp_path)["results"]
    }
    assert "jobs/train.py" in uris


def test_undecodable_names_keep_their_bytes(clean: Report, make: Make) -> None:
    report = replace(clean, findings=(make("X", Status.INFO, "caf\udce9.py"),))
    location = result_for(report, "caf\udce9.py")["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "caf%E9.py"


def test_a_notebook_cell_claims_no_line_of_the_file(report: Report) -> None:
    location = result_for(report, "notebooks/demo.ipynb")["locations"][0]
    assert "region" not in location["physicalLocation"]
    assert location["logicalLocations"] == [{"name": "cell 4, line 2", "kind": "cell"}]


def test_code_in_a_message_is_no_link(report: Report) -> None:
    texts = [result["message"]["text"] for result in run_of(report)["results"]]
    assert any("feed={0: x\\[1](y)})" in text for text in texts)


def test_unreadable_files_are_notifications(report: Report) -> None:
    (invocation,) = run_of(report)["invocations"]
    assert invocation["executionSuccessful"] is True
    first, second = invocation["toolExecutionNotifications"]
    assert first["message"]["text"] == "old/blob.py: not UTF-8 text"
    assert second["locations"][0]["physicalLocation"]["region"] == {"startLine": 14}


def fingerprints(report: Report) -> list[str]:
    return [r["partialFingerprints"]["ascendify/v1"] for r in run_of(report)["results"]]


def test_fingerprints_do_not_move_with_the_lines(report: Report) -> None:
    moved = tuple(
        replace(f, span=Span(f.span.line + 100, 1, f.span.end_line + 100, 9))
        for f in report.findings
    )
    assert fingerprints(replace(report, findings=moved)) == fingerprints(report)


def test_fingerprints_tell_findings_apart(clean: Report, make: Make) -> None:
    findings = (
        make("X", Status.AUTO, "a.py", 1),
        make("X", Status.AUTO, "a.py", 9),
        make("X", Status.AUTO, "b.py", 1),
        make("Y", Status.AUTO, "a.py", 1, found="X found here"),
    )
    assert len(set(fingerprints(replace(clean, findings=findings)))) == 4
