"""The rank that is to blame when a job fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ascendify.processes import Outcome, last_lines
from ascendify.processes.tail import TRACEBACK


@dataclass(frozen=True)
class Failure:
    """The rank that failed first, and what is known of it."""

    rank: int
    """Position among the processes of the outcome."""
    how: str
    seconds: float
    last_lines: tuple[str, ...]
    """The end of its log, without frames of libraries."""
    advice: str
    """Empty when there is none."""


def blame(
    outcome: Outcome,
    *,
    is_consequence: Callable[[Sequence[str]], bool],
    explain: Callable[[Sequence[str], int | None], str],
    shorten: Callable[[Sequence[str]], tuple[str, ...]] = tuple,
) -> Failure | None:
    """Who is to blame: the first that did not fail merely because another had gone.

    A rank that has told its error may take longer to end than one that waits for it in vain, and
    is then stopped with the others: what it told counts more than who ended first.
    """
    if not outcome.failed:
        return None
    ends = {rank: last_lines(ending.log) for rank, ending in enumerate(outcome.endings)}
    stopped = [
        rank
        for rank, ending in enumerate(outcome.endings)
        if ending.stopped and ends[rank][0].startswith(TRACEBACK)
    ]
    to_blame = [rank for rank in (*outcome.failed, *stopped) if not is_consequence(ends[rank])]
    rank = to_blame[0] if to_blame else outcome.failed[0]
    ending = outcome.endings[rank]
    how = "stopped while it was ending" if ending.stopped else ending.how
    advice = explain(ends[rank], None if ending.stopped else ending.signal)
    return Failure(rank, how, ending.seconds, shorten(ends[rank]), advice)
