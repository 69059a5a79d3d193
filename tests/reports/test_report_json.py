"""The JSON report: complete, and valid against its published schema, which is strict."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any, Callable

import jsonschema
import pytest

from ascendify.findings import Effort, Finding, RuleInfo, Span, Status
from ascendify.reports import json_
from ascendify.reports.model import ApiUse, FileAction, FileResult, Place, Report

Make = Callable[..., Finding]


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json_.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def read_back(data: dict[str, Any]) -> Report:
    """The report a document tells of: possible only when the document holds all of the model."""
    findings = tuple(
        Finding(
            item["code"],
            Status(item["status"]),
            item["path"],
            Span(**item["span"]),
            item["found"],
            item["done"],
            item["todo"],
            Effort(item["effort"]),
            item["possible"],
            item["cell"],
        )
        for item in data["findings"]
    )
    apis = tuple(
        ApiUse(
            item["api"],
            item["support"],
            item["vendor"],
            item["note"],
            item["count"],
            tuple(Place(**place) for place in item["places"]),
        )
        for item in data["apis"]
    )
    files = tuple(
        FileResult(**{**item, "action": FileAction(item["action"])}) for item in data["files"]
    )
    rules = {
        code: RuleInfo(
            code,
            rule["title"],
            rule["why"],
            rule["family"],
            tuple(Status(status) for status in rule["statuses"]),
        )
        for code, rule in data["rules"].items()
    }
    return Report(
        data["command"],
        data["tool"]["version"],
        data["root"],
        data["output"],
        files,
        findings,
        apis,
        rules,
        data["catalog_version"],
    )


def test_the_whole_model_is_there(report: Report) -> None:
    in_order = replace(report, findings=report.ordered, apis=report.ordered_apis)
    assert read_back(json.loads(json_.to_json(report))) == in_order


def test_derived_numbers(report: Report) -> None:
    summary = json_.to_dict(report)["summary"]
    assert summary["readiness"] == 25
    assert summary["hours_left"] == 31.5
    assert summary["effort"] == "rewrite"
    assert summary["effort_reasons"][1] == {
        "code": "TF1-DATA-5",
        "effort": "hours",
        "count": 2,
        "hours": 3.6,
    }
    assert summary["by_status"] == {
        "blocker": 1,
        "manual": 2,
        "auto-check": 1,
        "auto": 4,
        "info": 1,
    }
    assert summary["by_section"] == {"blockers": 1, "decisions": 4, "done": 3, "notes": 1}
    assert summary["by_path"]["train.py"] == 5


@pytest.mark.parametrize("texts", [True, False])
def test_valid(
    report: Report, clean: Report, validator: jsonschema.Draft202012Validator, texts: bool
) -> None:
    for each in (report, clean):
        validator.validate(json_.to_dict(each, texts=texts))


def test_without_texts_no_code_travels(report: Report) -> None:
    assert "npu_config_proto\n" not in json_.to_json(report, texts=False)
    assert "before" not in json_.to_dict(report, texts=False)["files"][0]


def test_any_name_survives_in_ascii(clean: Report, make: Make) -> None:
    odd = replace(clean, findings=(make("X", Status.INFO, "步/caf\udce9.py"),))
    document = json_.to_json(odd)
    assert document.isascii()
    assert json.loads(document)["findings"][0]["path"] == "步/caf\udce9.py"


def _set(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = to

    return change


def _drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return change


@pytest.mark.parametrize(
    "break_it",
    [
        pytest.param(_set("schema_version", to="2.0"), id="another version"),
        pytest.param(_set("surprise", to=1), id="unknown field"),
        pytest.param(_drop("output"), id="missing field"),
        pytest.param(_set("command", to="fix"), id="unknown command"),
        pytest.param(_set("summary", "readiness", to=101), id="readiness above 100"),
        pytest.param(_set("summary", "readiness", to=49.5), id="readiness not whole"),
        pytest.param(_set("summary", "hours_left", to=-1), id="negative hours"),
        pytest.param(_drop("summary", "by_status", "info"), id="a status not counted"),
        pytest.param(_set("summary", "by_action", "moved", to=1), id="unknown action counted"),
        pytest.param(
            _set("summary", "effort_reasons", 0, "effort", to="none"), id="a reason of no effort"
        ),
        pytest.param(_set("findings", 0, "status", to="warning"), id="unknown status"),
        pytest.param(_set("findings", 0, "section", to=None), id="no section"),
        pytest.param(_set("findings", 0, "span", "line", to=0), id="line 0"),
        pytest.param(_drop("findings", 0, "span", "end_column"), id="half a span"),
        pytest.param(_set("findings", 0, "found", to=""), id="nothing found"),
        pytest.param(_set("findings", 0, "possible", to="no"), id="possible is not a string"),
        pytest.param(_set("findings", 0, "cell", to=-1), id="negative cell"),
        pytest.param(_set("rules", "TF1-SESS-1", "statuses", to=["fatal"]), id="rule status"),
        pytest.param(_set("apis", 0, "count", to=0), id="an API used nowhere"),
        pytest.param(_set("apis", 0, "places", 0, "line", to="5"), id="line as text"),
        pytest.param(_set("files", 0, "action", to="moved"), id="unknown action"),
        pytest.param(_drop("files", 0, "after"), id="before without after"),
        pytest.param(_set("files", 6, "reason", to=""), id="unreadable without reason"),
    ],
)
def test_invalid(
    report: Report,
    validator: jsonschema.Draft202012Validator,
    break_it: Callable[[dict[str, Any]], None],
) -> None:
    data = copy.deepcopy(json_.to_dict(report))
    break_it(data)
    assert not validator.is_valid(data)
