"""Keep a bounded number of readings of one quantity, however many there are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

MOST_KEPT = 2048
"""How many readings are kept; beyond that every second one is dropped."""
_WARM_UP = 0.1
"""The share of readings at the start that is left out of medians: compiling slows these steps."""


class Sample:
    """Every n-th reading; all of them while there are few, so that figures of short runs are exact.

    Those between are not converted to numbers, which would be most of the work.
    """

    def __init__(self) -> None:
        self.count = 0
        self.steps: list[int] = []
        self.values: list[float] = []
        self._every = 1

    def extend(self, steps: Sequence[Any], column: Sequence[Any]) -> None:
        """Add readings, as numbers or text; skip what is not a finite number."""
        if None in column or b"" in column:
            # where some lines have no value, sample among those that have one
            present = [number for number, text in enumerate(column) if text not in (None, b"")]
            steps, column = [steps[n] for n in present], [column[n] for n in present]
        self.add(steps, column)

    def add(self, steps: Sequence[Any], column: Sequence[Any]) -> None:
        """Add readings of lines that all have a value."""
        start = -self.count % self._every
        kept, values = _readable(steps[start :: self._every], column[start :: self._every])
        self.count += len(column)
        self.steps += map(int, kept)
        self.values += values
        self._thin()

    def join(self, later: Sample, shift: int) -> None:
        """Add the sample of the next piece of the log, its steps shifted."""
        every = max(self._every, later._every)
        self._thin(every)
        later._thin(every)
        self.steps += [step + shift for step in later.steps]
        self.values += later.values
        self.count += later.count
        self._thin()

    def _thin(self, every: int = 1) -> None:
        while len(self.values) > MOST_KEPT or self._every < every:
            del self.steps[1::2], self.values[1::2]
            self._every *= 2

    def median(self) -> float | None:
        """The median of the readings after the warm-up."""
        steady = self.values[math.ceil(len(self.values) * _WARM_UP) :] or self.values
        return median(steady) if steady else None


class Readings:
    """A sample of the readings, with the extremes, the last and the non-finite ones of all."""

    def __init__(self) -> None:
        self.sample = Sample()
        self.counted = False
        """Whether steps are numbers of readings, because the log has no steps."""
        self.last: float | None = None
        """The last reading, finite or not."""
        self.lowest: tuple[float, int] | None = None
        """The lowest reading with its step; the first of equal ones."""
        self.highest: tuple[float, int] | None = None
        self.not_finite = 0
        self.first_not_finite: int | None = None
        """The step of the first reading that is not finite."""

    @property
    def count(self) -> int:
        """How many readings there were, finite or not."""
        return self.sample.count + self.not_finite

    def extend(self, steps: Sequence[Any], column: Sequence[Any]) -> None:
        """Add readings, as numbers or text; skip what is not a number."""
        try:
            values = list(map(float, column))
        except (TypeError, ValueError, OverflowError):
            steps, values = _readable(steps, column, finite=False)
        if not values:
            return
        self.last = values[-1]
        # the sum is finite only if all are, and far cheaper than looking at each
        if not math.isfinite(sum(values)):
            steps, values = self._finite(steps, values)
        if values:
            self._compare(steps, values)
            self.sample.add(steps, values)

    def join(self, later: Readings, shift: int) -> None:
        """Add the readings of the next piece of the log, their steps shifted."""
        self.sample.join(later.sample, shift)
        self.counted = later.counted if later.count else self.counted
        self.last = self.last if later.last is None else later.last
        self.not_finite += later.not_finite
        if self.first_not_finite is None and later.first_not_finite is not None:
            self.first_not_finite = later.first_not_finite + shift
        if later.lowest and (self.lowest is None or later.lowest[0] < self.lowest[0]):
            self.lowest = later.lowest[0], later.lowest[1] + shift
        if later.highest and (self.highest is None or later.highest[0] > self.highest[0]):
            self.highest = later.highest[0], later.highest[1] + shift

    def _finite(
        self, steps: Sequence[Any], values: Sequence[float]
    ) -> tuple[Sequence[Any], list[float]]:
        bad = [number for number, value in enumerate(values) if not math.isfinite(value)]
        if bad and self.first_not_finite is None:
            self.first_not_finite = int(steps[bad[0]])
        self.not_finite += len(bad)
        kept, finite = _readable(steps, values)
        return kept, finite

    def _compare(self, steps: Sequence[Any], values: list[float]) -> None:
        low, high = min(values), max(values)
        if self.lowest is None or low < self.lowest[0]:
            self.lowest = low, int(steps[values.index(low)])
        if self.highest is None or high > self.highest[0]:
            self.highest = high, int(steps[values.index(high)])


def as_number(text: Any) -> float | None:
    """A number from its text, from itself, or from nothing."""
    try:
        # a sentence may end in a number
        return float(text.rstrip(b".") if isinstance(text, bytes) else text)
    except (TypeError, ValueError, OverflowError):
        return None


def as_positive(text: Any) -> float | None:
    """A number that can be a duration or a rate: finite and above 0."""
    value = as_number(text)
    return value if value is not None and math.isfinite(value) and value > 0 else None


def as_count(value: float) -> int | None:
    """The nearest whole number; None for 0 and for numbers that cannot be a count."""
    return (round(value) if math.isfinite(value) else 0) or None


def _readable(
    steps: Sequence[Any], column: Sequence[Any], finite: bool = True
) -> tuple[list[Any], list[float]]:
    kept: list[Any] = []
    values: list[float] = []
    for step, text in zip(steps, column):
        if text is None or text == b"":
            continue
        value = as_number(text)
        if value is not None and (not finite or math.isfinite(value)):
            kept.append(step)
            values.append(value)
    return kept, values
