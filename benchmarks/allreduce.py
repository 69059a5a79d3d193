"""Speed of the emulated allreduce, to torch's gloo on the same machine.

Four processes of each, 100 MB of float32, in turn: a round of ours, a round of gloo's. The figure
is the ratio of the medians. Needs an interpreter with numpy and torch: this one, or the one that
``ASCENDIFY_TORCH_PYTHON`` or the first argument names.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from statistics import median

PACKAGES = Path(__file__).parent.parent / "src" / "ascendify" / "emulation" / "packages"
RANKS = 4
ELEMENTS = 25_000_000
"""100 MB of float32."""
ROUNDS = 3
"""Processes are started anew for each: a machine that others use has fast and slow minutes."""
CALLS = 5
WARM_UP = 2
"""Calls that are not counted: memory and connections are set up in them."""
WORST_RATIO = 1.5
NAME = "allreduce of 100 MB between 4 ranks, to gloo"


def main() -> int:
    """Measure and print; the exit code says whether the figure is within its limit."""
    python = _interpreter()
    if python is None:
        print(f"{NAME}: not measured, no interpreter with torch and numpy", flush=True)
        return 0
    ours: list[float] = []
    gloo: list[float] = []
    for _ in range(ROUNDS):
        ours += _round(python, "ours")
        gloo += _round(python, "gloo")
    ratio = median(ours) / median(gloo)
    word = "ok" if ratio <= WORST_RATIO else "MISSED"
    print(f"{NAME}: {ratio:.2f} (at most {WORST_RATIO:g}) {word}", flush=True)
    print(f"  medians: {median(ours):.3f} s against {median(gloo):.3f} s", flush=True)
    return 0 if ratio <= WORST_RATIO else 1


def _interpreter() -> str | None:
    named = [*sys.argv[1:2], os.environ.get("ASCENDIFY_TORCH_PYTHON", ""), sys.executable]
    for python in filter(None, named):
        command = [python, "-c", "import numpy, torch.distributed"]
        if not subprocess.run(command, capture_output=True, check=False).returncode:
            return python
    return None


def _round(python: str, what: str) -> list[float]:
    """Seconds of each call, as the slowest rank saw it."""
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
    processes = [
        subprocess.Popen(
            [python, __file__, "measure", what],
            env={**environment, "RANK_ID": str(rank)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(RANKS)
    ]
    outputs = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        raise SystemExit(f"{NAME}: a rank of {what} failed")
    seconds = [[float(word) for word in output.split()] for output in outputs]
    return [max(one) for one in zip(*seconds)]


def _measure_ours() -> None:
    np = import_module("numpy")
    here = import_module("ascendify_runtime.world").world()
    data = np.full(ELEMENTS, here.rank + 1, np.float32)
    flag = np.zeros(1, np.float32)
    for number in range(WARM_UP + CALLS):
        here.allreduce([flag], "sum", "together")
        start = time.perf_counter()
        (result,) = here.allreduce([data], "sum", "data")
        if number >= WARM_UP:
            print(time.perf_counter() - start)
    if result[0] != sum(range(1, RANKS + 1)):
        raise SystemExit("wrong sum")


def _measure_gloo() -> None:
    torch = import_module("torch")
    distributed = import_module("torch.distributed")
    rank = int(os.environ["RANK_ID"])
    torch.set_num_threads(1)
    address = f"tcp://127.0.0.1:{os.environ['PORT']}"
    distributed.init_process_group("gloo", init_method=address, rank=rank, world_size=RANKS)
    data = torch.ones(ELEMENTS)
    for number in range(WARM_UP + CALLS):
        distributed.barrier()
        start = time.perf_counter()
        distributed.all_reduce(data)
        if number >= WARM_UP:
            print(time.perf_counter() - start)
    distributed.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        _measure_ours() if sys.argv[2] == "ours" else _measure_gloo()
    else:
        sys.exit(main())
