"""Run commands of the tools that try releases, each to its end."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class NotPossibleError(Exception):
    """A release cannot be tried here; the message says why."""


def run(
    command: Sequence[str], variables: Mapping[str, str], timeout: float = 3600
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; one that takes too long has failed.

    A variable that is given as empty is not set.
    """
    shell = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    shell = {name: value for name, value in shell.items() if value or name not in variables}
    try:
        return subprocess.run(  # noqa: S603 (commands of this tool)
            command, env=shell, cwd=ROOT, capture_output=True, text=True, check=False,
            timeout=timeout,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"not done in {timeout:.0f} seconds")


def run_checked(command: Sequence[str], **variables: str) -> str:
    """What a command prints.

    Raises:
        NotPossibleError: it failed.
    """
    ended = run(command, variables)
    if ended.returncode:
        raise NotPossibleError(last_line(ended.stderr))
    return ended.stdout


def last_line(output: str) -> str:
    """The last line that says something."""
    return next((line for line in reversed(output.splitlines()) if line.strip()), "no message")
