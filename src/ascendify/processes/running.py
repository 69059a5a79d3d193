"""Start processes in parallel, supervise them, and stop all of them together."""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, cast

from ascendify.processes.guard import LAST_WAIT_SECONDS, MARK, Guard, members, stop
from ascendify.processes.tail import Tail

GRACE_SECONDS = 5.0
"""Seconds between SIGTERM and SIGKILL: time to write a checkpoint."""
SETTLE_SECONDS = 0.5
"""Seconds that other processes may go on after the first failure, to print their own errors."""
BEAT_SECONDS = 10.0
"""Seconds between two empty lines to a process that reads from us: a sign that we still run."""
_LOOK_SECONDS = 0.05
_NOTICES = tuple(getattr(signal, name) for name in ("SIGUSR1", "SIGUSR2") if hasattr(signal, name))
"""Signals that schedulers send before the end of a job; scripts may handle them."""
_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if os.name == "posix" else []))


def is_supported() -> bool:
    """Whether this system has sessions and signals, by which all processes of a run are stopped."""
    return os.name == "posix"


@dataclass(frozen=True)
class Process:
    """A process to start."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    """All its variables; it inherits none."""
    folder: Path
    log: Path
    """The file for standard output and standard error."""
    cores: frozenset[int] = frozenset()
    """The cores it may run on; empty for all."""
    input: bytes | None = None
    """Its first input; then come lines, empty as a sign of life or ``signal NUMBER``. The input
    stays open until the process is to end, or this program has ended."""


@dataclass(frozen=True)
class Ending:
    """How one process ended."""

    log: Path
    exit_code: int | None
    """None if a signal ended it."""
    signal: int | None
    seconds: float
    stopped: bool
    """Whether we stopped it: another failed, the time was up, or the user interrupted."""

    @classmethod
    def from_code(cls, log: Path, code: int | None, seconds: float, *, stopped: bool) -> Ending:
        """Convert an exit code as Python gives it: negative if a signal ended the process."""
        if code is not None and code < 0:
            return cls(log, None, -code, seconds, stopped)
        return cls(log, code, None, seconds, stopped)

    @classmethod
    def from_shell_code(cls, log: Path, code: int, seconds: float, *, stopped: bool) -> Ending:
        """Convert an exit code as shells give it: 128 plus the number of the signal."""
        by_signal = code - 128 in signal.valid_signals()
        return cls.from_code(log, 128 - code if by_signal else code, seconds, stopped=stopped)

    @property
    def failed(self) -> bool:
        """Whether it failed by itself."""
        return not self.stopped and self.exit_code != 0

    @property
    def how(self) -> str:
        """How it ended, as text: ``exit code 3``."""
        if self.signal is None:
            return f"exit code {self.exit_code}"
        try:
            return f"signal {signal.Signals(self.signal).name}"
        except ValueError:
            return f"signal {self.signal}"


@dataclass(frozen=True)
class Outcome:
    """How all processes ended."""

    endings: tuple[Ending, ...]
    """How the processes ended, in the order in which they were given."""
    failed: tuple[int, ...]
    """Positions of the processes that failed by themselves, in the order of their failures."""
    seconds: float
    timed_out: bool = False
    left_behind: int = 0
    """How many child processes outlived their parents; they have been stopped."""

    @property
    def succeeded(self) -> bool:
        """Whether every process ended by itself with exit code 0."""
        return not self.timed_out and all(ending.exit_code == 0 for ending in self.endings)


def run_all(
    processes: Sequence[Process],
    *,
    tail: Tail | None = None,
    timeout: float | None = None,
    grace: float = GRACE_SECONDS,
    settle: float = SETTLE_SECONDS,
) -> Outcome:
    """Run the processes to their end; when one fails the others are stopped.

    No process of theirs is left when this returns or raises.

    Raises:
        KeyboardInterrupt: on Ctrl-C, once everything is stopped.
        SystemExit: on SIGTERM and SIGHUP, likewise, with the code shells give to them.
        OSError: one of the commands could not be started.
    """
    with postpone_interruptions() as interrupted:
        run = _Run(processes, grace, interrupted)
        try:
            with pass_on_signals(run.pass_on):
                run.start()
                outcome = run.watch(tail, timeout, settle)
        finally:
            run.end()
            if tail is not None:
                tail.close()
    return outcome


class _Run:
    """The processes of one call of :func:`run_all`, from start to end."""

    def __init__(
        self, processes: Sequence[Process], grace: float, interrupted: Sequence[int]
    ) -> None:
        self._processes = processes
        self._grace = grace
        self._interrupted = interrupted
        self._mark = secrets.token_hex(8)
        self._guard: Guard | None = Guard(self._mark, grace)
        self._began = time.monotonic()
        self._started: list[subprocess.Popen[bytes]] = []
        self._listening: set[int] = set()
        self._ended: queue.Queue[tuple[int, float]] = queue.Queue()
        self._waiting: list[threading.Thread] = []

    def start(self) -> None:
        """Start them all."""
        for process in self._processes:
            process.log.write_bytes(b"")
        for number, process in enumerate(self._processes):
            started = self._start_one(process)
            self._started.append(started)
            if self._guard is not None:
                self._guard.watch(started.pid)
            # A thread each, so that the order in which they end is known, however close.
            waiting = threading.Thread(target=self._wait, args=(number, started), daemon=True)
            waiting.start()
            self._waiting.append(waiting)

    def _start_one(self, process: Process) -> subprocess.Popen[bytes]:
        outer = process.environment.get(MARK)
        marks = f"{outer},{self._mark}" if outer else self._mark
        with process.log.open("ab") as log, _on_cores(process.cores):
            started = subprocess.Popen(  # noqa: S603 (running the user's command is the point)
                process.command,
                env={**process.environment, MARK: marks},
                cwd=process.folder,
                stdin=subprocess.DEVNULL if process.input is None else subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                bufsize=0,  # or closing the input would wait for the thread that writes to it
                start_new_session=True,
            )
        if process.input is not None:
            feeding = threading.Thread(
                target=self._feed, args=(started, process.input), daemon=True
            )
            feeding.start()
        return started

    def _feed(self, started: subprocess.Popen[bytes], data: bytes) -> None:
        """Write the input of a process, then empty lines at intervals until the input is closed."""
        with contextlib.suppress(OSError, ValueError):
            stream = cast("IO[bytes]", started.stdin)
            left = memoryview(data)
            while left:
                left = left[stream.write(left) :]
            self._listening.add(started.pid)
            while started.poll() is None:
                time.sleep(BEAT_SECONDS)
                stream.write(b"\n")

    def _close_inputs(self) -> None:
        """Close the inputs, so that agents stop their ranks, and wait for them to do it."""
        reading = [started for started in self._started if started.stdin is not None]
        for started in reading:
            with contextlib.suppress(OSError):
                cast("IO[bytes]", started.stdin).close()
        until = time.monotonic() + self._grace + LAST_WAIT_SECONDS
        while time.monotonic() < until and any(each.poll() is None for each in reading):
            if len(self._interrupted) > 1:
                break
            time.sleep(_LOOK_SECONDS)

    def _wait(self, number: int, started: subprocess.Popen[bytes]) -> None:
        started.wait()
        self._ended.put((number, time.monotonic()))

    def watch(self, tail: Tail | None, timeout: float | None, settle: float) -> Outcome:
        """Wait until all have ended, or until they must be stopped."""
        deadline = None if timeout is None else self._began + timeout
        by_themselves: dict[int, float] = {}
        stop_at: float | None = None
        timed_out = False
        while len(by_themselves) < len(self._started) and not self._interrupted:
            with contextlib.suppress(queue.Empty):
                number, moment = self._ended.get(timeout=_LOOK_SECONDS)
                by_themselves[number] = moment
                if self._started[number].returncode != 0 and stop_at is None:
                    stop_at = moment + settle
            if tail is not None:
                tail.advance()
            now = time.monotonic()
            timed_out = deadline is not None and now >= deadline and stop_at is None
            if timed_out or (stop_at is not None and now >= stop_at):
                break
        all_ended = len(by_themselves) == len(self._started)
        left_behind = self._left_behind(settle) if all_ended else 0
        self.end()
        return self._outcome(by_themselves, timed_out, left_behind)

    def pass_on(self, number: int, _frame: FrameType | None) -> None:
        """Send a signal to every running process.

        A process that reads from us runs its rank on another machine: it gets a line instead.
        """
        for started in self._started:
            if started.poll() is not None:
                continue
            if started.stdin is None:
                started.send_signal(number)
            elif started.pid in self._listening:
                with contextlib.suppress(OSError, ValueError):
                    started.stdin.write(f"signal {number}\n".encode())

    @property
    def _sessions(self) -> set[int]:
        return {started.pid for started in self._started}

    def _left_behind(self, patience: float) -> int:
        """Count child processes that still run although their parents have exited."""
        until = time.monotonic() + patience
        while (left := len(members(self._mark, self._sessions))) and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
        return left

    def _outcome(
        self, by_themselves: dict[int, float], timed_out: bool, left_behind: int
    ) -> Outcome:
        now = time.monotonic()
        moments = dict(by_themselves)
        while not self._ended.empty():
            number, moment = self._ended.get()
            moments[number] = moment
        endings = tuple(
            Ending.from_code(
                process.log,
                started.returncode,
                moments.get(number, now) - self._began,
                stopped=number not in by_themselves,
            )
            for number, (process, started) in enumerate(zip(self._processes, self._started))
        )
        in_order = sorted(by_themselves, key=lambda number: by_themselves[number])
        failed = tuple(number for number in in_order if endings[number].failed)
        return Outcome(endings, failed, now - self._began, timed_out, left_behind)

    def end(self) -> None:
        """Stop all processes that are left; do nothing if none is."""
        if self._guard is None:
            return
        self._close_inputs()
        stop(self._mark, self._sessions, self._grace, hurry=lambda: len(self._interrupted) > 1)
        for waiting in self._waiting:
            waiting.join(timeout=1.0)
        # Only now: if this process is killed before, the guard stops the processes.
        self._guard.dismiss()
        self._guard = None


@contextlib.contextmanager
def _on_cores(cores: frozenset[int]) -> Iterator[None]:
    """Bind this process to some cores while it starts another, which inherits the binding."""
    if not cores or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores & before or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def pass_on_signals(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Call a handler with SIGUSR1 and SIGUSR2, which schedulers send and scripts act on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in _NOTICES}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


@contextlib.contextmanager
def postpone_interruptions() -> Iterator[list[int]]:
    """Collect signals that end this process, and exit only when the block is over.

    Raises:
        KeyboardInterrupt: at the end of the block, after Ctrl-C.
        SystemExit: at the end of the block, after SIGTERM or SIGHUP, with the code shells give.
    """
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return

    def remember(number: int, _frame: FrameType | None) -> None:
        received.append(number)

    # A signal that is ignored stays ignored: nohup relies on that.
    heard = [each for each in _ENDING_SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
    before = {number: signal.signal(number, remember) for number in heard}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if signal.SIGINT in received:
        raise KeyboardInterrupt
    if received:
        raise SystemExit(128 + received[0])
