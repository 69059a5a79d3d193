"""The report for editors and code hosts: a SARIF 2.1.0 log.

Columns are counted in Unicode characters, which the log says (``columnKind``). A message has no
``arguments``, so braces in it are the user's own and stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ascendify.findings import Finding, Occurrence, RuleInfo, Span, Status
from ascendify.reports import wording
from ascendify.reports.model import FileResult, Report, Section, section_of

SCHEMA_URI = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_BASE = "%SRCROOT%"
"""The name of the root of the checkout for code hosts."""
_UNREADABLE = "unreadable-file"
_LEVEL = {
    Section.BLOCKERS: "error",
    Section.DECISIONS: "warning",
    Section.DONE: "note",
    Section.NOTES: "note",
}
_RULE_LEVEL = {
    Status.BLOCKER: "error",
    Status.MANUAL: "warning",
    Status.AUTO_CHECK: "warning",
    Status.AUTO: "note",
    Status.INFO: "note",
}
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")
"""A called index such as ``towers[0](x)``, which viewers would show as a link."""


def to_json(report: Report, *, base: Path | None = None) -> str:
    """The log as a JSON document in ASCII."""
    return json.dumps(to_dict(report, base=base), indent=2) + "\n"


def to_dict(report: Report, *, base: Path | None = None) -> dict[str, Any]:
    """The log as plain data.

    Args:
        report: The report to render.
        base: The root of the checkout, where URIs start; see :func:`wording.checkout_prefix`.
    """
    prefix = wording.checkout_prefix(report, base)
    rules = [report.rule(code) for code in sorted({finding.code for finding in report.findings})]
    indices = {rule.code: index for index, rule in enumerate(rules)}
    results = [
        {
            "ruleIndex": indices[finding.code],
            "message": {"text": _unlinked(wording.message(finding, report))},
            "partialFingerprints": {"ascendify/v1": fingerprint},
            **_result(finding, prefix),
        }
        for finding, fingerprint in zip(report.ordered, _fingerprints(report.ordered))
    ]
    run = {
        "tool": {"driver": _driver(report, rules)},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    _notification(entry, prefix) for entry in report.unreadable
                ],
            }
        ],
        "originalUriBaseIds": {_BASE: {"description": {"text": "The top of the checkout."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {
            "command": report.command,
            "readiness": report.readiness,
            "hoursLeft": report.hours_left,
            "catalogVersion": report.catalog_version,
            "target": report.target,
        },
    }
    return {"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [run]}


def _unlinked(text: str) -> str:
    return _LINK.sub(r"\\[", text)


def _driver(report: Report, rules: list[RuleInfo]) -> dict[str, Any]:
    return {
        "name": "ascendify",
        "version": report.version,
        "rules": [_rule(rule) for rule in rules],
        "notifications": [
            {
                "id": _UNREADABLE,
                "shortDescription": {"text": "A file could not be read and was not analysed."},
            }
        ],
    }


def _rule(rule: RuleInfo) -> dict[str, Any]:
    descriptor: dict[str, Any] = {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "properties": {"tags": [rule.family] if rule.family else [], "page": rule.page},
    }
    if rule.why:
        more = f"Run `ascendify rule {rule.code}` for an example."
        descriptor["fullDescription"] = {"text": rule.why}
        descriptor["help"] = {"text": f"{rule.why}\n\n{more}"}
    if rule.statuses:
        worst = min(rule.statuses, key=lambda status: status.rank)
        descriptor["defaultConfiguration"] = {"level": _RULE_LEVEL[worst]}
    return descriptor


def _result(finding: Finding, prefix: str) -> dict[str, Any]:
    """The fields of a result that depend on its finding only."""
    return {
        "ruleId": finding.code,
        "level": _LEVEL[section_of(finding)],
        "locations": [_location(finding, prefix)],
        **_related(finding, prefix),
        "properties": {
            "status": finding.status.value,
            "possible": finding.possible,
            "stops": finding.stops.value,
            "effort": finding.effort.value,
            "done": finding.done,
            "todo": finding.todo,
        },
    }


def _related(finding: Finding, prefix: str) -> dict[str, Any]:
    """The other places of a finding, each with what was found there."""
    if not finding.also:
        return {}
    locations = [_location(item, prefix) for item in finding.also]
    for item, location in zip(finding.also, locations):
        where = f"{location['message']['text']}: " if "message" in location else ""
        todo = f"\nTo do: {item.todo}" if item.todo else ""
        location["message"] = {"text": where + _unlinked(item.found + todo)}
    return {"relatedLocations": locations}


def _location(finding: Finding | Occurrence, prefix: str) -> dict[str, Any]:
    if finding.cell is None:
        return {"physicalLocation": _physical(finding.path, prefix, _region(finding.span))}
    # A line of a cell is not a line of the notebook file, so the file is named without a region.
    where = f"cell {finding.cell + 1}, line {finding.span.line}"
    return {
        "physicalLocation": _physical(finding.path, prefix),
        "logicalLocations": [{"name": where, "kind": "cell"}],
        "message": {"text": where},
    }


def _physical(
    path: str, prefix: str, region: dict[str, int] | None = None
) -> dict[str, dict[str, Any]]:
    # Undecodable bytes of a file name travel as surrogates and come out as those same bytes.
    uri = quote(prefix + path, errors="surrogateescape")
    location: dict[str, dict[str, Any]] = {"artifactLocation": {"uri": uri, "uriBaseId": _BASE}}
    return {**location, "region": region} if region else location


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _notification(entry: FileResult, prefix: str) -> dict[str, Any]:
    region = None if entry.line is None else {"startLine": entry.line}
    return {
        "descriptor": {"id": _UNREADABLE},
        "level": "warning",
        "message": {"text": wording.unreadable(entry)},
        "locations": [{"physicalLocation": _physical(entry.path, prefix, region)}],
    }


def _fingerprints(findings: tuple[Finding, ...]) -> list[str]:
    """Identify findings by their text, not their line, so that edits above them move no alert.

    Equal findings of a file are numbered.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    fingerprints = []
    for finding in findings:
        key = (finding.code, finding.path, finding.found)
        seen[key] += 1
        text = "\0".join((*key, str(seen[key])))
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        fingerprints.append(digest[:32])
    return fingerprints
