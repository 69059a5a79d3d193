"""Checking a rank table of 4,096 servers with 8 devices, to ``json.loads`` of the same text.

Reading with all warnings and every rule, on 32,768 ranks. Both take turns in the same loop, so that
a busy machine slows them alike; the figure is the ratio of the medians.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from statistics import median

from ascendify.cluster.inventory import from_counts
from ascendify.cluster.ranktable import check, create, dump, read

SERVERS, DEVICES = 4096, 8
RUNS = 5
WORST_RATIO = 50.0
NAME = f"ranktable check of {SERVERS} x {DEVICES}, to json.loads"


def main() -> int:
    """Measure and print; the exit code says whether the figure is within its limit."""
    text = dump(create(from_counts(SERVERS, DEVICES)))
    sides: dict[str, Callable[[], object]] = {
        "check": lambda: check(read(text).table, {}, "910B"),
        "loads": lambda: json.loads(text),
    }
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(RUNS):
        for name, call in sides.items():
            seconds[name].append(_timed(call))
    ours, bare = median(seconds["check"]), median(seconds["loads"])
    ratio = ours / bare
    word = "ok" if ratio <= WORST_RATIO else "MISSED"
    print(f"{NAME}: {ratio:.1f} (at most {WORST_RATIO:g}) {word}", flush=True)
    print(f"  medians of {RUNS}: {ours:.2f} s against {bare:.3f} s, {len(text) / 1e6:.1f} MB")
    return 0 if ratio <= WORST_RATIO else 1


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
