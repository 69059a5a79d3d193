"""How ranks exited that a launcher such as srun or mpirun has started.

Their agents write it next to the logs, because the launcher is the only process watched from here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ascendify.jobs.job import Job, Rank
from ascendify.processes import Ending, Outcome


def record(job: Job, rank: Rank) -> Path:
    """Return the file in which a rank's agent writes how it exited."""
    return job.log(rank.number).with_suffix(".ended")


def outcome(
    job: Job, ranks: Sequence[Rank], launcher: Outcome, lost: Callable[[Path], int] = lambda _: 0
) -> Outcome:
    """Return how the ranks exited, from their agents' files and the launcher's exit code.

    A rank whose agent has written nothing was stopped, unless the launcher reports success. If
    the launcher failed and no rank did, its exit code and log are used for one of them.

    Args:
        job: The job.
        ranks: Those that the launcher has started.
        launcher: How the launcher exited, the only process of this outcome.
        lost: Finds the position of that one rank from the launcher's log; else it is the first.
    """
    (whole,) = launcher.endings
    began = time.time() - launcher.seconds
    endings = [_ending(job.log(rank.number), record(job, rank), began, launcher) for rank in ranks]
    failed = sorted(
        (number for number, ending in enumerate(endings) if ending.failed),
        key=lambda number: endings[number].seconds,
    )
    if whole.failed and not failed:
        failed = [lost(whole.log)]
        endings[failed[0]] = whole
    # agents stop the processes that their ranks have left behind
    return replace(launcher, endings=tuple(endings), failed=tuple(failed), left_behind=0)


def _ending(log: Path, written: Path, began: float, launcher: Outcome) -> Ending:
    log.touch()
    try:
        found = json.loads(written.read_text(encoding="utf-8"))
        code, stopped = int(found["code"]), bool(found["stopped"])
        seconds = max(0.0, float(found["ended"]) - began)
    except (OSError, ValueError, KeyError, TypeError):
        well = launcher.succeeded
        return Ending(log, 0 if well else None, None, launcher.seconds, stopped=not well)
    # a rank that fails after the launcher was stopped fails because of that
    stopped = stopped or (code != 0 and any(each.stopped for each in launcher.endings))
    return Ending.from_code(log, code, seconds, stopped=stopped)
