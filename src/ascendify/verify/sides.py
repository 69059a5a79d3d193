"""Run one of the two projects: the original as it is, the migrated one on emulated devices."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ascendify.cluster.inventory import spread
from ascendify.emulation import own_failures, run_report
from ascendify.emulation.audit import Audit, gather
from ascendify.emulation.environment import (
    DEFAULT_SOC,
    HIDDEN_GPU,
    Emulation,
    search_path,
)
from ascendify.emulation.paths import HOROVOD
from ascendify.jobs import emulated
from ascendify.jobs.blame import Failure, blame
from ascendify.jobs.job import Identity, Job, JobRequest
from ascendify.jobs.plan import plan
from ascendify.jobs.run import Supervision
from ascendify.jobs.run import run as run_job
from ascendify.processes import Outcome
from ascendify.verify import gpu
from ascendify.verify.captured import Capture, from_output, read_all
from ascendify.verify.reordering import variables_without
from ascendify.verify.request import VerifyRequest

ORIGINAL, MIGRATED = "original", "migrated"
_NO_HOROVOD = "No module named 'horovod"


@dataclass(frozen=True)
class Side:
    """The result of running one of the two projects."""

    name: str
    folder: Path
    """Where it ran."""
    logs: tuple[Path, ...]
    findings: tuple[Path, ...]
    outcome: Outcome
    captures: tuple[Capture, ...]
    notes: tuple[str, ...] = ()
    """Notes for the user on how the NPU was emulated."""
    audits: tuple[Path, ...] = ()
    """The files in which the ranks count what they run on the device."""

    @property
    def has_loss(self) -> bool:
        """Whether any process recorded a number to compare."""
        return any(capture.series for capture in self.captures)

    @cached_property
    def blamed(self) -> Failure:
        """The process that failed first, or that was still running when the time was up."""
        return blame(self.outcome, on_npus=False)

    @property
    def startup_failure(self) -> str:
        """The line in which our start-up code says that it failed; empty when it did not."""
        for log in self.logs:
            with log.open(encoding="utf-8", errors="replace") as lines:
                found = own_failures.startup_failure(lines)
            if found:
                return found
        return ""

    @property
    def advice(self) -> str:
        """What to do about a failure; empty if nothing is known."""
        if self.name == ORIGINAL and any(_NO_HOROVOD in line for line in self.blamed.last_lines):
            return "the original needs Horovod in its environment, to compare with"
        return self.blamed.advice


def run(name: str, request: VerifyRequest, project: Path, folder: Path) -> Side:
    """Run one of the two projects and read what it recorded.

    Args:
        name: ``original`` or ``migrated``.
        request: The verification.
        project: The folder to run in: the project, or a copy of it.
        folder: Gets the logs and records.
    """
    job = plan_side(name, request, project, folder)
    supervision = Supervision(timeout=request.timeout, bind=False)
    outcome = run_job(job, supervision).outcome
    captures = read_all(job.folder)
    if request.pattern is not None:
        captures = _with_output(captures, request.pattern, job)
    return Side(
        name,
        job.project,
        tuple(job.log(rank.number) for rank in job.ranks),
        job.records("findings"),
        outcome,
        captures,
        emulated.describe_emulation(job),
        job.records("audit"),
    )


def audit(request: VerifyRequest, side: Side) -> Audit:
    """Return what the migrated project did on the device, all ranks together."""
    found = gather(
        side.audits,
        side.folder,
        command=request.migrated_command,
        soc=request.soc or DEFAULT_SOC,
        devices=request.devices,
        seconds=side.outcome.seconds,
        findings=run_report.findings(side.findings, side.folder),
    )
    # it ran in a copy
    return replace(found, root=str(request.migrated))


def plan_side(name: str, request: VerifyRequest, project: Path, folder: Path) -> Job:
    """Plan the job of one side; see :func:`run` for the arguments."""
    return (_original_job if name == ORIGINAL else _migrated_job)(request, project, folder)


def _with_output(captures: tuple[Capture, ...], pattern: str, job: Job) -> tuple[Capture, ...]:
    """Add the numbers that the processes printed to the first capture of each rank."""
    by_rank = {capture.rank: capture for capture in reversed(captures)}
    for rank in range(job.size):
        printed = from_output(job.log(rank), pattern)
        if printed:
            known = by_rank.get(rank, Capture(rank))
            by_rank[rank] = replace(known, series=(*known.series, *printed))
    first = [by_rank[rank] for rank in sorted(by_rank)]
    seen = {(capture.rank, capture.began) for capture in first}
    others = [one for one in captures if (one.rank, one.began) not in seen]
    return tuple(sorted((*first, *others), key=lambda one: (one.rank, one.began)))


def _migrated_job(request: VerifyRequest, project: Path, folder: Path) -> Job:
    return plan(
        emulated.job_request(
            request.migrated_command,
            project,
            folder,
            request.devices,
            Emulation(
                request.soc or DEFAULT_SOC,
                strict=request.strict or request.audit,
                audit=request.audit,
            ),
            once=request.once,
            variables={
                **emulated.torchrun_port(),
                **_repeatable(request),
                **emulated.SHARED_RANDOM,
                **({"ASCENDIFY_ADD_GRADIENTS": "1"} if request.add_gradients else {}),
            },
            capture=True,
        )
    )


def _original_job(request: VerifyRequest, project: Path, folder: Path) -> Job:
    launch = request.original_launch
    identity = Identity.NONE
    if launch.ranks > 1:
        identity = Identity.TORCHRUN if launch.like_torchrun else Identity.HOROVOD
    on_gpu = request.original_on == gpu.GPU
    return plan(
        JobRequest(
            command=launch.command,
            inventory=spread(launch.ranks, launch.ranks),
            project=project,
            folder=folder,
            identity=identity,
            capture=True,
            variables={
                **emulated.torchrun_port(),
                **_repeatable(request),
                "PYTHONPATH": search_path(os.environ),
                "ASCENDIFY_ORIGINAL": "1",
                **({"ASCENDIFY_MOVED_WEIGHTS": "1"} if request.moved_weights else {}),
                **(gpu.ENVIRONMENT if on_gpu else _pretended_gpu(request)),
                **({"ASCENDIFY_PRETEND_GPU": "1"} if request.pretend_gpu else {}),
                **({"ASCENDIFY_HOROVOD": str(HOROVOD)} if launch.stand_in else {}),
            },
        )
    )


def _pretended_gpu(request: VerifyRequest) -> dict[str, str]:
    """Variables of an original on the CPU: no GPU of this machine, and as many pretended ones."""
    return {
        **HIDDEN_GPU,
        "ASCENDIFY_ON_CPU": "1",
        "ASCENDIFY_DEVICES": str(request.devices),
        **variables_without(request.without),
    }


def _repeatable(request: VerifyRequest) -> dict[str, str]:
    """Variables that make two runs of one program yield the same numbers."""
    return {
        **emulated.repeatable(request.seed, request.devices),
        **({"ASCENDIFY_INDEPENDENT_SAMPLES": "1"} if request.independent_samples else {}),
    }
