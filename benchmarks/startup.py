"""Start-up: how much longer ``ascendify --version`` takes than ``python -c pass``.

Both run in turns in the same loop, so that a busy machine slows them alike.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

RUNS = 15
LIMIT_MS = 150.0

BARE = (sys.executable, "-c", "pass")
VERSION = (sys.executable, "-m", "ascendify", "--version")


def milliseconds(command: Sequence[str]) -> float:
    """Wall time of one run."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1000


def measure(runs: int = RUNS) -> tuple[float, float]:
    """Median wall time of the bare interpreter and of ``--version``, after one warm-up each."""
    milliseconds(BARE)
    milliseconds(VERSION)
    pairs = [(milliseconds(BARE), milliseconds(VERSION)) for _ in range(runs)]
    bare, version = zip(*pairs)
    return statistics.median(bare), statistics.median(version)


def main() -> int:
    bare, version = measure()
    extra = version - bare
    print(
        f"startup  {extra:.1f} ms over python -c pass"
        f"  ratio {version / bare:.2f}  limit {LIMIT_MS:.0f} ms"
    )
    return int(extra > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
