"""Exit codes of commands with a report: 0 all is well, 1 there are findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ascendify.reports.model import Report

CLEAN = 0
FINDINGS = 1


def after_check(report: Report, fail_under: int | None) -> int:
    """The exit code of ``check``: 1 for findings above info, or for a score below a limit."""
    if fail_under is not None:
        return after_migrate(report, fail_under)
    from ascendify.findings import Status

    found = any(finding.status is not Status.INFO for finding in report.findings)
    return FINDINGS if found or report.unreadable else CLEAN


def after_migrate(report: Report, fail_under: int | None) -> int:
    """The exit code of ``migrate``: 1 for a score below the limit."""
    return FINDINGS if fail_under is not None and report.readiness < fail_under else CLEAN


def after_diff(report: Report) -> int:
    """The exit code of ``migrate --diff``: 1 where something would change."""
    return FINDINGS if report.rewritten_files else CLEAN
