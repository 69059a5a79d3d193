"""Speed of the emulated allreduce, to torch's gloo on the same machine.

Four processes of each with 100 MB of float32, which take turns: a call of ours, a call of gloo's.
The figure is the ratio of the medians. Needs an interpreter with numpy and torch: the first
argument, or ``ASCENDIFY_TORCH_PYTHON``, or this one.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median

PACKAGES = Path(__file__).parent.parent / "src" / "ascendify" / "emulation" / "packages"
RANKS = 4
ELEMENTS = 25_000_000
"""100 MB of float32."""
CALLS = 15
WARM_UP = 3
"""Calls that are not counted: memory and connections are set up in them."""
WORST_RATIO = 1.5
NAME = "allreduce of 100 MB between 4 ranks, to gloo"


def main() -> int:
    """Measure and print; the exit code says whether the figure is within its limit."""
    python = _interpreter()
    if python is None:
        print(f"{NAME}: not measured, no interpreter with torch and numpy", flush=True)
        return 0
    sides = {what: _start(python, what) for what in ("ours", "gloo")}
    seconds: dict[str, list[float]] = {what: [] for what in sides}
    for number in range(WARM_UP + CALLS):
        for what, ranks in sides.items():
            took = _call(ranks)
            if number >= WARM_UP:
                seconds[what].append(took)
    _end(sides)
    ours, gloo = median(seconds["ours"]), median(seconds["gloo"])
    ratio = ours / gloo
    word = "ok" if ratio <= WORST_RATIO else "MISSED"
    print(f"{NAME}: {ratio:.2f} (at most {WORST_RATIO:g}) {word}", flush=True)
    print(f"  medians of {CALLS} calls: {ours:.3f} s against {gloo:.3f} s", flush=True)
    return 0 if ratio <= WORST_RATIO else 1


def _interpreter() -> str | None:
    named = [*sys.argv[1:2], os.environ.get("ASCENDIFY_TORCH_PYTHON", ""), sys.executable]
    for python in filter(None, named):
        command = [python, "-c", "import numpy, torch.distributed"]
        if not subprocess.run(command, capture_output=True, check=False).returncode:
            return python
    return None


def _start(python: str, what: str) -> list[subprocess.Popen[str]]:
    """The ranks of one side; each makes a call on request."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "PYTHONPATH": str(PACKAGES),
        "RANK_SIZE": str(RANKS),
        "ASCENDIFY_JOB": f"127.0.0.1:{port}:{secrets.token_hex(8)}",
        "PORT": str(port),
        "OMP_NUM_THREADS": "1",
    }
    return [
        subprocess.Popen(
            [python, __file__, "measure", what],
            env={**environment, "RANK_ID": str(rank)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(RANKS)
    ]


def _call(ranks: list[subprocess.Popen[str]]) -> float:
    """Seconds of one call, as the slowest rank saw it."""
    for rank in ranks:
        _write(rank, "go\n")
    answers = [rank.stdout.readline() if rank.stdout else "" for rank in ranks]
    if not all(answers):
        raise SystemExit(f"{NAME}: a rank failed")
    return max(float(answer) for answer in answers)


def _write(rank: subprocess.Popen[str], text: str) -> None:
    if rank.stdin:
        rank.stdin.write(text)
        rank.stdin.flush()


def _end(sides: dict[str, list[subprocess.Popen[str]]]) -> None:
    for ranks in sides.values():
        for rank in ranks:
            rank.communicate()


def _answer(together: Callable[[], object], reduce: Callable[[], object]) -> None:
    """Time a call each time a line comes in."""
    for _ in sys.stdin:
        together()
        start = time.perf_counter()
        reduce()
        print(time.perf_counter() - start, flush=True)


def _measure_ours() -> None:
    np = import_module("numpy")
    here = import_module("ascendify_runtime.world").world()
    data = np.full(ELEMENTS, here.rank + 1, np.float32)
    flag = np.zeros(1, np.float32)

    def reduce() -> None:
        (result,) = here.allreduce([data], "sum", "data")
        if result[-1] != sum(range(1, RANKS + 1)):
            raise SystemExit("wrong sum")

    _answer(lambda: here.allreduce([flag], "sum", "together"), reduce)


def _measure_gloo() -> None:
    torch = import_module("torch")
    distributed = import_module("torch.distributed")
    rank = int(os.environ["RANK_ID"])
    torch.set_num_threads(1)
    address = f"tcp://127.0.0.1:{os.environ['PORT']}"
    distributed.init_process_group("gloo", init_method=address, rank=rank, world_size=RANKS)
    data = torch.ones(ELEMENTS)
    _answer(distributed.barrier, lambda: distributed.all_reduce(data))
    distributed.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        _measure_ours() if sys.argv[2] == "ours" else _measure_gloo()
    else:
        sys.exit(main())
