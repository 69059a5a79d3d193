"""How commands that run a job report its result, on standard error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ascendify.cli.output import warn

if TYPE_CHECKING:
    from ascendify.jobs.blame import Failure
    from ascendify.jobs.run import JobResult

SCRIPT_FAILED = 3
TIMED_OUT = 4
_MOST_RANKS = 8
"""Number of ranks whose last lines are printed when a job hangs."""


def show(result: JobResult, shown: tuple[int, ...]) -> None:
    """Print how a job ended.

    Args:
        result: How the ranks exited.
        shown: The ranks whose output the user has seen.
    """
    outcome, job, count = result.outcome, result.job, len(result.ranks)
    if result.failure is not None:
        _show_failure(result, result.failure, shown)
    elif outcome.timed_out:
        _show_time_out(result)
    if outcome.left_behind:
        warn(
            f"{outcome.left_behind} processes were still running when the command had "
            "ended, and were stopped; a script that starts some in the background must wait"
        )
    who = "the command" if job.once else f"{count} rank{'s' * (count > 1)}"
    done = "finished in" if outcome.succeeded else "ran for"
    say(f"{who} {done} {outcome.seconds:.1f} s; logs in {job.folder}")


def exit_code(result: JobResult, otherwise: int = 0) -> int:
    """The exit code of a command that has run a job."""
    if result.outcome.timed_out:
        return TIMED_OUT
    return otherwise if result.outcome.succeeded else SCRIPT_FAILED


def _show_failure(result: JobResult, failure: Failure, shown: tuple[int, ...]) -> None:
    """Print the rank that failed first, the end of its log unless it was shown, and what to do."""
    rank, endings = result.ranks[failure.rank], result.outcome.endings
    # if a launcher failed, its log is used for the rank; it was not shown yet
    own_log = endings[failure.rank].log == result.job.log(rank.number)
    if not own_log or rank.number not in shown:
        for line in failure.last_lines:
            say(f"  | {line}")
    others = "; the others were stopped" if any(ending.stopped for ending in endings) else ""
    first = " first" if len(result.ranks) > 1 else ""
    say(
        f"error: {_name(result, failure)} failed{first}, after {failure.seconds:.1f} s: "
        f"{failure.how}{others}"
    )
    if failure.advice:
        say(f"hint: {failure.advice}")
    if result.disk_full:
        say(f"hint: the disk of {result.job.folder} is full, so logs may end early")


def _name(result: JobResult, failure: Failure) -> str:
    """Return the rank that failed first, and its server if there are several real ones."""
    job, rank = result.job, result.ranks[failure.rank]
    name = "the command" if job.once else f"rank {rank.number}"
    several = job.on_npus and len(job.inventory.servers) > 1
    return f"{name} on {job.host(rank)}" if several else name


def _show_time_out(result: JobResult) -> None:
    """Print the last line of each rank that was still running."""
    from ascendify.processes import last_lines

    endings = result.outcome.endings
    running = [rank.number for rank, ending in zip(result.ranks, endings) if ending.stopped]
    for number in running[:_MOST_RANKS]:
        say(f"  | rank {number}: {last_lines(result.job.log(number))[-1] or '(printed nothing)'}")
    say(
        f"error: {len(running)} of {len(endings)} ranks had not ended when the time was up, and "
        "were stopped"
    )
    say("hint: the lines above are the last each of them printed; --timeout gives more time")


def say(line: str) -> None:
    """Print a line for people, apart from what the script prints."""
    print(line, file=sys.stderr)
