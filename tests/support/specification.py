"""Rows of a specification: small projects, what all rules together make of them, and the findings.

A table is a text like those of ``tests/cases``. A row is the file ``main.py``, with these parts::

    #### what this row shows
    <main.py before>
    #### with distributed=tf_strategy npu.precision_mode=allow_mix_precision select=TF2-INIT
    #### file run.sh
    <another file before>
    #### after
    <main.py after>
    #### after run.sh
    <another file after>
    #### findings
    <line> <rule> <status>

Files without an ``after`` stay as they are. Findings of other files than main.py begin with the
path. The whole pipeline runs, from the survey of the project on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ascendify.findings import Finding
from ascendify.migrate.pipeline import check
from ascendify.migrate.settings import load as settings_of
from ascendify.reports.model import Report

MAIN = "main.py"


@dataclass(eq=False)
class Row:
    """One shape of the specification."""

    title: str
    files: dict[str, str]
    after: dict[str, str] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What became of a row."""

    after: dict[str, str]
    findings: list[str]


def load(path: Path) -> list[Row]:
    """The rows of one table."""
    rows: list[Row] = []
    parts = re.split(r"^#### (.*)\n", path.read_text(encoding="utf-8"), flags=re.M)[1:]
    for header, body in zip(parts[::2], parts[1::2]):
        word, _, rest = header.strip().partition(" ")
        if word == "after":
            rows[-1].after[rest or MAIN] = body
        elif header.strip() == "findings":
            rows[-1].findings = body.splitlines()
        elif word == "with":
            rows[-1].settings.update(item.partition("=")[::2] for item in rest.split())
        elif word == "file":
            rows[-1].files[rest] = body
        else:
            rows.append(Row(header.strip(), {MAIN: body}))
    return rows


def outcome(row: Row, folder: Path) -> Outcome:
    """Run all rules over the project of a row, written below a folder."""
    for name, content in row.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    report = check(settings_of(folder, jobs=1, **_given(row.settings)))
    after = {item.path: item.after for item in report.files if item.after is not None}
    known = {path: text for path, text in after.items() if path in row.files}
    return Outcome(known, brief(report))


def _given(settings: dict[str, str]) -> dict[str, Any]:
    options = {key[4:]: value for key, value in settings.items() if key.startswith("npu.")}
    given: dict[str, Any] = {"framework": "tf2", "npu": options}
    if "distributed" in settings:
        given["distributed"] = settings["distributed"]
    if "select" in settings:
        given["select"] = tuple(settings["select"].split(","))
    return given


def brief(report: Report) -> list[str]:
    """The findings of a report in the order of the files, as the tables write them."""
    found = sorted(report.findings, key=lambda item: (item.path != MAIN, item.path, item.span))
    return [_line(item) for item in found]


def _line(finding: Finding) -> str:
    place = "" if finding.path == MAIN else f"{finding.path}:"
    status = "possible" if finding.possible else finding.status.value
    return f"{place}{finding.span.line} {finding.code} {status}"
