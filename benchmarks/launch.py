"""What ``ascendify launch`` adds to the processes it starts, and how fast it ends them.

Every figure is a ratio to its reference, measured in the same run, or a count. Ranks import what a
training script imports of the standard library, and end.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from ascendify.jobs.run import JobResult, Supervision, run
from ascendify.launch.request import EVERY, LaunchRequest, plan_job

ROUNDS = 7
RANKS = 8
WORST_RATIO = 1.3
"""Eight ranks, to eight bare processes."""
MANY = 256
SLOWEST_STOP = 2.0
"""Seconds from one rank's death until none is left, beside the grace they are given."""

STARTS = "import argparse, asyncio, json, logging, multiprocessing, unittest\n"
DIES = """
import os, time
if os.environ["RANK_ID"] == "3":
    time.sleep(1)
    open("died", "w").write(repr(time.time()))
    raise SystemExit(1)
time.sleep(60)
"""


def main() -> int:
    """Measure and print; the exit code says whether every figure is within its limit."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "starts.py").write_text(STARTS, encoding="utf-8")
        (work / "dies.py").write_text(DIES, encoding="utf-8")
        good = [_eight(work), _many(work), _stop(work)]
    return 0 if all(good) else 1


def _launch(work: Path, script: str, servers: int = 1) -> JobResult:
    command = (sys.executable, script)
    request = LaunchRequest(
        command, str(RANKS), servers=servers, server=EVERY, project=work, folder=work / "logs"
    )
    return run(plan_job(request, print), Supervision(grace=0.5))


def _bare(work: Path) -> None:
    with (work / "log").open("wb") as log:
        started = [
            subprocess.Popen(
                (sys.executable, "starts.py"),
                cwd=work,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            for _ in range(RANKS)
        ]
        for each in started:
            each.wait()


def _eight(work: Path) -> bool:
    ratios = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        _bare(work)
        middle = time.perf_counter()
        _launch(work, "starts.py")
        ratios.append((time.perf_counter() - middle) / (middle - began))
    return _line(f"{RANKS} ranks, to {RANKS} bare processes", median(ratios), WORST_RATIO)


def _many(work: Path) -> bool:
    finished = _launch(work, "starts.py", servers=MANY // RANKS)
    ended = sum(ending.exit_code == 0 for ending in finished.outcome.endings)
    well = _line(f"ranks of {MANY} that did not end well", MANY - ended, 0)
    return _line(f"processes left of {MANY} ranks", _left(work), 0) and well


def _left(work: Path) -> int:
    """Processes whose rank table is the one of this job."""
    table = f"RANK_TABLE_FILE={(work / 'logs').resolve()}".encode()
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found += table in (folder / "environ").read_bytes()
        except OSError:
            continue
    return found


def _stop(work: Path) -> bool:
    finished = _launch(work, "dies.py")
    taken = time.time() - float((work / "died").read_text(encoding="utf-8"))
    assert finished.failed_rank is not None
    label = "seconds from a rank's death to the last one's end, the grace included"
    return _line(label, taken, SLOWEST_STOP + 0.5)


def _line(name: str, figure: float, limit: float) -> bool:
    good = figure <= limit
    print(f"{name}: {figure:.2f} (at most {limit:g}) {'ok' if good else 'MISSED'}", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main())
