"""The report for programs: JSON in a published, versioned schema that holds the whole model."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib import resources
from typing import Any

from ascendify.findings import Finding, RuleInfo
from ascendify.reports.model import ApiUse, FileResult, Report, section_of

SCHEMA_VERSION = "1.4"
"""A new field raises the second number; a field that changes or goes raises the first."""


def schema() -> dict[str, Any]:
    """The JSON schema of what :func:`to_dict` returns."""
    file = resources.files("ascendify.reports") / "schema" / "report-1.json"
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


def to_json(report: Report, *, texts: bool = True) -> str:
    """The report as a JSON document in ASCII, so that no pipe or console can garble it."""
    return json.dumps(to_dict(report, texts=texts), indent=2) + "\n"


def to_dict(report: Report, *, texts: bool = True) -> dict[str, Any]:
    """The report as plain data.

    Args:
        report: The report to render.
        texts: Whether rewritten files come with their texts before and after; without them the
            document is smaller and carries none of the user's code but what findings quote.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ascendify", "version": report.version},
        "command": report.command,
        "root": report.root,
        "output": report.output,
        "catalog_version": report.catalog_version,
        "target": report.target,
        "offer": report.offer,
        "summary": _summary(report),
        "findings": [_finding(finding) for finding in report.ordered],
        "rules": {code: _rule(rule) for code, rule in sorted(report.rules.items())},
        "apis": [_api(use) for use in report.ordered_apis],
        "mentions": [asdict(item) for item in report.mentions],
        "files": [_file(entry, texts=texts) for entry in report.files],
    }


def _summary(report: Report) -> dict[str, Any]:
    return {
        "readiness": report.readiness,
        "effort": report.effort.value,
        "hours_left": report.hours_left,
        "effort_reasons": [
            {
                "code": reason.code,
                "effort": reason.effort.value,
                "count": reason.count,
                "hours": round(reason.hours, 2),
            }
            for reason in report.effort_reasons
        ],
        "findings": len(report.findings),
        "analysed": report.analysed,
        "already_migrated": report.already_migrated,
        "by_status": {status.value: count for status, count in report.by_status.items()},
        "by_section": {section.value: count for section, count in report.by_section.items()},
        "by_action": {action.value: count for action, count in report.by_action.items()},
        "by_code": report.by_code,
        "by_path": report.by_path,
        "by_support": report.by_support,
        "by_stop": {stop.value: count for stop, count in report.by_stop.items()},
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "status": finding.status.value,
        "section": section_of(finding).value,
        "path": finding.path,
        "cell": finding.cell,
        "span": asdict(finding.span),
        "found": finding.found,
        "done": finding.done,
        "todo": finding.todo,
        "effort": finding.effort.value,
        "possible": finding.possible,
        "stops": finding.stops.value,
        "also": [asdict(item) for item in finding.also],
        "unlisted": finding.unlisted,
    }


def _rule(rule: RuleInfo) -> dict[str, Any]:
    return {
        "title": rule.title,
        "why": rule.why,
        "family": rule.family,
        "statuses": [status.value for status in rule.statuses],
        "page": rule.page,
    }


def _api(use: ApiUse) -> dict[str, Any]:
    return {
        "api": use.api,
        "support": use.support,
        "vendor": use.vendor,
        "needs_care": use.needs_care,
        "note": use.note,
        "count": use.count,
        "places": [asdict(place) for place in use.places],
    }


def _file(entry: FileResult, *, texts: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "path": entry.path,
        "action": entry.action.value,
        "reason": entry.reason,
        "line": entry.line,
        "migrated": entry.migrated,
        "encoding": entry.encoding,
    }
    return {**data, "before": entry.before, "after": entry.after} if texts else data
