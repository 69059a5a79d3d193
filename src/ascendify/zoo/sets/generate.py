"""Generate record files in many processes; a file depends only on the settings and its number.

A folder has a ``manifest.json`` with the settings. Another run with the same settings generates
only missing files. Files are complete or not there at all, so a run can be killed at any time.

A program that calls ``generate`` with several workers must be importable without starting again
(``if __name__ == "__main__"``): the workers are spawned.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import signal
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Callable, Optional, Protocol

import numpy
import PIL

from ascendify import __version__
from ascendify.errors import UsageError
from ascendify.zoo.cores import cores
from ascendify.zoo.records import RecordWriter

MANIFEST = "manifest.json"
LEFT_OUT = ".left-out.txt"
"""Suffix of the list of samples that a record file leaves out, and why."""
ALL_LEFT_OUT = "left-out.txt"
"""The list for all record files together."""
_REPORT_EVERY = 0.2
_PATIENCE = 10.0
"""Seconds that workers have to stop."""

Advance = Callable[[int, int], None]
"""Called with the number of samples done, and of all samples."""


class SampleSource(Protocol):
    """Samples by number; every worker process gets a copy."""

    def record(self, index: int) -> bytes:
        """Return a sample as a record; raises LeftOut for a sample that cannot be used."""


class LeftOut(Exception):  # noqa: N818 - not an error: the set is made without it
    """A sample that cannot be used; the message says which and why, on one line."""


@dataclass(frozen=True)
class Shard:
    """One file: a range of the samples of a source."""

    path: str
    """Path relative to the folder of the set."""
    source: str
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True)
class DataSetPlan:
    """All files of a data set, and the settings they depend on."""

    settings: Mapping[str, Any]
    """All settings that the files depend on, as JSON types."""
    sources: Mapping[str, SampleSource]
    shards: Sequence[Shard]

    @property
    def counts(self) -> dict[str, int]:
        """Number of samples of each source."""
        return {
            name: sum(len(shard) for shard in self.shards if shard.source == name)
            for name in self.sources
        }


@dataclass(frozen=True)
class GenerationResult:
    """What a run of ``generate`` has done."""

    folder: Path
    samples: int
    """Samples generated in this run."""
    found: int
    """Samples that were there before."""
    seconds: float
    left_out: Sequence[str] = field(default=())
    """One line for each sample left out, in order, in this or an earlier run."""


def make_shards(
    source: str, count: int, files: int, name: Callable[[int], str], first: int = 0
) -> list[Shard]:
    """Divide ``count`` samples into files of nearly equal size; ``name`` gives a number's path."""
    files = max(1, min(files, count))
    ends = [count * number // files for number in range(files + 1)]
    return [
        Shard(name(first + number), source, start, stop)
        for number, (start, stop) in enumerate(zip(ends, ends[1:]))
        if stop > start
    ]


def generate(
    plan: DataSetPlan,
    folder: Path,
    workers: Optional[int] = None,
    advance: Optional[Advance] = None,
) -> GenerationResult:
    """Generate all files of a plan that are missing.

    Raises:
        UsageError: the folder holds a set of other settings or cannot be written, or the disk is
            full; finished files stay.
    """
    began = time.monotonic()
    _claim_folder(plan, folder)
    missing = [shard for shard in plan.shards if not (folder / shard.path).exists()]
    _remove_leftovers(folder, plan.shards)
    total = sum(map(len, missing))
    progress = _Progress(total, advance)
    workers = min(workers or cores(), len(missing))
    if workers > 1:
        _Workers(plan.sources, missing, folder, workers).run(progress.add)
    else:
        for shard in missing:
            _write(plan.sources[shard.source], shard, folder, progress.add)
    left_out = list(_left_out(folder, plan.shards))
    if left_out:
        _write_text(folder / ALL_LEFT_OUT, "\n".join(left_out) + "\n")
    _write_manifest(plan, folder, complete=True, left_out=len(left_out))
    found = sum(map(len, plan.shards)) - total
    return GenerationResult(folder, total, found, time.monotonic() - began, left_out)


def read_manifest(folder: Path) -> Optional[dict[str, Any]]:
    """Read the manifest of a folder; None if it is not a generated set."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text("utf-8"))
        return manifest if manifest["settings"] is not None else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", "remove the folder and generate it again"
        ) from error


class _Progress:
    """Counts the samples done and reports them to ``advance``."""

    def __init__(self, total: int, advance: Optional[Advance]) -> None:
        self._done = 0
        self._total = total
        self._advance = advance

    def add(self, samples: int) -> None:
        self._done += samples
        if self._advance:
            self._advance(self._done, self._total)


def _claim_folder(plan: DataSetPlan, folder: Path) -> None:
    """Write the manifest, or check that the existing one has the same settings."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "name another")
    there = read_manifest(folder)
    if there is None:
        _write_manifest(plan, folder, complete=False, left_out=0)
    elif there.get("hash") != _hash(plan.settings):
        wanted = json.loads(json.dumps(plan.settings))
        raise UsageError(
            f"{folder} holds a set of other settings: {_difference(there['settings'], wanted)}",
            "name another folder, or give the settings of this one",
        )


def _difference(there: Any, here: Any) -> str:
    for name in {**there, **here}:
        if there.get(name) != here.get(name):
            return f"{name} is {there.get(name)!r:.60} there, {here.get(name)!r:.60} here"
    return "they differ"


def _write_manifest(plan: DataSetPlan, folder: Path, *, complete: bool, left_out: int) -> None:
    content = {
        "settings": plan.settings,
        "hash": _hash(plan.settings),
        "counts": plan.counts,
        "left_out": left_out,
        "complete": complete,
        "files": [shard.path for shard in plan.shards],
        "versions": {
            "ascendify": __version__,
            "python": platform.python_version(),
            "numpy": numpy.__version__,
            "pillow": PIL.__version__,
        },
    }
    _write_text(folder / MANIFEST, json.dumps(content, indent=1) + "\n")


def _hash(settings: Mapping[str, Any]) -> str:
    return sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def _write_text(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, "utf-8")
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise UsageError(
            f"{path} cannot be written: {error.strerror}",
            "name a folder you may write to, with room for the set",
        ) from error


def _remove_leftovers(folder: Path, shards: Sequence[Shard]) -> None:
    """Remove temporary files of processes that no longer run."""
    for parent in {(folder / shard.path).parent for shard in shards}:
        for part in parent.glob(".*"):
            writer = part.name.rpartition(".")[2]
            if writer.isdigit() and not _is_alive(int(writer)):
                part.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # a process of another user
    return True


def _left_out(folder: Path, shards: Sequence[Shard]) -> Iterator[str]:
    for shard in shards:
        notes = folder / (shard.path + LEFT_OUT)
        if notes.exists():
            yield from notes.read_text("utf-8").splitlines()


def _write(source: SampleSource, shard: Shard, folder: Path, done: Callable[[int], None]) -> None:
    reported, last = 0, time.monotonic()
    left_out = []
    with RecordWriter(folder / shard.path) as writer:
        for index in range(shard.start, shard.stop):
            try:
                writer.write(source.record(index))
            except LeftOut as reason:
                left_out.append(str(reason))
            now = time.monotonic()
            if now - last > _REPORT_EVERY:
                written = index + 1 - shard.start
                done(written - reported)
                reported, last = written, now
        if left_out:
            # before the file gets its name, so that a file never exists without its list
            _write_text(folder / (shard.path + LEFT_OUT), "\n".join(left_out) + "\n")
    done(len(shard) - reported)


class _Stopped(Exception):  # noqa: N818
    """The run is over: the worker stops in the middle of a file."""


class _Workers:
    """Worker processes that generate one file after the other, until all are done or one fails.

    Each worker has a pipe to the parent. If it is closed, because the run is over or was killed,
    the worker discards its file and exits.
    """

    def __init__(
        self,
        sources: Mapping[str, SampleSource],
        shards: Sequence[Shard],
        folder: Path,
        workers: int,
    ) -> None:
        context = multiprocessing.get_context("spawn")
        self._left = list(reversed(shards))
        self._processes = {}
        with _block_interrupts():
            for _ in range(workers):
                ours, theirs = context.Pipe()
                process = context.Process(
                    target=_run_worker, args=(dict(sources), folder, theirs), daemon=True
                )
                process.start()
                theirs.close()
                self._processes[ours] = process

    def run(self, done: Callable[[int], None]) -> None:
        """Assign files to the workers until all are generated."""
        listening = list(self._processes)
        try:
            while listening:
                ready = wait(listening)
                for pipe in [pipe for pipe in listening if pipe in ready]:
                    samples = self._receive(pipe)
                    if isinstance(samples, int):
                        done(samples)
                    elif self._left:
                        with suppress(ConnectionError):  # the worker died: the next read reports it
                            pipe.send(self._left.pop())
                    else:
                        pipe.close()
                        listening.remove(pipe)
        finally:
            self._end()

    def _receive(self, pipe: Connection) -> Optional[int]:
        """Return the number of samples a worker has done; None if it is idle."""
        try:
            message = pipe.recv()
        except (EOFError, ConnectionError):
            process = self._processes[pipe]
            process.join()
            raise UsageError(
                f"a worker exited with status {process.exitcode}",
                "if it was killed for lack of memory, run again with fewer --workers",
            ) from None
        if isinstance(message, BaseException):
            raise message
        return message if message is None else int(message)

    def _end(self) -> None:
        for pipe in self._processes:
            pipe.close()
        until = time.monotonic() + _PATIENCE
        for process in self._processes.values():
            process.join(max(0.0, until - time.monotonic()))
            if process.is_alive():
                process.terminate()
                process.join()


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block SIGINT in this thread, so that processes started meanwhile inherit that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_worker(sources: Mapping[str, SampleSource], folder: Path, pipe: Connection) -> None:
    """Run a worker process; the parent handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def done(samples: int) -> None:
        if pipe.poll():  # the parent sends nothing to a busy worker, so the pipe was closed
            raise _Stopped
        pipe.send(samples)

    with suppress(_Stopped, EOFError, ConnectionError):  # the run is over
        try:
            while True:
                pipe.send(None)
                shard = pipe.recv()
                _write(sources[shard.source], shard, folder, done)
        except UsageError as error:
            pipe.send(UsageError(error.message, error.hint))
        except (_Stopped, EOFError, ConnectionError):
            raise
        except Exception:
            pipe.send(RuntimeError(f"a worker failed:\n{traceback.format_exc()}"))
