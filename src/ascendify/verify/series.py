"""Pair the series of two runs and find where they differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ascendify.verify.captured import FETCH, GRADIENT, LOSS, Series
from ascendify.verify.tolerance import Tolerance, less_precise, relative_error


@dataclass(frozen=True)
class Divergence:
    """The first step at which two series differ by more than is allowed."""

    step: int
    original: float
    migrated: float
    allowed: float
    """Relative error."""


@dataclass(frozen=True)
class Comparison:
    """Two series side by side."""

    original: Series
    migrated: Series
    compared: int
    """Points that both have."""
    largest_error: float
    mean_error: float
    first_divergence: Divergence | None
    diverging: int
    """Points that differ by more than is allowed."""
    undefined_from: int | None = None
    """First step at which both are no number."""
    other_data: tuple[int, int] | None = None
    """Evaluations that saw different numbers of batches, which are not compared."""
    leaves_out: bool = False
    """Whether the migrated project evaluates fewer batches although it could evaluate all."""
    rank: int = 0

    @property
    def name(self) -> str:
        """As the original calls it."""
        return self.original.name

    @property
    def agrees(self) -> bool:
        """Whether every shared point is close enough, and there is one that says something."""
        known = self.compared > 0 or self.other_data is not None
        return self.first_divergence is None and known and not self.says_nothing

    @property
    def parts_at(self) -> int:
        """The first step that differs, 0 where none does."""
        return self.first_divergence.step if self.first_divergence is not None else 0

    @property
    def says_nothing(self) -> bool:
        """Whether already the first point of both series is not a number."""
        return self.undefined_from is not None and self.undefined_from == self._first_step

    @property
    def _first_step(self) -> int | None:
        return self.original.points[0].step if self.original.points else None


@dataclass(frozen=True)
class Alignment:
    """Which series of the two runs record the same quantity."""

    pairs: tuple[tuple[Series, Series], ...]
    only_original: tuple[Series, ...]
    only_migrated: tuple[Series, ...]


def align(original: Sequence[Series], migrated: Sequence[Series]) -> Alignment:
    """Pair by name and source, then by name; what is left by order of appearance.

    Only losses, and fetched numbers that were seen at the same steps: anything else that has no
    namesake is no more likely to be the same thing than not.
    """
    left, right = list(original), list(migrated)
    pairs = [
        *_pair(left, right, lambda one: (one.source, one.name)),
        *_pair(left, right, lambda one: one.name),
        *_pair_losses(left, right),
        *_pair_fetches(left, right),
    ]
    order = {id(one): number for number, one in enumerate(original)}
    pairs.sort(key=lambda pair: order[id(pair[0])])
    return Alignment(tuple(pairs), tuple(left), tuple(right))


def _pair(
    left: list[Series], right: list[Series], key: Callable[[Series], object]
) -> Iterator[tuple[Series, Series]]:
    """Pair items of two lists that have the same key, and remove them from both."""
    for one in tuple(left):
        match = next((other for other in right if key(other) == key(one)), None)
        if match is not None:
            left.remove(one)
            right.remove(match)
            yield one, match


def _pair_losses(left: list[Series], right: list[Series]) -> Iterator[tuple[Series, Series]]:
    losses = [[one for one in side if one.source == LOSS] for side in (left, right)]
    for one, other in zip(*losses):
        left.remove(one)
        right.remove(other)
        yield one, other


def _pair_fetches(left: list[Series], right: list[Series]) -> Iterator[tuple[Series, Series]]:
    fetched = [[one for one in side if one.source == FETCH] for side in (left, right)]
    if [_steps(one) for one in fetched[0]] == [_steps(one) for one in fetched[1]]:
        for one, other in zip(*fetched):
            left.remove(one)
            right.remove(other)
            yield one, other


def _steps(series: Series) -> list[int]:
    return [point.step for point in series.points]


def compare(original: Series, migrated: Series, tolerance: Tolerance, rank: int = 0) -> Comparison:
    """Compare two series at the steps both have."""
    dtype = less_precise(original.dtype, migrated.dtype)
    gradient = original.source == GRADIENT
    others = dict(migrated.numbered)
    first, diverging, undefined_from, other_data = None, 0, None, None
    leaves_out = False
    errors = []
    for position, (key, point) in enumerate(original.numbered):
        if key not in others:
            continue
        value, other = point.value, others[key].value
        batches = point.batches, others[key].batches
        if batches[0] is not None and batches[1] is not None and batches[0] != batches[1]:
            other_data = other_data or (batches[0], batches[1])
            leaves_out = leaves_out or (others[key].whole and batches[1] < batches[0])
            continue
        errors.append(relative_error(value, other))
        if math.isnan(value) and math.isnan(other) and undefined_from is None:
            undefined_from = key[0]
        same = tolerance.accepts(
            value, other, position, dtype, gradient=gradient, name=original.name
        )
        if not same:
            diverging += 1
            allowed = tolerance.allowed(position, dtype, gradient=gradient)
            first = first or Divergence(key[0], value, other, allowed)
    if tolerance.means and errors:
        first, diverging = _compare_means(original, migrated, tolerance, dtype)
    return Comparison(
        original=original,
        migrated=migrated,
        compared=len(errors),
        largest_error=max(errors, default=0.0),
        mean_error=_mean(errors),
        first_divergence=first,
        diverging=diverging,
        undefined_from=undefined_from,
        other_data=other_data,
        leaves_out=leaves_out,
        rank=rank,
    )


def _compare_means(
    original: Series, migrated: Series, tolerance: Tolerance, dtype: str
) -> tuple[Divergence | None, int]:
    """Where the means of two series differ, and of how many points."""
    left, right = (
        sum(point.value for point in series.points) / len(series.points)
        for series in (original, migrated)
    )
    if tolerance.accepts(left, right, 0, dtype):
        return None, 0
    allowed = tolerance.allowed(0, dtype)
    return Divergence(original.points[0].step, left, right, allowed), len(original.points)


def _mean(errors: Sequence[float]) -> float:
    if not errors or math.inf in errors:
        return math.inf if errors else 0.0
    return math.fsum(errors) / len(errors)
