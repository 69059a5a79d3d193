"""How ranks ended that a launcher such as srun has started: each wrote it beside its log."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ascendify.launch.plan import Plan, Rank
from ascendify.processes import Ending, Outcome


def record(plan: Plan, rank: Rank) -> Path:
    """Where a rank's agent writes down how it ended."""
    return plan.log(rank.number).with_suffix(".ended")


def outcome(plan: Plan, ranks: Sequence[Rank], launcher: Outcome) -> Outcome:
    """What came of the ranks, where the launcher is the only process that was watched from here.

    A rank that has not written how it ended was stopped, unless the launcher says that all is well.
    """
    began = time.time() - launcher.seconds
    endings = [
        _ending(plan.log(rank.number), record(plan, rank), began, launcher) for rank in ranks
    ]
    failed = [number for number, ending in enumerate(endings) if ending.failed]
    return replace(
        launcher,
        endings=tuple(endings),
        failed=tuple(sorted(failed, key=lambda number: endings[number].seconds)),
    )


def _ending(log: Path, written: Path, began: float, launcher: Outcome) -> Ending:
    log.touch()
    try:
        told = json.loads(written.read_text(encoding="utf-8"))
        code, stopped = int(told["code"]), bool(told["stopped"])
        seconds = max(0.0, float(told["ended"]) - began)
    except (OSError, ValueError, KeyError, TypeError):
        well = launcher.succeeded
        return Ending(log, 0 if well else None, None, launcher.seconds, stopped=not well)
    # what ends badly when the launcher is stopped does so because of that
    stopped = stopped or (code != 0 and any(each.stopped for each in launcher.endings))
    by_signal = code < 0
    return Ending(log, None if by_signal else code, -code if by_signal else None, seconds, stopped)
