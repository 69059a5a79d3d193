"""What emulating the NPU for PyTorch costs: training steps on it, to the same steps on the CPU.

    python benchmarks/emulation_torch.py [PYTHON] [--path=fast,portable] [--long] [--json]

PYTHON is an interpreter that has PyTorch; without it, the one that ASCENDIFY_TORCH_PYTHON names;
without either, nothing is measured. Each path of the emulation runs in a process of its own, and
all are measured in turns against the same steps on the CPU. `--long` also takes 10,000 steps and
prints by how much the process has grown. `--json` prints the ratios by path as the last line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

STEPS = Path(__file__).parent / "emulation_torch_steps.py"
PACKAGES = Path(__file__).parent.parent / "src" / "ascendify" / "emulation" / "packages"
STARTUP = PACKAGES.parent / "startup"
PATHS = ("fast", "portable")
LIMITS = {
    "wide residual network, 32 images of 32x32": {"fast": 1.3, "portable": 3.0},
    "perceptron, SGD": {"fast": 2.5, "portable": 3.0},
    "perceptron, AdamW": {"fast": 2.5, "portable": 3.0},
    "transformer, AdamW": {"fast": 2.5, "portable": 3.0},
    "LSTM, AdamW": {"fast": 2.5, "portable": 3.0},
}
"""A step on the emulated NPU, to a step on the CPU, by path."""
ROUNDS = 9
"""Repetitions; the median is printed, because other work makes a machine fast and slow in turns."""
SLOWEST_IMPORT = 0.3
"""Seconds that importing torch_npu adds to importing torch."""
LARGEST_GROWTH = 1.0
"""MiB that the process may grow in 10,000 steps."""


def main() -> int:
    """Measure and print; the exit code says whether every figure is within its limit."""
    given = [one for one in sys.argv[1:] if not one.startswith("--")]
    interpreter = given[0] if given else os.environ.get("ASCENDIFY_TORCH_PYTHON", "")
    if not interpreter:
        print("emulation of torch_npu: not measured, no interpreter with PyTorch is given")
        return 0
    named = [one.partition("=")[2] for one in sys.argv[1:] if one.startswith("--path=")]
    measured = ratios(interpreter, named[0].split(",") if named else PATHS)
    good = [
        _line(f"{name}, {path} path", figures[name], LIMITS[name][path])
        for path, figures in measured.items()
        for name in LIMITS
    ]
    for path in measured:
        added = _figures(interpreter, "import", path)["seconds"]
        name = f"seconds that importing torch_npu adds to torch, {path} path"
        good.append(_line(name, added, SLOWEST_IMPORT))
        if "--long" in sys.argv:
            grown = _figures(interpreter, "growth", path)["MiB"]
            name = f"MiB that 10,000 steps add to the process, {path} path"
            good.append(_line(name, grown, LARGEST_GROWTH))
    if "--json" in sys.argv:
        print(json.dumps(measured))
    return 0 if all(good) else 1


def ratios(interpreter: str, paths: tuple[str, ...] | list[str]) -> dict[str, dict[str, float]]:
    """Path -> case -> ratio to the CPU; paths that this PyTorch lacks are printed and left out.

    The steps on the CPU are taken once for all paths, in the process of the first.
    """
    running: dict[str, subprocess.Popen[str]] = {}
    for path in paths:
        process = subprocess.Popen(
            [interpreter, str(STEPS), "serve"], env=_environment(path), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        answer = _answer(process)
        if answer.get("path") == path:
            running[path] = process
            continue
        process.communicate()
        why = answer.get("error") or f"the emulation took the {answer['path']} path"
        print(f"{path} path: not measured: {why}", flush=True)
    try:
        return _in_turns(running)
    finally:
        for process in running.values():
            process.communicate()


def _in_turns(running: dict[str, subprocess.Popen[str]]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {path: {} for path in running}
    for name in LIMITS if running else ():
        rounds: dict[str, list[float]] = {path: [] for path in running}
        for _ in range(ROUNDS):
            on_cpu = _seconds(next(iter(running.values())), name, "cpu")
            for path, process in running.items():
                rounds[path].append(_seconds(process, name, "npu") / on_cpu)
        for path, figures in rounds.items():
            # the first round also prepares
            found[path][name] = median(figures[1:])
    return found


def _seconds(process: subprocess.Popen[str], name: str, device: str) -> float:
    assert process.stdin is not None
    process.stdin.write(f"{name}\t{device}\n")
    process.stdin.flush()
    return float(_answer(process)["seconds"])


def _answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit("emulation of torch_npu: the process that takes the steps has failed")
    answer: dict[str, Any] = json.loads(line)
    return answer


def _environment(path: str) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": f"{STARTUP}{os.pathsep}{PACKAGES}",
        "PYTHONWARNINGS": "ignore",
        "ASCENDIFY_EMULATION_PATH": path,
        # one thread, so that the figure does not depend on who else uses the cores
        "OMP_NUM_THREADS": "1",
        # the import is measured, so torch may not do it first
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    }


def _figures(interpreter: str, what: str, path: str) -> dict[str, float]:
    command = [interpreter, str(STEPS), what]
    ended = subprocess.run(
        command, env=_environment(path), stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return found


def _line(name: str, figure: float, limit: float) -> bool:
    good = figure <= limit
    print(f"{name}: {figure:.3g} (at most {limit:g}) {'ok' if good else 'MISSED'}", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main())
