"""How fast words and street signs are rendered and written as records, with all cores.

The time is that of ``ascendify zoo data``: files on disk, the start of the processes included. It
also times what one process draws, without files. ``--words 100000`` takes longer, and the start of
the processes counts less.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ascendify.zoo.cores import cores
from ascendify.zoo.sets import fsns
from ascendify.zoo.sets.generate import generate
from ascendify.zoo.sets.rendered import open_words, plan_rendered

LEAST_WORDS = 1500 / 16
"""Words a second and core that are enough."""


def speed(draw: Callable[[int], object], count: int) -> float:
    """Samples a second of one process, fonts loaded."""
    for index in range(count):
        draw(index)
    began = time.perf_counter()
    for index in range(count):
        draw(index)
    return count / (time.perf_counter() - began)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=5000 * cores())
    parser.add_argument("--signs", type=int, default=500 * cores())
    parser.add_argument("--workers", type=int, default=cores())
    options = parser.parse_args()
    train, test = open_words("train", options.words, 1), open_words("test", 100, 1)
    signs = fsns.RenderSettings(count=options.signs, test_count=10)
    with tempfile.TemporaryDirectory() as folder:
        words_made = generate(plan_rendered(train, test), Path(folder) / "words", options.workers)
        signs_made = fsns.generate(signs, Path(folder) / "signs", options.workers)
    drawn = fsns.open_rendered(signs, "train")
    rows = (
        ("words", words_made, speed(train.draw, 1000)),
        ("signs", signs_made, speed(drawn.sign, 100)),
    )
    for name, made, alone in rows:
        rate = made.samples / made.seconds
        print(
            f"{name}: {rate:,.0f}/s with {options.workers} processes,"
            f" {made.samples:,} in {made.seconds:.1f} s; drawn by one process {alone:,.0f}/s"
        )
    enough = words_made.samples / words_made.seconds >= LEAST_WORDS * options.workers
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
