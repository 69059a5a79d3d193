"""Find the rank that failed first, and explain why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ascendify.cluster import codes
from ascendify.emulation import failures
from ascendify.processes import Outcome, last_lines
from ascendify.processes.tail import TRACEBACK


@dataclass(frozen=True)
class Failure:
    """The rank that failed first: how, when, its last output, and what to do."""

    rank: int
    """Position among the processes of the outcome."""
    how: str
    seconds: float
    last_lines: tuple[str, ...]
    """The end of its log, without frames of libraries."""
    advice: str
    """Empty when there is none."""


def blame(outcome: Outcome, *, on_npus: bool) -> Failure:
    """Find the rank that failed first, and not only because another rank had failed before it.

    If none failed, it is the first that was still running when the time was over, else the first.
    """
    ends = [last_lines(ending.log) for ending in outcome.endings]
    stopped = [number for number, ending in enumerate(outcome.endings) if ending.stopped]
    # A rank that has printed its error may take longer to exit than one that waits for it,
    # and is then stopped with the others: what it printed counts more than who exited first.
    raised = [number for number in stopped if ends[number][0].startswith(TRACEBACK)]
    causes = [n for n in (*outcome.failed, *raised) if not is_consequence(ends[n])]
    candidates = (*causes, *outcome.failed) if outcome.failed else stopped
    number = next(iter(candidates), 0)
    ending = outcome.endings[number]
    how = "stopped while it was ending" if ending.stopped else ending.how
    advice = explain(ends[number], None if ending.stopped else ending.signal, on_npus=on_npus)
    shown = failures.without_libraries(ends[number])
    return Failure(number, how, ending.seconds, shown, advice)


def consequences() -> tuple[str, ...]:
    """Patterns of lines that ranks print because another failed; agents get them."""
    following = [code for code in codes.all_codes() if code.follows]
    named = "|".join(re.escape(code.code) for code in following if code.code.isalnum())
    return (failures.CONSEQUENCE.pattern, rf"\b(?:{named})\b")


def is_consequence(last_lines: Sequence[str]) -> bool:
    """Whether the end of a log shows that the rank failed only because another had exited."""
    found = codes.explain(last_lines)
    follows = bool(found) and all(each.code.follows for each in found)
    return follows or failures.is_consequence(last_lines)


def explain(last_lines: Sequence[str], signal: int | None, *, on_npus: bool) -> str:
    """Return what to do about a failure; empty if the script itself is the cause.

    Error codes are those of the NPU's software. On the CPU their messages have other causes: a
    missing torch_npu, for one, means that the stand-ins were not found.
    """
    found = codes.explain(last_lines) if on_npus else ()
    if not found:
        return failures.explain(last_lines, signal)
    code = found[0].code
    return f"{code.code}: {code.meaning} {code.fix} (ascendify explain {code.code} says more)"
