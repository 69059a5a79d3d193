"""Compute the figures of a run from its logs: those of every rank, and those of the whole job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

from ascendify.launch.summary.folder import logs, read_plan
from ascendify.launch.summary.pieces import scan_all
from ascendify.launch.summary.scan import Scan, batch_size
from ascendify.launch.summary.series import Readings, Sample, as_count
from ascendify.launch.summary.tally import Tally

FROM_LOG, FROM_COMMAND, FROM_OPTION = "log", "command line", "--batch-size"
COMPUTED = "throughput and step time"
STAMPS, PROGRAM, ESTIMATE = "time stamps", "program", "steps times step time"


@dataclass(frozen=True)
class QuantityFigures:
    """A quantity that a log repeats, such as the loss: last, best and sampled values."""

    readings: int
    final: float
    lowest: float | None
    lowest_step: int | None
    highest: float | None
    highest_step: int | None
    not_finite: int
    first_not_finite: int | None
    """The step of the first value that is not finite."""
    steps: tuple[int, ...]
    values: tuple[float, ...]
    """A sample of all values, evenly spread over the steps."""
    counted: bool
    """Whether ``steps`` are numbers of readings, because the log has no steps."""


@dataclass(frozen=True)
class RankFigures:
    """The figures of one rank; None where its logs have none."""

    rank: int
    files: tuple[Path, ...]
    size: int
    formats: tuple[str, ...]
    first_step: int | None
    last_step: int | None
    loss: QuantityFigures | None
    accuracy: QuantityFigures | None
    eval_loss: QuantityFigures | None
    eval_accuracy: QuantityFigures | None
    step_seconds: float | None
    throughput: float | None
    """Samples a second of the whole job, as this rank prints it."""
    own_throughput: float | None
    """Samples a second of this rank alone."""
    batch_size: int | None
    batch_size_from: str | None
    wall_seconds: float | None
    wall_from: str | None
    tracebacks: int
    error: str
    """The last line of the first traceback."""

    @property
    def has_readings(self) -> bool:
        """Whether its logs have lines of a known format."""
        return bool(self.formats)


@dataclass(frozen=True)
class Summary:
    """The figures of a run."""

    folder: Path
    network: str
    size: int
    """How many ranks the job has; there may be fewer logs."""
    ranks: tuple[RankFigures, ...]
    batch_size: int | None
    """The batch size of one rank."""
    batch_size_from: str | None
    throughput: float | None
    """Samples a second of the whole job."""
    step_seconds: float | None
    """The median of the ranks'."""
    skew: float | None
    """The slowest rank's step time, to the median; None with one rank."""
    slowest: int | None
    wall_seconds: float | None
    wall_from: str | None
    problems: tuple[str, ...]

    @property
    def has_readings(self) -> bool:
        """Whether the log of any rank has lines of a known format."""
        return any(one.has_readings for one in self.ranks)

    @property
    def first(self) -> RankFigures:
        """The rank that represents the run: the lowest with a loss, or else with any readings."""
        return min(self.ranks, key=lambda one: (one.loss is None, not one.has_readings, one.rank))


def summarise(
    folder: Path,
    batch: int | None = None,
    ranks: int | None = None,
    network: str | None = None,
) -> Summary:
    """Read the logs of a run and compute its figures.

    Args:
        folder: The folder of the logs, or one log.
        batch: The batch size of a rank, where the logs do not contain it.
        ranks: How many ranks the job has, where that cannot be counted.
        network: Its name; that of the folder unless given.

    Raises:
        UsageError: there is nothing to read.
    """
    by_rank = logs(folder)
    known = read_plan(folder)
    command = batch_size(" ".join(known.command).encode("utf-8", "replace"))
    scans = scan_all([file for files in by_rank.values() for file in files])
    size = ranks or known.ranks or len(by_rank)
    figures = tuple(
        _rank(rank, [scans[file] for file in files], size, batch, command)
        for rank, files in by_rank.items()
    )
    name = network or (folder.parent if folder.is_file() else folder).resolve().name
    return _together(folder, name, size, figures)


def _rank(
    rank: int, scans: Sequence[Scan], ranks: int, given_batch: int | None, command: int | None
) -> RankFigures:
    by_format = [(name, tally) for one in scans for name, tally in one.tallies.items()]
    tallies = [tally for _, tally in by_format]
    seconds = _median(tallies, lambda one: one.seconds)
    throughput = _median(tallies, lambda one: one.throughput)
    own = _median(tallies, lambda one: one.own_throughput)
    batch, batch_from = _batch_size(scans, tallies, given_batch, command)
    if batch is None and throughput and seconds:
        batch, batch_from = as_count(throughput * seconds / ranks), COMPUTED
    if own is None and throughput is None and batch and seconds:
        own = batch / seconds
    first, last = _steps(tallies)
    wall, wall_from = _wall(scans, tallies, seconds, first, last)
    return RankFigures(
        rank=rank,
        files=tuple(one.file for one in scans),
        size=sum(one.size for one in scans),
        formats=tuple(dict.fromkeys(name for name, one in by_format if _has_readings(one))),
        first_step=first,
        last_step=last,
        loss=_quantity(tallies, lambda one: one.loss),
        accuracy=_quantity(tallies, lambda one: one.accuracy),
        eval_loss=_quantity(tallies, lambda one: one.eval_loss),
        eval_accuracy=_quantity(tallies, lambda one: one.eval_accuracy),
        step_seconds=seconds,
        throughput=throughput,
        own_throughput=own,
        batch_size=batch,
        batch_size_from=batch_from,
        wall_seconds=wall,
        wall_from=wall_from,
        tracebacks=sum(one.tracebacks for one in scans),
        error=next((one.error for one in scans if one.error), ""),
    )


