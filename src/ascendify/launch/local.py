"""Run ranks of a job on this machine, again as often as the user allows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Optional

from ascendify.errors import UsageError
from ascendify.launch.failure import Failure, blame
from ascendify.launch.plan import Plan, Rank, environment
from ascendify.launch.words import advice, is_consequence, shortened
from ascendify.processes import Outcome, Process, Tail, run_all, supported
from ascendify.processes.commands import check_command
from ascendify.processes.running import GRACE_SECONDS

RESTARTS = "ASCENDIFY_RESTARTS"
"""How often the job was started before: a script that resumes may want to know."""
_TORCH_RESTARTS = "TORCHELASTIC_RESTART_COUNT"
RESTART_WORDS = (RESTARTS, _TORCH_RESTARTS)
_LEAST_FREE_BYTES = 64 << 20
_OURS = (
    *("rank-*.log", "rank-*.ended", "ssh-*.log", "mpirun.log", "torchrun-*.log"),
    *("measure-*.jsonl", "findings-*.jsonl", "audit-*.jsonl"),
)
"""What ranks leave in the folder."""


@dataclass(frozen=True)
class Watch:
    """How the ranks are looked after."""

    show: tuple[int, ...] = (0,)
    """The ranks whose output is passed on."""
    timeout: float | None = None
    grace: float = GRACE_SECONDS
    """Between asking a rank to end and ending it."""
    max_restarts: int = 0
    bind: bool = True
    """Whether each rank gets cores of its own, where there are enough."""


@dataclass(frozen=True)
class Finished:
    """What came of the ranks of this machine."""

    plan: Plan
    ranks: tuple[Rank, ...]
    outcome: Outcome
    failure: Failure | None
    restarts: int = 0
    disk_full: bool = False

    @property
    def failed_rank(self) -> Rank | None:
        """The rank to blame."""
        return None if self.failure is None else self.ranks[self.failure.rank]


Environment = Callable[[Rank, Mapping[str, str]], Mapping[str, str]]
Attempt = Callable[[Mapping[str, str], Optional[Tail]], Outcome]
"""Runs the ranks once, from what is set for all of them; the endings are in the ranks' order."""


def check(plan: Plan, watch: Watch) -> None:
    """Refuse what cannot run here, before anything is started.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    check_watch(watch)
    project = Path(plan.project)
    if not project.is_dir():
        raise UsageError(f"--project {project} is not a folder", "name a folder")
    check_command(plan.command, project, os.environ)


def check_watch(watch: Watch) -> None:
    """Refuse what no rank can be looked after with, wherever it runs.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    if not supported():
        raise UsageError("launching needs Linux or macOS", "on Windows, use it inside WSL 2")
    if watch.timeout is not None and watch.timeout <= 0:
        raise UsageError(f"--timeout {watch.timeout:g} is over at once", "give seconds above 0")
    if watch.grace < 0:
        raise UsageError(f"--grace {watch.grace:g} is no time", "give 0 seconds or more")
    if watch.max_restarts < 0:
        raise UsageError(f"--max-restarts {watch.max_restarts} is too few", "give 0 or more")


def prepare(plan: Plan) -> None:
    """Make the folder, without anything of an earlier job, and write what ranks read."""
    folder = Path(plan.folder)
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            # it may lie in the project, and is none of its sources
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        for pattern in (*_OURS, "attempt-*/*"):
            for old in folder.glob(pattern):
                old.unlink()
        for name, text in plan.files().items():
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
    plan: Plan,
    ranks: tuple[Rank, ...],
    watch: Watch,
    stream: BinaryIO | None,
    given: Environment = environment,
    told: Callable[[str], None] = lambda _: None,
    attempt: Attempt | None = None,
) -> Finished:
    """Run some ranks to their end; see :func:`check` for what may go wrong.

    Args:
        plan: The whole job.
        ranks: Those that run here.
        watch: How to look after them.
        stream: Where the shown ranks' output goes; None for nowhere.
        given: What a rank finds in its environment, from what it is told and what is here.
        told: Called with a line when the job is started again.
        attempt: What starts the ranks and waits for them; None for processes of this machine.

    Raises:
        KeyboardInterrupt: somebody interrupted it; nothing of it is left.
    """
    prepare(plan)
    attempt = attempt or _here(plan, ranks, watch, given)
    restarts = 0
    while True:
        finished = _attempt(plan, ranks, watch, stream, attempt, restarts)
        if finished.failure is None or restarts == watch.max_restarts:
            return finished
        restarts += 1
        rank = finished.failed_rank
        told(
            f"rank {rank.number if rank else '?'} failed ({finished.failure.how}); starting again, "
            f"{restarts} of {watch.max_restarts}"
        )
        keep_logs(plan, ranks, restarts)


def _attempt(
    plan: Plan,
    ranks: Sequence[Rank],
    watch: Watch,
    stream: BinaryIO | None,
    attempt: Attempt,
    restarts: int,
) -> Finished:
    base = {**os.environ, RESTARTS: str(restarts), _TORCH_RESTARTS: str(restarts)}
    tail = tail_of(plan, ranks, watch.show, stream) if stream is not None else None
    outcome = attempt(base, tail)
    failure = blame(outcome, is_consequence=is_consequence, explain=advice, shorten=shortened)
    full = failure is not None and shutil.disk_usage(plan.folder).free < _LEAST_FREE_BYTES
    return Finished(plan, tuple(ranks), outcome, failure, restarts, full)


def _here(plan: Plan, ranks: Sequence[Rank], watch: Watch, given: Environment) -> Attempt:
    """One process a rank, on this machine."""
    cores = _cores(len(ranks)) if watch.bind else [frozenset[int]()] * len(ranks)

    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        processes = [
            Process(plan.command, given(rank, base), Path(plan.project), plan.log(rank.number), own)
            for rank, own in zip(ranks, cores)
        ]
        return run_all(processes, tail=tail, timeout=watch.timeout, grace=watch.grace)

    return attempt


def _cores(count: int) -> list[frozenset[int]]:
    """Neighbouring cores for each of some processes; all of them where there are too few."""
    if count < 2 or not hasattr(os, "sched_getaffinity"):
        return [frozenset()] * count
    available = sorted(os.sched_getaffinity(0))
    each = len(available) // count
    if each == 0:
        return [frozenset()] * count
    return [frozenset(available[number * each : (number + 1) * each]) for number in range(count)]


def tail_of(plan: Plan, ranks: Sequence[Rank], shown: tuple[int, ...], stream: BinaryIO) -> Tail:
    """Passes on what the shown ranks write to their logs."""
    numbers = [rank.number for rank in ranks if rank.number in shown]
    width = len(str(plan.size - 1))
    prefixes = [f"[{number:{width}}] " for number in numbers] if len(numbers) > 1 else None
    return Tail([plan.log(number) for number in numbers], stream, prefixes)


def keep_logs(plan: Plan, ranks: Sequence[Rank], attempt: int) -> None:
    """Put aside what an attempt that failed has printed."""
    folder = Path(plan.folder) / f"attempt-{attempt}"
    folder.mkdir(exist_ok=True)
    for rank in ranks:
        log = plan.log(rank.number)
        log.replace(folder / log.name)
    for measured in Path(plan.folder).glob("measure-*.jsonl"):
        measured.replace(folder / measured.name)
