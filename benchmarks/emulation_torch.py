"""What emulating the NPU for PyTorch costs: training steps on it, to the same steps on the CPU.

Give an interpreter that has PyTorch as the first argument, or in ASCENDIFY_TORCH_PYTHON; without
one nothing is measured. Every figure is a ratio to its reference in the same run. `--long` also
takes 10,000 steps and tells by how much the process has grown.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

STEPS = Path(__file__).parent / "emulation_torch_steps.py"
PACKAGES = Path(__file__).parent.parent / "src" / "ascendify" / "emulation" / "packages"
LIMITS = {
    "wide residual network, 32 images of 32x32": 1.3,
    "perceptron, SGD": 2.5,
    "perceptron, AdamW": 2.5,
    "transformer, AdamW": 2.5,
    "LSTM, AdamW": 2.5,
}
"""A step on the emulated NPU, to a step on the CPU."""
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
    figures = _figures(interpreter, "ratios")
    good = [_line(name, figures[name], limit) for name, limit in LIMITS.items()]
    added = _figures(interpreter, "import")["seconds"]
    good.append(_line("seconds that importing torch_npu adds to torch", added, SLOWEST_IMPORT))
    if "--long" in sys.argv:
        grown = _figures(interpreter, "growth")["MiB"]
        good.append(_line("MiB that 10,000 steps add to the process", grown, LARGEST_GROWTH))
    return 0 if all(good) else 1


def _figures(interpreter: str, what: str) -> dict[str, float]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(PACKAGES),
        "PYTHONWARNINGS": "ignore",
        # one thread, so that the figure does not depend on who else uses the cores
        "OMP_NUM_THREADS": "1",
        # the import is measured, so torch may not do it first
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    }
    command = [interpreter, str(STEPS), what]
    ended = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return found


def _line(name: str, figure: float, limit: float) -> bool:
    good = figure <= limit
    print(f"{name}: {figure:.3g} (at most {limit:g}) {'ok' if good else 'MISSED'}", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main())
