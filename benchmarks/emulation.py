"""What emulation costs, and how far two ranks are from one, with real training.

Give an interpreter that has TensorFlow 1.15 as the first argument, or in ASCENDIFY_TF1_PYTHON, and
one that has TensorFlow 2 in ASCENDIFY_TF2_PYTHON; without one its figures are not measured. Every
figure is a ratio to its reference, or a relative error against it, in the same run.
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
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
"""Repetitions; the median counts, because other work makes a machine fast and slow in turns."""
WORST_RATIO = 1.10
"""A migrated script under emulation, to the original on the same CPU."""
WORST_ERROR = 1e-5
"""Losses of two ranks together, to those of one rank with the whole batch: float32."""


def main() -> int:
    """Measure and print; the exit code says whether every figure is within its limit."""
    first = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ASCENDIFY_TF1_PYTHON", "")
    second = os.environ.get("ASCENDIFY_TF2_PYTHON", "")
    good = []
    with tempfile.TemporaryDirectory() as folder:
        if first:
            good += [_cost_of_sessions(first, Path(folder)), _two_ranks(first, Path(folder))]
        else:
            print("emulation: not measured, no interpreter with TensorFlow 1.15 is given")
        if second:
            good.append(_cost_of_functions(second, Path(folder)))
        else:
            print("emulation: not measured, no interpreter with TensorFlow 2 is given")
    return 0 if all(good) else 1


def _cost_of_sessions(interpreter: str, folder: Path) -> bool:
    original, migrated = EXAMPLES / "session-mnist", folder / "session-mnist"
    migrate(load(original, output=migrated))
    arguments = ("train.py", "--steps", "150", "--log_dir")
    ratio = _ratio(interpreter, original, migrated, arguments)
    return _line("migrated script under emulation, to the original", ratio, WORST_RATIO)


def _cost_of_functions(interpreter: str, folder: Path) -> bool:
    original, migrated = EXAMPLES / "tf2-custom-loop", folder / "tf2-custom-loop"
    shutil.copytree(original, migrated)
    script = migrated / "train.py"
    text = script.read_text(encoding="utf-8")
    opened = "    import npu_device\n\n    npu_device.open().as_default()\n"
    script.write_text(text.replace("def main(_):\n", "def main(_):\n" + opened), encoding="utf-8")
    arguments = ("train.py", "--steps", "3000", "--model_dir")
    ratio = _ratio(interpreter, original, migrated, arguments)
    return _line("TensorFlow 2 script under emulation, to the original", ratio, WORST_RATIO)


def _ratio(interpreter: str, original: Path, migrated: Path, arguments: tuple[str, ...]) -> float:
    """Processor time of a migrated script to that of the original, the median of several rounds.

    Processor time, because other programs on the machine hardly change it. Each round runs both,
    one after the other, and the next round in the other order. A folder for output follows the
    arguments.
    """
    quiet = {
        **os.environ,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONWARNINGS": "ignore",
        # one thread, so that the figure does not depend on who else uses the cores
        "TF_NUM_INTEROP_THREADS": "1",
        "TF_NUM_INTRAOP_THREADS": "1",
    }
    folder = migrated.parent / f"{migrated.name}-runs"
    folder.mkdir()
    job = plan(
        JobRequest(
            (interpreter,),
            servers(1, None),
            migrated,
            folder,
            emulation=Emulation(),
        ),
        quiet,
    )
    emulated = rank_environment(job.ranks[0], quiet)
    ratios = []
    for number in range(ROUNDS):
        sides = [(original, quiet), (migrated, emulated)]
        seconds = {}
        for project, environment in sides[:: -1 if number % 2 else 1]:
            output = str(folder / f"{number}-{project.parent.name}")
            command = (interpreter, *arguments, output)
            seconds[project] = _processor_seconds(command, project, environment)
        ratios.append(seconds[migrated] / seconds[original])
    print("rounds:", *(f"{ratio:.2f}" for ratio in ratios), flush=True)
    return median(ratios)


def _processor_seconds(
    command: tuple[str, ...], folder: Path, environment: dict[str, str]
) -> float:
    """Time that a command and the processes it starts spend on processors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
