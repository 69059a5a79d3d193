"""Logs of a run: lines in the guide's format, JSON records, TensorBoard, a progress bar."""

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
    """A destination of the log; the methods do nothing by default."""

    def line(self, text: str) -> None:
        """Log a line for people."""

    def record(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Log the values of a training step or an evaluation."""

    def advance(self, done: int, total: int, activity: str) -> None:
        """Show the progress of an activity."""

    def close(self) -> None:
        """Close the log."""

    @property
    def size(self) -> int:
        """Bytes of lines written so far, 0 where there are none."""
        return 0


@dataclass(frozen=True)
class ResumePoint:
    """The point a run resumes from; later entries of its log are removed."""

    step: int = 0
    lines: int | None = 0
    """Size of ``train.log`` at that point; None if the checkpoint does not have it."""

    @classmethod
    def of(cls, state: Mapping[str, Any] | None) -> ResumePoint:
        """Return the resume point of a checkpoint; the beginning if there is none."""
        return cls() if state is None else cls(int(state["step"]), state.get("log"))


class Log(LogSink):
    """Passes everything to several sinks; ranks other than the first have none."""

    def __init__(self, sinks: Sequence[LogSink]) -> None:
        self._sinks = sinks

    def line(self, text: str) -> None:
        """Pass it to all sinks."""
        for sink in self._sinks:
            sink.line(text)

    def record(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Pass it to all sinks."""
        for sink in self._sinks:
            sink.record(kind, step, values)

    def advance(self, done: int, total: int, activity: str) -> None:
        """Pass it to all sinks."""
        for sink in self._sinks:
            sink.advance(done, total, activity)

    def close(self) -> None:
        """Close all sinks."""
        for sink in self._sinks:
            sink.close()

    @property
    def size(self) -> int:
        """Bytes of the log file."""
        return sum(sink.size for sink in self._sinks)


@contextmanager
def open_log(
    folder: Path, resume_point: ResumePoint, print_line: PrintLine | None, bar: bool
) -> Iterator[Log]:
    """Open the log of a run that starts or resumes; entries after the resume point are removed."""
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
        """Bytes of the file."""
        return os.fstat(self._file.fileno()).st_size

    def line(self, text: str) -> None:
        """Write it to the file."""
        self._file.write(f"{text}\n")
        if self._say is not None:
            self._say(text)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class MetricsFile(LogSink):
    """One JSON object per line; NaN and infinity are null."""

    def __init__(self, path: Path, step: int) -> None:
        kept = [line for line in _lines(path) if _step(line) <= step]
        files.write_text(path, "".join(f"{line}\n" for line in kept))
        self._file = path.open("a", encoding="utf-8", buffering=1)

    def record(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Write it to the file."""
        finite = {name: value if math.isfinite(value) else None for name, value in values.items()}
        self._file.write(json.dumps({"kind": kind, "step": step, **finite}) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _step(line: str) -> float:
    """Return the step of a record; infinity for a line cut short, such as by a full disk."""
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
        """Add a point to each curve."""
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
            # output to a file or a pipe must not be redirected
            redirect_stdout=sys.stdout.isatty(),
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("", total=None)
        self._bar.start()

    def advance(self, done: int, total: int, activity: str) -> None:
        """Draw the bar."""
        self._bar.update(self._task, completed=done, total=total, description=activity)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.stop()


class StepTimer:
    """Measures the time of training steps, without evaluations and checkpoints."""

    def __init__(self, samples: int) -> None:
        self._samples = samples
        """Samples of a step, over all ranks."""
        self._laps: list[tuple[int, float]] = []
        self._since = time.perf_counter()
        self._last = 0

    def begin(self, step: int) -> None:
        """Start a lap."""
        self._since, self._last = time.perf_counter(), step

    @contextmanager
    def pause(self, device: TrainingDevice) -> Iterator[None]:
        """Exclude a block from the measurement, after the device has finished its work."""
        device.synchronise()
        began = time.perf_counter()
        yield
        self._since += time.perf_counter() - began

    def lap(self, step: int) -> float:
        """End a lap and return its seconds per step; the device must be idle."""
        steps, seconds = step - self._last, time.perf_counter() - self._since
        self._laps.append((steps, seconds))
        self.begin(step)
        return seconds / steps

    @property
    def seconds_per_step(self) -> float:
        """Mean over the run, without the first lap, in which kernels are compiled."""
        laps = self._laps[1:] or self._laps
        return sum(seconds for _, seconds in laps) / max(1, sum(steps for steps, _ in laps))

    def progress(self, step: int, lr: float, values: Mapping[str, float]) -> Progress:
        """End a lap and return the progress for a log line."""
        seconds = self.lap(step)
        others = {name: value for name, value in values.items() if name != "loss"}
        return Progress(step, values["loss"], lr, self._samples / seconds, seconds, others)
