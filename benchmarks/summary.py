"""How fast ``ascendify summary`` reads a log, to ``grep -c`` on the same file.

The log is made here, in the folder for temporary files: what frameworks and drivers print, and
among it a metric line in ten. The second figure is of a log of nothing but metric lines, the most
that there can be to read. Both are measured in turns; the medians are printed. ``--megabytes
2000`` makes the logs larger.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from ascendify.launch.summary import summarise

MEGABYTE = 1_000_000
ROUNDS = 5
LEAST_SPEED = 200.0
"""Megabytes a second that are always enough."""
LEAST_RATIO = 0.5
"""To grep, which is enough on a machine where that is slow too."""
NOISE = (
    "2022-06-15 20:12:03.015775: I tensorflow/core/platform/cpu_feature_guard.cc:142] Your CPU "
    "supports instructions that this TensorFlow binary was not compiled to use: AVX2 FMA",
    "[INFO] GE(81220,python3):2022-06-15-20:12:03.124.991 [graph/preprocess/insert_op/util_insert_"
    "aipp_op.cc:72] 81220 InsertNewOps: begin to insert ops",
    "W0615 20:12:03.015775 140615084922688 deprecation.py:323] From train.py:20: The name "
    "tf.Session is deprecated. Please use tf.compat.v1.Session instead.",
    "[EVENT] HCCL(81220,python3):2022-06-15-20:12:05.100.200 [op_base.cc:310] Entry-HcclAllReduce: "
    "tag[AllReduce_1], count[1048576]",
    "/usr/lib/python3.7/site-packages/tensorflow_core/python/framework/dtypes.py:516: "
    "FutureWarning: Passing (type, 1) or '1type' as a synonym of type is deprecated",
    "",
)


def slim(step: int, chance: random.Random) -> str:
    """A line of the Attention-OCR guide."""
    loss, seconds = 30 + chance.random(), 0.11 + chance.random() / 50
    return f"global step {step}: loss = {loss:.4f} ({seconds:.3f} sec/step)"


def write_log(file: Path, megabytes: int, share: float) -> None:
    """A log whose share of metric lines is given; its lines repeat, its steps go on."""
    chance = random.Random(20)
    step = size = 0
    with file.open("w", encoding="ascii") as stream:
        while size < megabytes * MEGABYTE:
            lines = []
            for _ in range(10_000):
                if chance.random() < share:
                    step += 1
                    lines.append(slim(step, chance))
                else:
                    lines.append(chance.choice(NOISE))
            size += stream.write("\n".join(lines) + "\n")


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(name: str, folder: Path, megabytes: int, share: float, limit: bool) -> bool:
    """Time both in turns, print a line, and say whether it is fast enough."""
    file = folder / "rank-0.log"
    write_log(file, megabytes, share)
    grep = ("grep", "-c", "loss", str(file))
    # into a pipe: grep reads no further than the first match when nobody wants the count
    pairs = [
        (
            seconds(lambda: summarise(folder)),
            seconds(lambda: subprocess.run(grep, check=True, stdout=subprocess.PIPE)),
        )
        for _ in range(ROUNDS)
    ]
    ours, theirs = (median(times) for times in zip(*pairs))
    speed, ratio = file.stat().st_size / MEGABYTE / ours, theirs / ours
    limits = f"  limit {LEAST_SPEED:.0f} MB/s or {LEAST_RATIO}" if limit else ""
    print(f"summary, {name}  {speed:.0f} MB/s  ratio to grep -c {ratio:.2f}{limits}")
    file.unlink()
    return not limit or speed >= LEAST_SPEED or ratio >= LEAST_RATIO


def main() -> int:
    """Measure and print; the exit code says whether it is fast enough."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    megabytes = parser.parse_args().megabytes
    with tempfile.TemporaryDirectory() as folder:
        good = measure("one metric line in ten", Path(folder), megabytes, 0.1, limit=True)
        measure("nothing but metric lines", Path(folder), megabytes // 2, 1.0, limit=False)
    processes = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = max(resource.getrusage(one).ru_maxrss for one in processes) / 1024
    print(f"summary, memory of a process at its peak  {used:.0f} MiB, logs of {megabytes} MB")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
