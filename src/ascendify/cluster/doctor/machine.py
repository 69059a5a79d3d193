"""The machine the doctor looks at: its files, its environment, and the commands it answers.

Everything goes through here, so that a test can stand a folder tree in for a server, and so that
no look ever waits for ever.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

PATIENCE_SECONDS = 20.0
_LARGEST = 1 << 22
"""Bytes of a file that are read; what the doctor reads is far smaller."""


@dataclass(frozen=True)
class Ran:
    """What a command answered."""

    code: int | None
    """None when it did not start or did not end in time; then ``failure`` says why."""
    output: str = ""
    """Standard output and error, in the order they came."""
    failure: str = ""


def run(command: Sequence[str], environment: Mapping[str, str], patience: float) -> Ran:
    """Run a command to its end, or to the end of patience; its children end with it."""
    try:
        process = subprocess.Popen(  # noqa: S603 (npu-smi, or the user's own interpreter)
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return Ran(None, failure=f"{command[0]} does not start: {error.strerror}")
    try:
        output, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        _end(process)
        return Ran(None, failure=f"{Path(command[0]).name} gave no answer in {patience:.0f} s")
    except BaseException:
        _end(process)
        raise
    return Ran(process.returncode, output.decode("utf-8", "replace"))


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    # A process stuck in the driver cannot be killed: it must not hold the doctor.
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)
    if process.stdout:
        process.stdout.close()


def _free_bytes(path: Path) -> int | None:
    try:
        return shutil.disk_usage(path).free
    except OSError:
        return None


def _usable(path: Path) -> bool:
    return os.access(path, os.R_OK | os.W_OK)


@dataclass(frozen=True)
class Machine:
    """A server as the user's shell sees it."""

    root: Path = Path("/")
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    folder: str = field(default_factory=os.getcwd)
    """Where a training would be started."""
    pid: int = field(default_factory=os.getpid)
    """The process that looks: neither it nor its parents are left over."""
    runner: Callable[[Sequence[str], Mapping[str, str], float], Ran] = run
    free_bytes: Callable[[Path], int | None] = _free_bytes
    usable: Callable[[Path], bool] = _usable
    """Whether this user may read and write a file."""

    @property
    def home(self) -> str:
        """The user's folder."""
        return self.environment.get("HOME") or "/root"

    def path(self, name: str) -> Path:
        """Where an absolute path of the machine really is."""
        return self.root / name.lstrip("/")

    def text(self, name: str) -> str | None:
        """A file's text; None when it is missing or may not be read."""
        try:
            with self.path(name).open("rb") as file:
                return file.read(_LARGEST).decode("utf-8", "replace")
        except (OSError, ValueError):
            return None

    def names(self, folder: str) -> list[str] | None:
        """What is in a folder, sorted; None when it is missing or may not be read."""
        try:
            return sorted(path.name for path in self.path(folder).iterdir())
        except (OSError, ValueError):
            return None

    def exists(self, name: str) -> bool:
        """Whether a file or folder is there."""
        try:
            return self.path(name).exists()
        except (OSError, ValueError):
            return False

    def link(self, name: str) -> str | None:
        """Where a link leads; None when it is none or may not be read."""
        try:
            return str(self.path(name).readlink())
        except OSError:
            return None

    def which(self, program: str) -> str | None:
        """The program the user's shell would start; None when there is none."""
        return shutil.which(program, path=self.environment.get("PATH", os.defpath))

    def run(self, command: Sequence[str], patience: float = PATIENCE_SECONDS) -> Ran:
        """What a command answers, within a time limit."""
        return self.runner(command, self.environment, patience)


def pairs(text: str) -> dict[str, str]:
    """``key=value`` lines, keys in small letters; other lines are left out."""
    lines = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {key.strip().lower(): value.strip() for key, _, value in lines}
