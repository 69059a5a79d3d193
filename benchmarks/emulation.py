"""What emulation costs, and how far two ranks are from one, with real training.

Give an interpreter that has TensorFlow 1.15 as the first argument, or in ASCENDIFY_TF1_PYTHON;
without one nothing is measured. Every figure is a ratio to its reference, or a relative error
against it, in the same run.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from ascendify.emulation.environment import Emulation
from ascendify.jobs.emulated import servers
from ascendify.jobs.environment import rank_environment
from ascendify.jobs.job import JobRequest
from ascendify.jobs.plan import plan
from ascendify.migrate import migrate
from ascendify.migrate.settings import load

EXAMPLES = Path(__file__).parent.parent / "examples"
ROUNDS = 7
"""Repetitions; the median is printed, because other work makes a machine fast and slow in turns."""
WORST_RATIO = 1.10
"""A migrated script under emulation, to the original on the same CPU."""
WORST_ERROR = 1e-5
"""Losses of two ranks together, to those of one rank with the whole batch: float32."""


def main() -> int:
    """Measure and print; the exit code says whether every figure is within its limit."""
    interpreter = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ASCENDIFY_TF1_PYTHON", "")
    if not interpreter:
        print("emulation: not measured, no interpreter with TensorFlow 1.15 is given")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        good = [_cost(interpreter, Path(folder)), _two_ranks(interpreter, Path(folder))]
    return 0 if all(good) else 1


def _cost(interpreter: str, folder: Path) -> bool:
    original = EXAMPLES / "session-mnist"
    migrated = folder / "session-mnist"
    migrate(load(original, output=migrated))
    quiet = {
        **os.environ,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONWARNINGS": "ignore",
        # one thread, so that the figure does not depend on who else uses the cores
        "TF_NUM_INTEROP_THREADS": "1",
        "TF_NUM_INTRAOP_THREADS": "1",
    }
    (folder / "job").mkdir()
    job = plan(
        JobRequest(
            (interpreter,),
            servers(1, None),
            migrated,
            folder / "job",
            emulation=Emulation(),
        ),
        quiet,
    )
    emulated = rank_environment(job.ranks[0], quiet)
    ratios = []
    for number in range(ROUNDS):
        arguments = ("train.py", "--steps", "150", "--log_dir", str(folder / f"logs{number}"))
        reference = _seconds((interpreter, *arguments), original, quiet)
        ratios.append(_seconds((interpreter, *arguments), migrated, emulated) / reference)
    print([round(r, 2) for r in ratios])
    return _line("migrated script under emulation, to the original", median(ratios), WORST_RATIO)


def _seconds(command: tuple[str, ...], folder: Path, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    return time.perf_counter() - start


def _two_ranks(interpreter: str, folder: Path) -> bool:
    original = EXAMPLES / "session-dataset"
    migrated, verdict = folder / "session-dataset", folder / "verdict.json"
    migrate(load(original, output=migrated, distributed="tf_strategy"))
    train = f"{shlex.quote(interpreter)} train.py --steps 60"
    command = [
        sys.executable, "-m", "ascendify", "verify", str(original), str(migrated), "--devices", "2",
        "--original", train, "--migrated", f"{train} --batch_size 32", "--json", str(verdict), "-q",
    ]  # fmt: skip
    subprocess.run(command, capture_output=True, check=False)
    series = json.loads(verdict.read_text(encoding="utf-8"))["series"]
    error = max(one["largest_error"] for one in series)
    label = "largest error of two ranks, to one rank with the whole batch"
    return _line(label, error, WORST_ERROR)


def _line(name: str, figure: float, limit: float) -> bool:
    good = figure <= limit
    print(f"{name}: {figure:.3g} (at most {limit:g}) {'ok' if good else 'MISSED'}", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main())
