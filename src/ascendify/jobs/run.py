"""Run the ranks of a job until they have exited; start them again as often as allowed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Optional

from ascendify.errors import UsageError
from ascendify.jobs.blame import Failure, blame
from ascendify.jobs.environment import rank_environment
from ascendify.jobs.job import PLAN_FILE, TABLE_FILE, Job, Rank
from ascendify.processes import Outcome, Process, Tail, is_supported, run_all
from ascendify.processes.commands import check_command
from ascendify.processes.running import GRACE_SECONDS

RESTARTS = "ASCENDIFY_RESTARTS"
"""How often the job was started before, for scripts that resume."""
RESTART_VARIABLES = (RESTARTS, "TORCHELASTIC_RESTART_COUNT")
_LEAST_FREE_BYTES = 64 << 20
_WRITTEN = (
    *("rank-*.log", "rank-*.ended", "ssh-*.log", "mpirun.log", "torchrun-*.log", "attempt-*/*"),
    *("measure-*.jsonl", "findings-*.jsonl", "audit-*.jsonl", "capture-*.jsonl"),
    *("emulation-*.jsonl", TABLE_FILE, PLAN_FILE),
)
"""Files that a job leaves in its folder."""


@dataclass(frozen=True)
class Supervision:
    """How the ranks are supervised, stopped and started again."""

    show: tuple[int, ...] = (0,)
    """The ranks whose output is passed on."""
    timeout: float | None = None
    grace: float = GRACE_SECONDS
    """Seconds between SIGTERM and SIGKILL when a rank is stopped."""
    max_restarts: int = 0
    bind: bool = True
    """Whether each rank is bound to cores of its own, if there are enough."""


@dataclass(frozen=True)
class JobResult:
    """How the ranks exited, and which failed first."""

    job: Job
    ranks: tuple[Rank, ...]
    outcome: Outcome
    failure: Failure | None
    restarts: int = 0
    disk_full: bool = False

    @property
    def failed_rank(self) -> Rank | None:
        """The rank that failed first."""
        return None if self.failure is None else self.ranks[self.failure.rank]


Attempt = Callable[[Mapping[str, str], Optional[Tail]], Outcome]
"""A function that runs the ranks once with the given variables, and returns how each ended."""


def check(job: Job, supervision: Supervision) -> None:
    """Refuse what cannot run here, before anything is started.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    check_supervision(supervision)
    check_project(job.project)
    check_command(job.command, job.project, os.environ)


def check_project(project: Path) -> None:
    """Refuse a project that is no folder.

    Raises:
        UsageError: it is none.
    """
    if not project.is_dir():
        raise UsageError(f"--project {project} is not a folder", "name a folder")


