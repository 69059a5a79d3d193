"""How commands that run a script tell what came of it, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ascendify.cli.output import warn

if TYPE_CHECKING:
    from ascendify.launch.failure import Failure
    from ascendify.processes import Outcome

SCRIPT_FAILED = 3
TIMED_OUT = 4
_RANKS_TOLD = 8
"""How many ranks' last words are worth reading when a run hangs."""


def failure(
    found: Failure, who: str, *, among_others: bool, others_stopped: bool, already_shown: bool
) -> None:
    """The process to blame, its last words where they were not shown, and what to do."""
    if not already_shown:
        for line in found.last_lines:
            say(f"  | {line}")
    others = "; the others were stopped" if others_stopped else ""
    first = " first" if among_others else ""
    say(f"error: {who} failed{first}, after {found.seconds:.1f} s: {found.how}{others}")
    if found.advice:
        say(f"hint: {found.advice}")


def time_out(outcome: Outcome, ranks: Sequence[int], log: Callable[[int], Path]) -> None:
    """What each rank said last before the time was up."""
    from ascendify.processes import last_lines

    running = [rank for rank, ending in zip(ranks, outcome.endings) if ending.stopped]
    for rank in running[:_RANKS_TOLD]:
        say(f"  | rank {rank}: {last_lines(log(rank))[-1] or '(printed nothing)'}")
    say(
        f"error: {len(running)} of {len(ranks)} ranks had not ended when the time was up, and were "
        "stopped"
    )
    say("hint: the lines above are the last each of them printed; --timeout gives more time")


def left_behind(outcome: Outcome) -> None:
    """Processes that a script forgot."""
    if outcome.left_behind:
        warn(
            f"{outcome.left_behind} processes were still running when the command had "
            "ended, and were stopped; a script that starts some in the background must wait"
        )


def ended(outcome: Outcome, who: str, folder: object) -> None:
    """One line at the end."""
    done = "finished in" if outcome.succeeded else "ran for"
    say(f"{who} {done} {outcome.seconds:.1f} s; logs in {folder}")


def say(line: str) -> None:
    """A line for people, beside what the script prints."""
    print(line, file=sys.stderr)
