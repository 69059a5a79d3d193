"""The learning rate of a step, in closed form: nothing to save, nothing to restore.

Steps count from 0. As in the guides, the warm-up takes the place of the schedule's first steps
and does not shift it: a cosine of 1000 steps with a warm-up of 100 continues, at step 100, where a
cosine of 1000 steps is at step 100. Past the last step the rate stays what it was there.
"""

from __future__ import annotations

import bisect
import math
from typing import Callable

from ascendify.errors import UsageError
from ascendify.zoo.config import Schedule

_NEEDS_EVERY = {
    "staircase": "a staircase needs steps between two stairs",
    "epoch-cosine": "a cosine by epochs needs the steps of an epoch",
}
ONE_CYCLE_START = 1 / 25
"""Of the base rate: where one-cycle starts."""
ONE_CYCLE_END = 1 / 10_000
"""Of the base rate: where one-cycle ends."""


def rate(schedule: Schedule, base_lr: float, step: int, total_steps: int) -> float:
    """Return the learning rate of a step in a run of ``total_steps``."""
    validate(schedule, total_steps)
    step = min(step, total_steps)
    if schedule.kind not in _OWN_WARMUP and step < schedule.warmup:
        return base_lr * step / schedule.warmup
    return _KINDS[schedule.kind](schedule, base_lr, step, total_steps)


def validate(schedule: Schedule, total_steps: int) -> None:
    """Refuse a schedule that contradicts itself or the run."""
    if schedule.warmup and schedule.warmup >= total_steps:
        raise UsageError(
            f"train.schedule.warmup={schedule.warmup} does not end before "
            f"train.steps={total_steps}",
            "make the warm-up shorter or the run longer",
        )
    if schedule.kind in _NEEDS_EVERY and schedule.every < 1:
        raise UsageError(
            f"train.schedule.every={schedule.every}: {_NEEDS_EVERY[schedule.kind]}",
            "set train.schedule.every to 1 or more",
        )
    if schedule.kind == "piecewise":
        _validate_pieces(schedule)


def _validate_pieces(schedule: Schedule) -> None:
    boundaries, factors = schedule.boundaries, schedule.factors
    if len(factors) != len(boundaries) + 1:
        raise UsageError(
            f"train.schedule.factors has {len(factors)} values, "
            f"train.schedule.boundaries {len(boundaries)}",
            "a piecewise schedule has one factor more than boundaries: before, between and after",
        )
    if any(left >= right for left, right in zip(boundaries, boundaries[1:])):
        raise UsageError(
            f"train.schedule.boundaries={boundaries} does not rise",
            "write the steps in rising order, each once",
        )


def _constant(schedule: Schedule, lr: float, step: int, total: int) -> float:
    return lr


def _cosine(schedule: Schedule, lr: float, step: int, total: int) -> float:
    return lr / 2 * (1 + math.cos(math.pi * step / total))


def _polynomial(schedule: Schedule, lr: float, step: int, total: int) -> float:
    return (lr - schedule.end) * math.pow(1 - step / total, schedule.power) + schedule.end


def _staircase(schedule: Schedule, lr: float, step: int, total: int) -> float:
    return lr * math.pow(schedule.decay, step // schedule.every)


def _piecewise(schedule: Schedule, lr: float, step: int, total: int) -> float:
    """As TensorFlow's: a boundary is the last step of the piece before it."""
    return lr * schedule.factors[bisect.bisect_left(schedule.boundaries, step)]


def _one_cycle(schedule: Schedule, lr: float, step: int, total: int) -> float:
    """Half a cosine from lr/25 up to lr at step ``warmup``, another down to lr/10000 at the end.

    Here the warm-up is the rise itself. PyTorch's OneCycleLR ends another 25 times lower.
    """
    top = schedule.warmup
    if step < top:
        return _between(lr * ONE_CYCLE_START, lr, step / top)
    return _between(lr, lr * ONE_CYCLE_END, (step - top) / (total - top))


def _epoch_cosine(schedule: Schedule, lr: float, step: int, total: int) -> float:
    """As the AlexNet guide: a cosine over the run that stays the same within an epoch.

    Its warm-up reaches the base rate in its last step, one earlier than the others.
    """
    if step < schedule.warmup:
        return lr * (step + 1) / schedule.warmup
    epoch, epochs = step // schedule.every, total / schedule.every
    return lr / 2 * (1 + math.cos(math.pi * min(epoch / epochs, 1)))


def _between(start: float, end: float, share: float) -> float:
    """Half a cosine from start, at share 0, to end, at share 1."""
    return end + (start - end) / 2 * (1 + math.cos(math.pi * share))


_KINDS: dict[str, Callable[[Schedule, float, int, int], float]] = {
    "constant": _constant,
    "cosine": _cosine,
    "polynomial": _polynomial,
    "staircase": _staircase,
    "piecewise": _piecewise,
    "one-cycle": _one_cycle,
    "epoch-cosine": _epoch_cosine,
}
_OWN_WARMUP = ("one-cycle", "epoch-cosine")
"""Schedules with another warm-up than the straight one from 0."""