def check_supervision(supervision: Supervision, command: str = "launching") -> None:
    """Refuse limits that no job can run under, wherever it runs.

    Args:
        supervision: The limits.
        command: What the user does, for the message on a system that cannot.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    timeout, grace = supervision.timeout, supervision.grace
    if not is_supported():
        raise UsageError(f"{command} needs Linux or macOS", "on Windows, use it inside WSL 2")
    if timeout is not None and timeout <= 0:
        raise UsageError(f"--timeout {timeout:g} is over at once", "give seconds above 0")
    if grace < 0:
        raise UsageError(f"--grace {grace:g} is no time", "give 0 seconds or more")
    if supervision.max_restarts < 0:
        raise UsageError(f"--max-restarts {supervision.max_restarts} is too few", "give 0 or more")


def prepare(job: Job) -> None:
    """Make the folder, delete what an earlier job left there, and write what the ranks read.

    Raises:
        UsageError: the folder cannot be written to.
    """
    folder = job.folder
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            # it may be in the project, and is not part of its sources
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        for pattern in _WRITTEN:
            for old in folder.glob(pattern):
                old.unlink()
        for name, text in job.files().items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write to {folder}, the folder of the logs: {error.strerror}",
            "name another with --log-dir",
        ) from error
    free = shutil.disk_usage(folder).free
    if free < _LEAST_FREE_BYTES:
        raise UsageError(
            f"the disk of {folder}, the folder of the logs, has {free >> 20} MB left",
            "make room, or name another with --log-dir",
        )


def run(
    job: Job,
    supervision: Supervision,
    stream: BinaryIO | None = None,
    *,
    ranks: tuple[Rank, ...] | None = None,
    warn: Callable[[str], None] = lambda _: None,
    attempt: Attempt | None = None,
) -> JobResult:
    """Run the ranks until they have exited; start them again as often as allowed.

    Args:
        job: The whole job.
        supervision: How to watch the ranks.
        stream: Where the shown ranks' output goes; None for nowhere.
        ranks: Those to run; all unless given.
        warn: Called with a line when the job is started again.
        attempt: What starts the ranks and waits for them; processes of this machine unless given.

    Raises:
        KeyboardInterrupt: on Ctrl-C, after all processes are stopped.
    """
    prepare(job)
    ranks = job.ranks if ranks is None else ranks
    attempt = attempt or _as_processes(job, ranks, supervision)
    restarts = 0
    while True:
        result = _run_once(job, ranks, supervision, stream, attempt, restarts)
        if result.failure is None or restarts == supervision.max_restarts:
            return result
        restarts += 1
        rank = result.failed_rank
        warn(
            f"rank {rank.number if rank else '?'} failed ({result.failure.how}); starting again, "
            f"{restarts} of {supervision.max_restarts}"
        )
        keep_logs(job, ranks, restarts)


def _run_once(
    job: Job,
    ranks: tuple[Rank, ...],
    supervision: Supervision,
    stream: BinaryIO | None,
    attempt: Attempt,
    restarts: int,
) -> JobResult:
    base = {**os.environ, **dict.fromkeys(RESTART_VARIABLES, str(restarts))}
    tail = tail_of(job, ranks, supervision.show, stream) if stream is not None else None
    outcome = attempt(base, tail)
    failure = blame(outcome, on_npus=job.on_npus) if outcome.failed else None
    full = failure is not None and shutil.disk_usage(job.folder).free < _LEAST_FREE_BYTES
    return JobResult(job, ranks, outcome, failure, restarts, full)


def _as_processes(job: Job, ranks: Sequence[Rank], supervision: Supervision) -> Attempt:
    """Run each rank as a process of this machine."""
    cores = _cores(len(ranks)) if supervision.bind else [frozenset[int]()] * len(ranks)

    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        processes = [
            Process(
                job.command, rank_environment(rank, base), job.project, job.log(rank.number), own
            )
            for rank, own in zip(ranks, cores)
        ]
        return run_all(processes, tail=tail, timeout=supervision.timeout, grace=supervision.grace)

    return attempt


def _cores(count: int) -> list[frozenset[int]]:
    """Return adjacent cores for each process; all cores if there are too few."""
    if count < 2 or not hasattr(os, "sched_getaffinity"):
        return [frozenset()] * count
    available = sorted(os.sched_getaffinity(0))
    each = len(available) // count
    if each == 0:
        return [frozenset()] * count
    return [frozenset(available[number * each : (number + 1) * each]) for number in range(count)]


def tail_of(job: Job, ranks: Sequence[Rank], shown: tuple[int, ...], stream: BinaryIO) -> Tail:
    """Return the object that prints the logs of the shown ranks."""
    numbers = [rank.number for rank in ranks if rank.number in shown]
    width = len(str(job.size - 1))
    prefixes = [f"[{number:{width}}] " for number in numbers] if len(numbers) > 1 else None
    return Tail([job.log(number) for number in numbers], stream, prefixes)


def keep_logs(job: Job, ranks: Sequence[Rank], attempt: int) -> None:
    """Move the logs of a failed attempt to a separate folder."""
    folder = job.folder / f"attempt-{attempt}"
    folder.mkdir(exist_ok=True)
    for rank in ranks:
        log = job.log(rank.number)
        log.replace(folder / log.name)
    for measured in job.folder.glob("measure-*.jsonl"):
        measured.replace(folder / measured.name)
