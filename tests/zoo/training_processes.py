"""What the tests of training share: real processes that train the toy, and what they left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
TRAIN = ("-m", "ascendify", "zoo", "train", "toy:Toy")
PATIENCE_SECONDS = 100


def environment() -> dict[str, str]:
    """One that says nothing of a job, in which a process finds the toy and takes one core."""
    told = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    kept = {name: value for name, value in os.environ.items() if name not in told}
    return {
        **kept,
        "PYTHONPATH": str(HERE),
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


def records(folder: Path, kind: str) -> list[dict[str, float]]:
    """What a run has logged, but for how fast it went."""
    left_out = ("kind", "samples_per_second", "seconds_per_step")
    found = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [
        {name: value for name, value in record.items() if name not in left_out}
        for record in found
        if record["kind"] == kind
    ]


def wait_for(file: Path, text: str, process: subprocess.Popen[str]) -> None:
    """Wait until a process has written something into a file."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not (file.exists() and text in file.read_text()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, f"no {text} in {file}"
        time.sleep(0.05)
