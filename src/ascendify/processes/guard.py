"""Find every process of a run and stop it; also as a program, for a run that was killed.

A process belongs to a run if it is in the session of a process the run started, or if it carries
the run's mark in its environment: the mark also finds those that started a session of their own.
Reading other processes' environments takes Linux; elsewhere children are found by their parents.

Run as a script this is the guard: it reads the sessions from standard input and stops them when
the input ends without the word ``done``. That is what happens when the run is killed, by any
signal. It needs only the standard library, so it starts in a few milliseconds.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

MARK = "ASCENDIFY_PROCESSES"
"""Environment variable with the marks of the runs a process is part of, separated by commas."""
DONE = "done"
LAST_WAIT_SECONDS = 5.0
"""How long to wait for a killed process; one that hangs in a driver may never exit."""
_PAUSE_SECONDS = 0.02
_PROC = Path("/proc")
_GONE = ("Z", "X")
"""States of processes that have exited and wait for their parent to read their exit code."""


def stop(
    mark: str, sessions: Collection[int], grace: float, hurry: Callable[[], bool] = bool
) -> list[int]:
    """Stop every process of a run with SIGTERM, then SIGKILL; return those that are still there.

    Processes are listed again in every round, because they may start others.

    Args:
        mark: The mark of the run.
        sessions: Sessions that the run started.
        grace: Seconds between SIGTERM and SIGKILL.
        hurry: Returns True once the user interrupts again; then SIGKILL is sent at once.
    """
    force_at = time.monotonic() + grace
    give_up_at = force_at + LAST_WAIT_SECONDS
    sent: set[tuple[int, int]] = set()
    while True:
        left = members(mark, sessions)
        now = time.monotonic()
        if not left or now > give_up_at:
            return left
        number = signal.SIGTERM if now < force_at and not hurry() else signal.SIGKILL
        for process in left:
            if (process, number) not in sent:
                sent.add((process, number))
                _send(process, number)
        time.sleep(_PAUSE_SECONDS)


def members(mark: str, sessions: Collection[int]) -> list[int]:
    """Return the living processes of a run."""
    found = _by_proc(mark, sessions) if _PROC.joinpath("self", "stat").exists() else None
    if found is None:
        found = _by_ps(sessions)
    return [process for process in found if process != os.getpid()]


def _by_proc(mark: str, sessions: Collection[int]) -> list[int]:
    return [
        int(folder.name)
        for folder in _PROC.iterdir()
        if folder.name.isdigit() and _is_member(folder, mark.encode(), sessions)
    ]


def _is_member(folder: Path, mark: bytes, sessions: Collection[int]) -> bool:
    try:
        # The name of the program is in parentheses and may hold anything, parentheses too.
        state, _parent, group, session = (
            (folder / "stat").read_bytes().rpartition(b")")[2].split()[:4]
        )
        if state.decode() in _GONE:
            return False
        if int(session) in sessions or int(group) in sessions:
            return True
        variables = (folder / "environ").read_bytes().split(b"\0")
    except (OSError, ValueError):
        # It has just ended, or belongs to another user.
        return False
    start = MARK.encode() + b"="
    return any(
        mark in variable[len(start) :].split(b",")
        for variable in variables
        if variable.startswith(start)
    )


def _by_ps(sessions: Collection[int]) -> list[int]:
    listed = subprocess.run(
        ("ps", "-A", "-o", "pid=,ppid=,pgid=,stat="),  # noqa: S607 (where ps is differs)
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    ).stdout
    rows = [line.split()[:4] for line in listed.splitlines() if len(line.split()) >= 4]
    found: set[int] = set()
    grew = True
    while grew:
        before = len(found)
        found |= set(_of_family(rows, found, sessions))
        grew = len(found) > before
    return sorted(found)


def _of_family(rows: list[list[str]], found: set[int], sessions: Collection[int]) -> Iterator[int]:
    for process, parent, group, state in rows:
        if state[0] not in _GONE and (int(group) in sessions or int(parent) in found):
            yield int(process)


def _send(process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)


class Guard:
    """The run's connection to its guard process, which stops sessions if the run is killed."""

    def __init__(self, mark: str, grace: float) -> None:
        self._process = subprocess.Popen(  # noqa: S603 (our own program)
            # isolated and without site-packages, so that no code of the user runs in it
            (sys.executable, "-I", "-S", __file__, mark, str(grace)),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )

    def watch(self, session: int) -> None:
        """Add a session."""
        self._write(str(session))

    def dismiss(self) -> None:
        """End the guard: nothing is left to stop."""
        self._write(DONE)
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.wait()

    def _write(self, message: str) -> None:
        # If the guard was killed, the run goes on.
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.write(f"{message}\n")
                self._process.stdin.flush()


def main() -> None:
    """Wait for the run to end, and stop its processes if it was killed."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    mark, grace = sys.argv[1], float(sys.argv[2])
    messages = [line.strip() for line in sys.stdin]
    if DONE not in messages:
        stop(mark, {int(message) for message in messages if message.isdigit()}, grace)


if __name__ == "__main__":
    main()
