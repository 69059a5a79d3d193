"""Train the original and a port, and record in the port what that showed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ascendify.emulation.shown import read as read_shown
from ascendify.port.one_tower import one_tower
from ascendify.port.proof import prove
from ascendify.port.session import PortResult
from ascendify.port.settle import settle
from ascendify.reports.model import Report
from ascendify.verify.judge import Verdict
from ascendify.verify.request import VerifyRequest


def verified(
    result: PortResult, request: VerifyRequest, progress: Callable[[str], None]
) -> PortResult:
    """Train the original and the port, and return the port with what that showed."""
    if result.conflicts:
        return result  # markers of conflicts are no Python
    several = len(result.generated.counts) > 1
    tower = one_tower(result.request, result.report)
    request = replace(request, replaced_original=tower.files)
    proofs = prove(request, result.generated.programs, several, progress, tower.note)
    report = _settled(result.report, proofs[0].verdict, result.request.output)
    return replace(result, proofs=proofs, generated=replace(result.generated, report=report))


def _settled(report: Report, verdict: Verdict, output: Path) -> Report:
    """The report of the migration after a run on one device, which must have ended."""
    side = verdict.migrated
    if side is None or verdict.report is None or not side.outcome.succeeded:
        return report
    return settle(report, verdict.report, read_shown(side.findings, side.folder), output)
