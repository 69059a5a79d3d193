"""Starts the ranks of a small job and waits for them all."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from ascendify.jobs.ports import free_port
from support.interpreters import INTERPRETERS, PACKAGES, user_environment

SCRIPTS = Path(__file__).parents[1] / "emulation" / "scripts"
LIMIT = 300


@dataclass(frozen=True)
class Ended:
    """How one rank ended: exit code, output, errors."""

    code: int
    output: str
    errors: str


def numpy_python() -> str:
    """An interpreter with numpy: this one, or one of those with TensorFlow."""
    candidates = [sys.executable, *(os.environ.get(name, "") for name in INTERPRETERS.values())]
    for candidate in filter(None, candidates):
        found = subprocess.run([candidate, "-c", "import numpy"], capture_output=True, check=False)
        if not found.returncode:
            return candidate
    pytest.skip("no interpreter with numpy: install it, or set ASCENDIFY_TF2_PYTHON")


def job() -> str:
    """An address on which nobody listens, and a token."""
    return f"127.0.0.1:{free_port()}:{secrets.token_hex(8)}"


def start(
    python: str, script: str, *arguments: str, rank: int, **environment: str
) -> subprocess.Popen[str]:
    """One rank."""
    return subprocess.Popen(
        [python, str(SCRIPTS / script), *arguments],
        env={
            **user_environment(),
            "PYTHONPATH": str(PACKAGES),
            "RANK_ID": str(rank),
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_ranks(
    python: str,
    script: str,
    *arguments: str,
    size: int,
    only: tuple[int, ...] | None = None,
    environment: Mapping[str, str] | None = None,
) -> list[Ended]:
    """Start the ranks of a job (or only some of them) and wait for them."""
    settings = {"ASCENDIFY_JOB": job(), "RANK_SIZE": str(size), **(environment or {})}
    processes = [
        start(python, script, *arguments, rank=rank, **settings)
        for rank in (range(size) if only is None else only)
    ]
    ended = []
    try:
        for process in processes:
            output, errors = process.communicate(timeout=LIMIT)
            ended.append(Ended(process.returncode, output, errors))
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.communicate()
    return ended


def good(ended: list[Ended]) -> None:
    """Every rank ended well and quietly."""
    for rank, one in enumerate(ended):
        assert one.code == 0, f"rank {rank}:\n{one.output}\n{one.errors}"
        assert not one.errors, f"rank {rank}:\n{one.errors}"
