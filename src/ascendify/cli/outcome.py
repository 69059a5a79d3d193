"""What a finished run tells the shell: 0 all is well, 1 there is something to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ascendify.reports.model import Report

CLEAN = 0
FINDINGS = 1


def checked(report: Report, fail_under: int | None) -> int:
    """Of ``check``: anything but information counts, unless the score is what counts."""
    if fail_under is not None:
        return migrated(report, fail_under)
    from ascendify.findings import Status

    told = any(finding.status is not Status.INFO for finding in report.findings)
    return FINDINGS if told or report.unreadable else CLEAN


def migrated(report: Report, fail_under: int | None) -> int:
    """Of ``migrate``: only a score below the one asked for counts."""
    return FINDINGS if fail_under is not None and report.readiness < fail_under else CLEAN


def differs(report: Report) -> int:
    """Of ``migrate --diff``: a change counts."""
    return FINDINGS if report.rewritten_files else CLEAN
