"""One run of ``ascendify port`` from beginning to end."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ascendify.findings import Finding, Status
from ascendify.migrate import writer
from ascendify.migrate.garbage import collector_paused
from ascendify.migrate.pipeline import Progress
from ascendify.port import record as records
from ascendify.port import update as updates
from ascendify.port.generate import Generated, generate
from ascendify.port.request import PortRequest, complete
from ascendify.port.update import FileUpdate
from ascendify.reports.model import FileResult, Report

if TYPE_CHECKING:  # what trains is loaded only with --verify
    from ascendify.port.proof import Proof

_NOT_READY_CAP = 90
"""The highest score of a port that is not ready, however little is left to do in its code."""


@dataclass(frozen=True)
class PortResult:
    """A port that was written, with facts about it for the last screen."""

    request: PortRequest
    generated: Generated
    changes: tuple[FileUpdate, ...] = ()
    """What an update changed; nothing for a new port."""
    conflicts: tuple[FileUpdate, ...] = ()
    """Conflicts that people must resolve, of this update and of earlier ones."""
    proofs: tuple[Proof, ...] = ()

    @property
    def report(self) -> Report:
        """The report of the migration."""
        return self.generated.report

    @property
    def blockers(self) -> tuple[Finding, ...]:
        """What stops the training on a device, as far as the code shows."""
        return tuple(one for one in self._all_blockers if self._may_stop(one.path))

    @property
    def blockers_elsewhere(self) -> tuple[Finding, ...]:
        """What stops other programs, where the training was shown not to run them."""
        return tuple(one for one in self._all_blockers if not self._may_stop(one.path))

    @property
    def _all_blockers(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.report.ordered if one.status is Status.BLOCKER)

    def _may_stop(self, path: str) -> bool:
        """Whether a file stops the training: not one that a training, as shown, does without."""
        trained = {file for proof in self.proofs if proof.holds for file in proof.files}
        return not trained or path in trained

    @property
    def failed(self) -> tuple[Proof, ...]:
        """Trainings that failed, or whose numbers differ."""
        return tuple(proof for proof in self.proofs if not proof.holds)

    @property
    def unreadable(self) -> tuple[FileResult, ...]:
        """Files that could not be read and stop it: not those that its training does without."""
        return tuple(entry for entry in self.report.unreadable if self._may_stop(entry.path))

    @property
    def score(self) -> int:
        """The readiness of the report; a port that does not run has no high one."""
        readiness = self.report.readiness
        return readiness if self.is_ready else min(readiness, _NOT_READY_CAP)

    @property
    def is_ready(self) -> bool:
        """Whether nothing is known that stops it."""
        stopped = self.conflicts or self.failed or self.blockers or self.unreadable
        return not stopped and bool(self.generated.scaffolds)


def port(request: PortRequest, progress: Progress = None, process_ends: bool = False) -> PortResult:
    """Write a new port, or update the one that is there.

    In a process that ends soon after, memory is left for its end to free.

    Raises:
        UsageError: an option is wrong, or the output is something else than a port.
    """
    # the report and the trees of the whole project are alive meanwhile
    with collector_paused():
        return _port(complete(request), progress, process_ends)


def _port(request: PortRequest, progress: Progress, process_ends: bool) -> PortResult:
    output = request.output
    missing = [folder for folder in output.parents if not folder.exists()]
    output.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=output.parent))
    try:
        made = generate(request, staging / "port", progress, process_ends)
        now = records.describe(staging / "port", made.files, request.remembered)
        if request.before is None:
            records.write(staging / "port", now)
            writer.swap_folder(staging / "port", output)
            return PortResult(request, made)
        update = updates.plan(output, request.before, staging / "port", now)
        updates.apply(output, update, now)
        old = {change.path: change for change in updates.unresolved(output, now)}
        new = {change.path: change for change in update.conflicts}
        return PortResult(request, made, update.changes, tuple({**old, **new}.values()))
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        for folder in missing:
            if not any(folder.iterdir()):
                folder.rmdir()
