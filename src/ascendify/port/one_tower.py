"""The original with one tower, for comparison with a port whose processes have one each.

A process with several towers trains a larger batch, or parts of it, than a process of the port. The
two train alike where the original's number of towers is the port's, so the edits of the rules that
set this number are made in the copy of the original that runs, and no other edit.
"""

from __future__ import annotations

from dataclasses import dataclass

from ascendify.findings import Status
from ascendify.migrate.pipeline import migrate
from ascendify.migrate.settings import load
from ascendify.port.request import PortRequest
from ascendify.reports import wording
from ascendify.reports.model import FileAction, Report

_CODES = ("TF1-TOWER-1", "TF1-TOWER-2")
"""Rules that set the number of towers or clones to one."""


@dataclass(frozen=True)
class OneTower:
    """Files of the original with one tower instead of several, and what to say of it."""

    files: tuple[tuple[str, bytes], ...] = ()
    note: str = ""


def one_tower(request: PortRequest, report: Report) -> OneTower:
    """The edits of an original whose towers the port has set to one; nothing for others."""
    made = [
        one for one in report.findings if one.code in _CODES and one.status is Status.AUTO_CHECK
    ]
    if not made:
        return OneTower()
    settings = load(
        request.project,
        select=_CODES,
        main=request.main,
        framework=request.framework,
        exclude=request.exclude or None,
        keras=request.keras,
        jobs=request.jobs,
        distributed="add" if request.count > 1 else None,
        diff=True,
    )
    changed = [one for one in migrate(settings).files if one.action is FileAction.CHANGED]
    return OneTower(
        tuple((one.path, one.content) for one in changed),
        f"with one tower in the original too ({wording.place(made[0])})",
    )
