"""Launches in a folder of their own: started, waited for, and what their ranks have logged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import ascendify

PYTHON = sys.executable
PATIENCE = 180
"""Seconds for what takes a few, on a machine with much to do."""

CORES = "import os\nprint(sorted(os.sched_getaffinity(0)))"
"""A script that tells where it may run."""
two_cores = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="needs two cores",
)


def start(folder: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    """Start a launch in a folder and a process of its own; logs go to ``logs`` there."""
    return subprocess.Popen(
        (PYTHON, "-m", "ascendify", "launch", "--log-dir", str(folder / "logs"), *arguments),
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(running: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait for the end of a launch."""
    out, err = running.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess((), running.returncode, out, err)


def launch(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Launch to the end."""
    return ascendify(
        "launch", "--log-dir", folder / "logs", *arguments, cwd=folder, variables=variables
    )


def script(folder: Path, source: str, name: str = "train.py") -> str:
    """Write what the ranks run; its name."""
    (folder / name).write_text(source, encoding="utf-8")
    return name


def logs(folder: Path) -> dict[str, str]:
    """What the ranks have printed, by the name of the log."""
    return {path.name: path.read_text() for path in sorted((folder / "logs").glob("rank-*.log"))}


def in_time(
    folder: Path, ranks: int, run: Callable[[str], subprocess.CompletedProcess[str]]
) -> subprocess.CompletedProcess[str]:
    """Run ranks that do not end by themselves, with a limit of seconds in which all of them begin.

    A rank that begins makes a file ``began-<rank>``; ``run`` takes the limit.
    """
    for seconds in ("8", "30", "120"):
        shutil.rmtree(folder / "logs", ignore_errors=True)
        ended = run(seconds)
        if len(list(folder.glob("began-*"))) == ranks:
            return ended
    raise AssertionError(f"not all ranks began in {seconds} seconds: {ended.stderr}")
