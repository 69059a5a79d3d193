"""The machine the doctor examines: its files, its environment, and commands that run on it.

The doctor reads everything through this module, so that tests can use a folder tree instead of a
server, and so that every command has a time limit.
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
"""How many bytes of a file are read; files that the doctor reads are far smaller."""


@dataclass(frozen=True)
class CommandResult:
    """Exit status and output of a command."""

    code: int | None
    """None when it did not start or exceeded the time limit; then ``failure`` says why."""
    output: str = ""
    """Standard output and error, in the order they came."""
    failure: str = ""


def run(command: Sequence[str], environment: Mapping[str, str], patience: float) -> CommandResult:
    """Run a command; kill it and its children after ``patience`` seconds."""
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
        return CommandResult(None, failure=f"{command[0]} does not start: {error.strerror}")
    try:
        output, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        _kill(process)
        return CommandResult(
            None, failure=f"{Path(command[0]).name} did not answer within {patience:.0f} s"
        )
    except BaseException:
        _kill(process)
        raise
    return CommandResult(process.returncode, output.decode("utf-8", "replace"))


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    # A process stuck in the driver cannot be killed; do not wait for it.
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
    """The doctor's own process: neither it nor its parents are left-over processes."""
    runner: Callable[[Sequence[str], Mapping[str, str], float], CommandResult] = run
    free_bytes: Callable[[Path], int | None] = _free_bytes
    usable: Callable[[Path], bool] = _usable
    """Whether this user may read and write a file."""

    @property
    def home(self) -> str:
        """The user's home folder."""
        return self.environment.get("HOME") or "/root"

    def path(self, name: str) -> Path:
        """Return the real path of an absolute path of the machine."""
        return self.root / name.lstrip("/")

    def text(self, name: str) -> str | None:
        """Return a file's text; None when it is missing or cannot be read."""
        try:
            with self.path(name).open("rb") as file:
                return file.read(_LARGEST).decode("utf-8", "replace")
        except (OSError, ValueError):
            return None

    def names(self, folder: str) -> list[str] | None:
        """Return the sorted names in a folder; None when it is missing or cannot be read."""
        try:
            return sorted(path.name for path in self.path(folder).iterdir())
        except (OSError, ValueError):
            return None

    def exists(self, name: str) -> bool:
        """Whether a file or folder exists."""
        try:
            return self.path(name).exists()
        except (OSError, ValueError):
            return False

    def link(self, name: str) -> str | None:
        """Return the target of a link; None when it is not a link or cannot be read."""
        try:
            return str(self.path(name).readlink())
        except OSError:
            return None

    def which(self, program: str) -> str | None:
        """Return the program that the user's shell would start; None when there is none."""
        return shutil.which(program, path=self.environment.get("PATH", os.defpath))

    def run(self, command: Sequence[str], patience: float = PATIENCE_SECONDS) -> CommandResult:
        """Run a command with a time limit."""
        return self.runner(command, self.environment, patience)


def pairs(text: str) -> dict[str, str]:
    """Parse ``key=value`` lines, keys in lower case; other lines are skipped."""
    lines = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {key.strip().lower(): value.strip() for key, _, value in lines}
