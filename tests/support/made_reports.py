"""Reports made up of statuses and efforts, without a project."""

from __future__ import annotations

from collections.abc import Iterable

from ascendify.findings import Effort, Finding, RuleInfo, Span, Status
from ascendify.reports.model import FileAction, FileResult, Report


def made_up(
    statuses: Iterable[Status] = (),
    *,
    efforts: Iterable[Effort] = (),
    changed: bool = False,
    unreadable: bool = False,
    command: str = "check",
) -> Report:
    """A report with one finding for each status and effort."""
    kinds = [(status, Effort.NONE) for status in statuses]
    kinds += [(Status.MANUAL, effort) for effort in efforts]
    findings = tuple(
        Finding("TF1-SESS-1", status, "train.py", Span(3, 6, 3, 18), "a session", effort=effort)
        for status, effort in kinds
    )
    files = [FileResult("kept.py", FileAction.UNCHANGED)]
    if changed:
        files.append(FileResult("train.py", FileAction.CHANGED, "a = 1\n", "a = 2\n"))
    if unreadable:
        files.append(FileResult("old.py", FileAction.UNREADABLE, reason="Python 2", line=1))
    rule = RuleInfo("TF1-SESS-1", "Give every session an NPU", "Sessions run on the CPU.", "tf1")
    return Report(
        command=command,
        version="0.0.0",
        root="project",
        output=None,
        files=tuple(files),
        findings=findings,
        rules={rule.code: rule},
    )
