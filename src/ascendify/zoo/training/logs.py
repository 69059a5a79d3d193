"""What a run tells: lines as its guide has them, records for machines, curves, a progress bar."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from ascendify.zoo import files
from ascendify.zoo.device import TrainingDevice
from ascendify.zoo.recipe import Progress

PrintLine = Callable[[str], None]
"""Takes a line for standard output."""


class LogSink:
    """Something that is told; takes what concerns it."""

    def line(self, text: str) -> None:
        """A line for people."""

    def record(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Numbers by name: of a training step or an evaluation."""

    def advance(self, done: int, total: int, told: str) -> None:
        """How far something is."""

    def close(self) -> None:
        """Nothing more comes."""

    @property
    def size(self) -> int:
        """Bytes of lines written so far, 0 where there are none."""
        return 0


@dataclass(frozen=True)
class ResumePoint:
    """Where a run goes on: what its log has beyond belongs to steps that are done again."""

    step: int = 0
    lines: int | None = 0
    """Bytes of ``train.log`` by then; None where the checkpoint does not say."""

    @classmethod
    def of(cls, state: Mapping[str, Any] | None) -> ResumePoint:
        """The place of a checkpoint; the beginning where there is none."""
        return cls() if state is None else cls(int(state["step"]), state.get("log"))


class Log(LogSink):
    """Tells several; a rank that is not the first has none."""

    def __init__(self, sinks: Sequence[LogSink]) -> None:
        self._sinks = sinks

    def line(self, text: str) -> None:
        """Tell all."""
        for sink in self._sinks:
            sink.line(text)

    def record(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Tell all."""
        for sink in self._sinks:
            sink.record(kind, step, values)

    def advance(self, done: int, total: int, told: str) -> None:
        """Tell all."""
        for sink in self._sinks:
            sink.advance(done, total, told)

    def close(self) -> None:
        """Close all."""
        for sink in self._sinks:
            sink.close()

    @property
    def size(self) -> int:
        """Of the one that writes lines."""
        return sum(sink.size for sink in self._sinks)


@contextmanager
def open_log(
    folder: Path, resume_point: ResumePoint, print_line: PrintLine | None, bar: bool
) -> Iterator[Log]:
    """The log of a run that begins, or goes on from a place; what came later is forgotten."""
    sinks: list[LogSink] = [
        MetricsFile(folder / "metrics.jsonl", resume_point.step),
        TensorBoardCurves(folder, resume_point.step),
    ]
    sinks.append(LogFile(folder / "train.log", resume_point.lines, print_line))
    if bar and sys.stderr.isatty():
        sinks.append(ProgressBar())
    log = Log(sinks)
    try:
        yield log
    finally:
        log.close()


class LogFile(LogSink):
    """Lines on standard output and in a file."""

    def __init__(self, path: Path, kept: int | None, print_line: PrintLine | None) -> None:
        self._file = path.open("a", encoding="utf-8", buffering=1)
        if kept is not None and self.size > kept:
            self._file.truncate(kept)
        self._say = print_line

    @property
    def size(self) -> int:
        """Of the file."""
        return os.fstat(self._file.fileno()).st_size

    def line(self, text: str) -> None:
        """Write it."""
        self._file.write(f"{text}\n")
        if self._say is not None:
            self._say(text)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class MetricsFile(LogSink):
    """A JSON object a line; a number that is none is null."""

    def __init__(self, path: Path, step: int) -> None:
        kept = [line for line in _lines(path) if _step(line) <= step]
        files.write_text(path, "".join(f"{line}\n" for line in kept))
        self._file = path.open("a", encoding="utf-8", buffering=1)

    def record(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Write it."""
        finite = {name: value if math.isfinite(value) else None for name, value in values.items()}
        self._file.write(json.dumps({"kind": kind, "step": step, **finite}) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _step(line: str) -> float:
    """The step of a record; a line cut short, by a full disk perhaps, belongs to none."""
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return math.inf


class TensorBoardCurves(LogSink):
    """Curves for TensorBoard."""

    def __init__(self, folder: Path, step: int) -> None:
        # takes a second to import, which only training should
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415

        self._writer: Any = SummaryWriter(folder / "tensorboard", purge_step=step + 1)

    def record(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """A point on each curve."""
        for name, value in values.items():
            self._writer.add_scalar(f"{kind}/{name}", value, step)

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()


class ProgressBar(LogSink):
    """A progress bar on a terminal; lines pass above it."""

    def __init__(self) -> None:
        from rich.console import Console  # noqa: PLC0415 (not needed without a terminal)
        from rich.progress import (  # noqa: PLC0415
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            # what goes to a file or a pipe must not end up here
            redirect_stdout=sys.stdout.isatty(),
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("", total=None)
        self._bar.start()

    def advance(self, done: int, total: int, told: str) -> None:
        """Draw it."""
        self._bar.update(self._task, completed=done, total=total, description=told)

    def close(self) -> None:
        """Leave no trace."""
        self._bar.stop()


class StepTimer:
    """How fast training is; evaluations and checkpoints do not count."""

    def __init__(self, samples: int) -> None:
        self._samples = samples
        """Of a step, over all ranks."""
        self._laps: list[tuple[int, float]] = []
        self._since = time.perf_counter()
        self._last = 0

    def begin(self, step: int) -> None:
        """Count from here."""
        self._since, self._last = time.perf_counter(), step

    @contextmanager
    def paused(self, device: TrainingDevice) -> Iterator[None]:
        """Something that is no training, once the device has done what is."""
        device.synchronise()
        began = time.perf_counter()
        yield
        self._since += time.perf_counter() - began

    def lap(self, step: int) -> float:
        """Seconds a step since the lap before; the device has done all by now."""
        steps, seconds = step - self._last, time.perf_counter() - self._since
        self._laps.append((steps, seconds))
        self.begin(step)
        return seconds / steps

    @property
    def seconds_per_step(self) -> float:
        """Over the run, without the first lap, in which everything is made ready."""
        laps = self._laps[1:] or self._laps
        return sum(seconds for _, seconds in laps) / max(1, sum(steps for steps, _ in laps))

    def progress(self, step: int, lr: float, values: Mapping[str, float]) -> Progress:
        """End a lap with a line's worth of facts."""
        seconds = self.lap(step)
        others = {name: value for name, value in values.items() if name != "loss"}
        return Progress(step, values["loss"], lr, self._samples / seconds, seconds, others)
