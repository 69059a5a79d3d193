"""Runs one side: the original as it is, the migrated project as ranks of an emulated job."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ascendify.emulation import own_failures, ways
from ascendify.emulation.environment import (
    DEFAULT_SOC,
    HIDDEN_GPU,
    Job,
    new_job,
    rank_environment,
    search_path,
)
from ascendify.emulation.failures import explain, is_consequence, without_libraries
from ascendify.emulation.paths import HOROVOD
from ascendify.processes import Outcome, Process, last_lines, run_all
from ascendify.processes.launchers import find_launcher
from ascendify.verify import gpu, layout
from ascendify.verify.captured import Capture, from_output, read_all
from ascendify.verify.launching import Launch
from ascendify.verify.request import Request

ORIGINAL, MIGRATED = "original", "migrated"
_NO_HOROVOD = "No module named 'horovod"
_THREADS_OF_SEVERAL = "4"
"""A collective that waits for a peer holds a thread; others must go on."""

_OF_AN_NPU_JOB = frozenset(
    ("CM_CHIEF_IP", "CM_WORKER_SIZE", "POD_NAME", "RANK_TABLE_FILE", "ASCEND_DEVICE_ID")
)
_OF_TORCHRUN = frozenset(
    ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
)
_PORT_OF_TORCHRUN = "PET_MASTER_PORT"
"""What torchrun takes for its option --master-port, unless that is given."""


@dataclass(frozen=True)
class Side:
    """What came of running one of the two."""

    name: str
    folder: Path
    """Where it ran."""
    logs: tuple[Path, ...]
    findings: tuple[Path, ...]
    outcome: Outcome
    captures: tuple[Capture, ...]
    ways: tuple[str, ...] = ()
    """What to tell of how the NPU was emulated."""

    @property
    def has_loss(self) -> bool:
        """Whether any process told a number to compare."""
        return any(capture.series for capture in self.captures)

    @property
    def blamed(self) -> int:
        """The process that failed first on its own account, or that was still running."""
        running = (number for number, end in enumerate(self.outcome.endings) if end.stopped)
        failed = [
            number
            for number in self.outcome.failed
            if not is_consequence(last_lines(self.logs[number]))
        ]
        return next(iter((*failed, *self.outcome.failed, *running)), 0)

    @property
    def last_lines(self) -> tuple[str, ...]:
        """The end of the log of the process to blame, without frames of libraries."""
        return without_libraries(last_lines(self.logs[self.blamed]))

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
        """What to do about a failure, empty when only the program can tell."""
        if self.name == ORIGINAL and any(_NO_HOROVOD in line for line in self.last_lines):
            return "the original needs Horovod in its environment, to compare with"
        ended_by = self.outcome.endings[self.blamed].signal
        return explain(last_lines(self.logs[self.blamed]), ended_by)


def run(name: str, request: Request, project: Path, folder: Path) -> Side:
    """Run one side in a folder that is a project, and read what it told."""
    is_original = name == ORIGINAL
    launch = request.original_launch if is_original else Launch(request.migrated_command)
    job = new_job(
        launch.ranks if is_original else request.devices,
        project,
        folder,
        strict=request.strict and not is_original,
        soc=request.soc or DEFAULT_SOC,
        once=not is_original and find_launcher(launch.command, project) is not None,
    )
    processes = [
        Process(
            launch.command,
            _of_the_original(request, launch, job, rank)
            if is_original
            else _of_the_migrated(request, job, rank),
            job.project,
            job.log(rank),
        )
        for rank in range(job.processes)
    ]
    outcome = run_all(processes, timeout=request.timeout)
    captures = read_all(job.folder)
    if request.pattern is not None:
        captures = _with_output(captures, request.pattern, job)
    ranks = range(job.processes)
    return Side(
        name,
        job.project,
        tuple(job.log(rank) for rank in ranks),
        tuple(job.findings(rank) for rank in ranks),
        outcome,
        captures,
        ways.worth_telling(ways.read(job.emulation(rank) for rank in ranks)),
    )


def _with_output(captures: tuple[Capture, ...], pattern: str, job: Job) -> tuple[Capture, ...]:
    """Add what the processes printed to what the first capture of each rank holds."""
    by_rank = {capture.rank: capture for capture in reversed(captures)}
    for rank in range(job.processes):
        printed = from_output(job.log(rank), pattern)
        if printed:
            known = by_rank.get(rank, Capture(rank))
            by_rank[rank] = replace(known, series=(*known.series, *printed))
    first = [by_rank[rank] for rank in sorted(by_rank)]
    seen = {(capture.rank, capture.began) for capture in first}
    others = [one for one in captures if (one.rank, one.began) not in seen]
    return tuple(sorted((*first, *others), key=lambda one: (one.rank, one.began)))


def _of_the_migrated(request: Request, job: Job, rank: int) -> dict[str, str]:
    return {
        _PORT_OF_TORCHRUN: str(job.port),
        **rank_environment(job, rank, capture=True),
        **_repeatable(request),
        # an NPU draws from a stream of its own; the original on the CPU has only one
        "ASCENDIFY_SHARED_RANDOM": "1",
    }


def _of_the_original(request: Request, launch: Launch, job: Job, rank: int) -> dict[str, str]:
    environment = {
        _PORT_OF_TORCHRUN: str(job.port),
        **_without_ours(os.environ),
        **_repeatable(request),
        "PYTHONPATH": search_path(os.environ),
        "ASCENDIFY_CAPTURE": str(job.capture(rank)),
        "ASCENDIFY_ORIGINAL": "1",
        **(gpu.ENVIRONMENT if request.original_on == gpu.GPU else _with_a_pretended_gpu(request)),
    }
    environment.setdefault("PYTHONUNBUFFERED", "1")
    if request.pretend_gpu:
        environment["ASCENDIFY_PRETEND_GPU"] = "1"
    if launch.stand_in:
        environment["ASCENDIFY_HOROVOD"] = str(HOROVOD)
    if launch.like_torchrun:
        environment.update(_as_by_torchrun(job, rank))
    elif launch.ranks > 1:
        environment.update(_as_launched(job, rank))
    return environment


def _with_a_pretended_gpu(request: Request) -> dict[str, str]:
    """What an original on the CPU finds: no GPU of this machine, and as many pretended ones."""
    return {
        **HIDDEN_GPU,
        "ASCENDIFY_ON_CPU": "1",
        "ASCENDIFY_DEVICES": str(request.devices),
        **(layout.PLAIN if layout.is_taken_out(request.original, request.migrated) else {}),
    }


def _as_by_torchrun(job: Job, rank: int) -> dict[str, str]:
    """What torchrun tells a rank."""
    size = str(job.devices)
    return {
        "RANK": str(rank),
        "WORLD_SIZE": size,
        "LOCAL_RANK": str(rank),
        "LOCAL_WORLD_SIZE": size,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(job.port),
    }


def _as_launched(job: Job, rank: int) -> dict[str, str]:
    """What Horovod's launcher tells a rank, and what the stand-in wants to know."""
    size = str(job.devices)
    return {
        # a job on NPUs that the user's shell may describe is not this one
        **dict.fromkeys(_OF_AN_NPU_JOB & os.environ.keys(), ""),
        "RANK_ID": str(rank),
        "RANK_SIZE": size,
        "ASCENDIFY_JOB": job.address,
        "HOROVOD_RANK": str(rank),
        "HOROVOD_SIZE": size,
        "HOROVOD_LOCAL_RANK": str(rank),
        "HOROVOD_LOCAL_SIZE": size,
    }


def _without_ours(base: Mapping[str, str]) -> dict[str, str]:
    """The user's environment without another run that this one is started from."""
    return {
        key: value
        for key, value in base.items()
        if not key.startswith("ASCENDIFY_") and key not in _OF_TORCHRUN
    }


def _repeatable(request: Request) -> dict[str, str]:
    """What makes two runs of one program yield the same numbers."""
    return {
        "ASCENDIFY_SEED": str(request.seed),
        "ASCENDIFY_DETERMINISTIC": "1",
        "PYTHONHASHSEED": str(request.seed),
        "TF_DETERMINISTIC_OPS": "1",
        "TF_NUM_INTRAOP_THREADS": "1",
        "TF_NUM_INTEROP_THREADS": "1" if request.devices == 1 else _THREADS_OF_SEVERAL,
        "OMP_NUM_THREADS": "1",
    }
