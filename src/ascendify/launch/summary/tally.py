"""Readings of one format in one log: losses, speeds, times."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ascendify.launch.summary.patterns import EVAL, Columns, ReadingKind
from ascendify.launch.summary.series import Readings, Sample, as_count, as_number, as_positive


class Tally:
    """The readings from lines of one format, by quantity."""

    def __init__(self) -> None:
        self.loss, self.accuracy = Readings(), Readings()
        self.eval_loss, self.eval_accuracy = Readings(), Readings()
        self.seconds = Sample()
        """Seconds that a step took."""
        self.throughput = Sample()
        """Samples a second of all ranks together."""
        self.own_throughput = Sample()
        """Samples a second of this rank."""
        self.samples = Sample()
        """Samples in a step of this rank."""
        self.first_step: int | None = None
        self.last_step: int | None = None
        self.began: float | None = None
        """Unix time."""
        self.ended: float | None = None
        self.runtime: float | None = None
        """Seconds that the whole run took, as the program prints it."""
        self._counted = {True: 0, False: 0}
        """Number of lines without a step, of evaluations (True) and of the training (False)."""
        self._before: int | None = None
        """The step of the preceding line."""
        self._epoch_start = 0
        self._first: tuple[int, bool] | None = None
        """The first number of batches in the log, and whether it counts a whole epoch."""
        self._batch = 0

    @property
    def readings(self) -> int:
        """How many readings there are of the training itself, evaluations left out."""
        return max(self.loss.count, self.accuracy.count, self.seconds.count)

    def take(self, kind: ReadingKind, columns: Columns) -> None:
        """Add values read from lines of one kind."""
        evaluating = kind is EVAL
        steps = self._steps(columns, evaluating)
        for field, series in (
            ("loss", self.eval_loss if evaluating else self.loss),
            ("accuracy", self.eval_accuracy if evaluating else self.accuracy),
            ("eval_loss", self.eval_loss),
            ("eval_accuracy", self.eval_accuracy),
        ):
            if field in columns:
                series.extend(steps, columns[field])
                series.counted = isinstance(steps, range)
        self._take_times(columns)
        if not evaluating:
            self._take_speed(columns, steps)

    def join(self, later: Tally) -> None:
        """Add the readings of the next piece of the same log."""
        moved = self._epochs_before(later)
        by_step = (self.loss, later.loss), (self.accuracy, later.accuracy)
        by_evaluation = (
            (self.eval_loss, later.eval_loss),
            (self.eval_accuracy, later.eval_accuracy),
        )
        for evaluating, pairs in ((False, by_step), (True, by_evaluation)):
            for own, other in pairs:
                own.join(other, self._counted[evaluating] if other.counted else moved)
            self._counted[evaluating] += later._counted[evaluating]
        for name in ("seconds", "throughput", "own_throughput", "samples"):
            getattr(self, name).join(getattr(later, name), moved)
        if later.last_step is not None and later.first_step is not None:
            first, last = later.first_step + moved, later.last_step + moved
            self.first_step = first if self.first_step is None else self.first_step
            self.last_step = max(last, self.last_step or 0)
        self.began = later.began if self.began is None else self.began
        self.ended = self.ended if later.ended is None else later.ended
        self.runtime = self.runtime if later.runtime is None else later.runtime
        self._epoch_start, self._batch = moved + later._epoch_start, later._batch or self._batch

    def _epochs_before(self, later: Tally) -> int:
        """The steps of the epochs that ended before the next piece, where a log counts batches."""
        batch, whole = later._first or (self._batch, False)
        return self._epoch_start + (self._batch if batch < self._batch or whole else 0)

    def _steps(self, columns: Columns, evaluating: bool) -> Sequence[Any]:
        """The step of every line: as the log says it, else by counting lines."""
        count = len(next(iter(columns.values())))
        if "step" in columns:
            steps = self._fill_steps(columns["step"])
        elif "batch" in columns:
            steps = self._by_epoch(columns) if "epoch" in columns else list(self._count_on(columns))
        elif self.last_step is not None and not evaluating:
            return [self.last_step] * count
        else:
            start = self._counted[evaluating]
            if "loss" in columns or "accuracy" in columns:
                self._counted[evaluating] += count
            return range(start + 1, start + count + 1)
        if not evaluating and count:
            self.first_step = int(steps[0]) if self.first_step is None else self.first_step
            self.last_step = max(int(steps[-1]), self.last_step or 0)
        return steps

    def _fill_steps(self, steps: Sequence[Any]) -> Sequence[Any]:
        """Give lines without a step that of the line before."""
        if None not in steps:
            return steps
        filled, latest = [], self.last_step or 0
        for step in steps:
            latest = int(step) if step is not None else latest
            filled.append(latest)
        return filled

    def _by_epoch(self, columns: Columns) -> list[int]:
        return [
            int(epoch) * int(batches) + int(batch)
            for epoch, batch, batches in zip(columns["epoch"], columns["batch"], columns["batches"])
        ]

    def _count_on(self, columns: Columns) -> Iterator[int]:
        """Steps of the whole training from counts of batches that restart with every epoch."""
        for text, whole in zip(columns["batch"], columns["whole_epoch"]):
            batch = int(text)
            if self._first is None:
                self._first = batch, whole
            if batch < self._batch or whole:
                self._epoch_start += self._batch
            self._batch = batch
            yield self._epoch_start + batch

    def _take_times(self, columns: Columns) -> None:
        for field, unit in (("time", 1.0), ("centiseconds", 0.01)):
            if field not in columns:
                continue
            times = [t * unit for t in map(as_number, columns[field]) if t is not None]
            times = [time for time in times if math.isfinite(time)]
            if times:
                # a step's time is that of its end
                lead = as_positive(columns["seconds"][0]) if "seconds" in columns else None
                if self.began is None:
                    self.began = times[0] - (lead or 0.0)
                self.ended = max(times[-1], self.ended or times[-1])
        if "runtime" in columns:
            self.runtime = as_positive(columns["runtime"][-1])

    def _take_speed(self, columns: Columns, steps: Sequence[Any]) -> None:
        for field, series in (
            ("seconds", self.seconds),
            ("throughput", self.throughput),
            ("own_throughput", self.own_throughput),
            ("samples", self.samples),
        ):
            if field in columns:
                series.extend(steps, columns[field])
        if "rate" in columns:
            rates = [as_positive(text) for text in columns["rate"]]
            self.seconds.extend(steps, [1 / rate if rate else None for rate in rates])
            self._count_by_rate(rates[-1])
        if "interval" in columns:
            self.seconds.extend(steps, list(self._per_step(columns["interval"], steps)))
        if "samples" in columns and "seconds" in columns:
            self.own_throughput.extend(
                steps,
                [
                    samples / seconds if samples and seconds else None
                    for samples, seconds in zip(
                        map(as_positive, columns["samples"]), map(as_positive, columns["seconds"])
                    )
                ],
            )

    def _per_step(self, intervals: Sequence[Any], steps: Sequence[Any]) -> Iterator[float | None]:
        """Seconds a step from the time since the line before; loggers may print a line twice."""
        for text, value in zip(intervals, steps):
            step, interval = int(value), as_positive(text)
            passed = 0 if self._before is None else step - self._before
            self._before = step
            yield interval / passed if interval and passed > 0 else None

    def _count_by_rate(self, rate: float | None) -> None:
        if self.runtime and rate and self.last_step is None:
            self.first_step, self.last_step = 0, as_count(self.runtime * rate)