_Counted = TypeVar("_Counted", Sample, Readings)


def _most(tallies: Sequence[Tally], of: Callable[[Tally], _Counted]) -> _Counted | None:
    """Of several formats with a quantity, choose the readings of the one that has most."""
    series = max(map(of, tallies), key=lambda one: one.count, default=None)
    return series if series is not None and series.count else None


def _median(tallies: Sequence[Tally], of: Callable[[Tally], Sample]) -> float | None:
    sample = _most(tallies, of)
    value = sample.median() if sample is not None else None
    return value if value and value > 0 else None


def _quantity(tallies: Sequence[Tally], of: Callable[[Tally], Readings]) -> QuantityFigures | None:
    series = _most(tallies, of)
    if series is None or series.last is None:
        return None
    lowest, lowest_step = series.lowest or (None, None)
    highest, highest_step = series.highest or (None, None)
    return QuantityFigures(
        series.count,
        series.last,
        lowest,
        lowest_step,
        highest,
        highest_step,
        series.not_finite,
        series.first_not_finite,
        tuple(series.sample.steps),
        tuple(series.sample.values),
        series.counted,
    )


def _has_readings(tally: Tally) -> bool:
    return bool(
        tally.readings
        or tally.throughput.count
        or tally.own_throughput.count
        or tally.eval_loss.count
        or tally.eval_accuracy.count
        or tally.began is not None
    )


def _batch_size(
    scans: Sequence[Scan], tallies: Sequence[Tally], given: int | None, command: int | None
) -> tuple[int | None, str | None]:
    measured = _median(tallies, lambda one: one.samples)
    logged = as_count(measured) if measured else None
    logged = logged or next((one.batch_size for one in scans if one.batch_size), None)
    choices = ((given, FROM_OPTION), (logged, FROM_LOG), (command, FROM_COMMAND))
    return next(((size, source) for size, source in choices if size), (None, None))


def _steps(tallies: Sequence[Tally]) -> tuple[int | None, int | None]:
    counted = [one for one in tallies if one.first_step is not None]
    if not counted:
        return None, None
    best = max(counted, key=lambda one: one.readings)
    return best.first_step, best.last_step


def _wall(
    scans: Sequence[Scan],
    tallies: Sequence[Tally],
    seconds: float | None,
    first: int | None,
    last: int | None,
) -> tuple[float | None, str | None]:
    """Seconds from the first to the last line, and where they come from; else an estimate.

    Some programs print the time only while they start: then the steps took longer than the times
    say.
    """
    own = max(
        (one.ended - one.began for one in tallies if one.began is not None and one.ended),
        default=0.0,
    )
    runtime = max((one.runtime for one in tallies if one.runtime), default=0.0)
    stamps = max((one.wall_seconds for one in scans if one.wall_seconds), default=0.0)
    steps = last - first if first is not None and last is not None else 0
    estimate = seconds * max(steps, 1) if seconds and last is not None else 0.0
    if own:
        return own, STAMPS
    if runtime:
        return runtime, PROGRAM
    if stamps > estimate / 2:
        return stamps, STAMPS
    return (estimate, ESTIMATE) if estimate else (None, None)


def _together(folder: Path, network: str, size: int, ranks: tuple[RankFigures, ...]) -> Summary:
    speeds = {one.rank: one.step_seconds for one in ranks if one.step_seconds}
    usual = median(speeds.values()) if speeds else None
    slowest = max(speeds, key=lambda rank: speeds[rank]) if len(speeds) > 1 else None
    with_batch = next((one for one in ranks if one.batch_size), ranks[0])
    walls = [(one.wall_seconds, one.wall_from) for one in ranks if one.wall_seconds is not None]
    wall, wall_from = max(walls, key=lambda wall: wall[0]) if walls else (None, None)
    return Summary(
        folder=folder,
        network=network,
        size=size,
        ranks=ranks,
        batch_size=with_batch.batch_size,
        batch_size_from=with_batch.batch_size_from,
        throughput=_job_throughput(ranks, size),
        step_seconds=usual,
        skew=speeds[slowest] / usual if slowest is not None and usual else None,
        slowest=slowest,
        wall_seconds=wall,
        wall_from=wall_from,
        problems=tuple(problem for one in ranks for problem in _problems(one)),
    )


def _job_throughput(ranks: Sequence[RankFigures], size: int) -> float | None:
    """Samples a second of the job: as ranks print it, else the sum of their own.

    Ranks that print nothing are counted with the mean of the others: all work in step.
    """
    whole = [one.throughput for one in ranks if one.throughput]
    if whole:
        return median(whole)
    own = [one.own_throughput for one in ranks if one.own_throughput]
    return sum(own) / len(own) * size if own else None


def _problems(one: RankFigures) -> list[str]:
    problems = []
    if one.loss is not None and one.loss.not_finite:
        count = one.loss.not_finite
        problems.append(
            f"rank {one.rank}: {count} loss{'es' * (count > 1)} not finite, "
            f"the first at step {one.loss.first_not_finite}"
        )
    if one.tracebacks:
        count = one.tracebacks
        error = f": {one.error}" if one.error else ""
        problems.append(f"rank {one.rank}: {count} traceback{'s' * (count > 1)}{error}")
    return problems
