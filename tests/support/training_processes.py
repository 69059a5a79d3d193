"""What the tests of training share: real processes that train the toy, and what they left."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

import pytest

from ascendify.cli import main
from ascendify.jobs.ports import free_port

TESTS = Path(__file__).parents[1]
TOY = "support.toy:Toy"
"""The network that most tests train, as the command line is given it."""
TRAIN = ("-m", "ascendify", "zoo", "train", TOY)
PATIENCE_SECONDS = 300
"""On a machine that is busy with other tests, and slow."""

_FORKS = multiprocessing.get_context("forkserver")
# what a training imports, at first or later
_FORKS.set_forkserver_preload(
    [
        *("ascendify.cli.app", "ascendify.zoo.training.loop", "torch.utils.tensorboard"),
        *("torch.distributed.tensor", "torch._dynamo"),
    ]
)
FORKED = pytest.mark.xdist_group("forked")
"""Tests that fork belong together: every worker would load PyTorch for its own."""


def environment() -> dict[str, str]:
    """One that says nothing of a job, in which a process finds the toy and takes one core.

    Output is buffered as in most shells.
    """
    reported = (
        "RANK",
        "WORLD_SIZE",
        "LOCAL_RANK",
        "LOCAL_WORLD_SIZE",
        "MASTER_ADDR",
        "MASTER_PORT",
    )
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in reported and name != "PYTHONUNBUFFERED"
    }
    return {
        **kept,
        "PYTHONPATH": str(TESTS),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }


def start(*arguments: str | Path, **variables: str) -> subprocess.Popen[str]:
    """A process of this interpreter, in a session of its own, as a terminal would start it."""
    return subprocess.Popen(
        (sys.executable, *map(str, arguments)),
        env={**environment(), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Its exit code and what it printed."""
    try:
        out, error = process.communicate(timeout=PATIENCE_SECONDS)
    finally:
        process.kill()
    return process.returncode, out, error


def python(*arguments: str | Path, **variables: str) -> tuple[int, str, str]:
    """Run a process of this interpreter to its end."""
    return finish(start(*arguments, **variables))


class Forked(NamedTuple):
    """A command of ascendify in a process that did not have to load PyTorch, which takes seconds.

    For tests of what a rank does; those of how it is started start it themselves.
    """

    process: BaseProcess
    reported: Path
    """What it prints, on both streams."""

    def poll(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self.process.exitcode

    def communicate(self) -> str:
        """What it printed, when it has ended."""
        self.process.join(PATIENCE_SECONDS)
        self.process.kill()
        return self.reported.read_text()

    def finish(self) -> tuple[int, str]:
        """Its exit code and what it printed."""
        out = self.communicate()
        self.process.join()
        assert self.process.exitcode is not None
        return self.process.exitcode, out


def fork(reported: Path, *parameters: str | Path, **variables: str) -> Forked:
    """Start a command in a process, and a session, of its own."""
    reported.parent.mkdir(parents=True, exist_ok=True)
    reported.touch()
    given = (reported, {**environment(), **variables}, [str(argument) for argument in parameters])
    process = _FORKS.Process(target=_command, args=given)
    process.start()
    return Forked(process, reported)


def ranks(folder: Path, *parameters: str | Path) -> list[tuple[int, str]]:
    """Exit codes, and what was printed, of a command run by two ranks, which log in a folder."""
    job = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
    port = str(free_port())
    started = [
        fork(
            folder / f"rank-{rank}",
            *parameters,
            **job,
            MASTER_PORT=port,
            RANK=rank,
            LOCAL_RANK=rank,
        )
        for rank in ("0", "1")
    ]
    return [each.finish() for each in started]


def _command(reported: Path, variables: dict[str, str], parameters: list[str]) -> None:
    """What a forked process does: what ``python -m ascendify`` would."""
    import torch

    os.setsid()
    multiprocessing.set_start_method(None, force=True)  # its processes are started as usual
    with reported.open("w") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    os.environ.clear()
    os.environ.update(variables)
    torch.set_num_threads(1)
    sys.exit(main(parameters))


def records(folder: Path, kind: str) -> list[dict[str, float]]:
    """What a run has logged, but for how fast it went."""
    left_out = ("kind", "samples_per_second", "seconds_per_step")
    found = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [
        {name: value for name, value in record.items() if name not in left_out}
        for record in found
        if record["kind"] == kind
    ]


def wait_for(file: Path, text: str, process: subprocess.Popen[str] | Forked) -> None:
    """Wait until a process has written something into a file."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not (file.exists() and text in file.read_text()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, f"no {text} in {file}"
        time.sleep(0.05)
