"""The cache of ``check``: what a second run costs, and one after an edit, to the first.

Give a tree as the first argument; without one, the bundled examples are copied side by side. Runs
are whole commands on one core, in seconds of the processor, of the tree as it is and then after an
edit: an assignment at the end of one file, of several files spread over the tree. Who reads the
edited file decides what has to be analysed again, so the median and the worst are both told.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from ascendify.source.project import discover

EXAMPLES = Path(__file__).parent.parent / "examples"
COPIES = 20
EDITS = 15
ROUNDS = 3
WORST_SECOND = 0.15
WORST_EDIT = 0.3


def main() -> int:
    """Measure and print; the exit code says whether the figures are within their limits."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        tree = _copy(Path(sys.argv[1]) if len(sys.argv) > 1 else None, work / "tree")
        files = [path for path in discover(tree).files if path.endswith(".py")]
        first = median(_check(tree, work / f"cache{number}") for number in range(ROUNDS))
        second = median(_check(tree, work / "cache0") for _ in range(ROUNDS))
        edits = [_edited(tree, path, work) for path in files[:: max(1, len(files) // EDITS)]]
    label = f"check of {len(files)} files"
    good = _line(f"{label}, second run, to the first", second / first, WORST_SECOND)
    middle = median(edits) / first
    good = _line(f"{label}, one edited, median of {len(edits)}", middle, WORST_EDIT) and good
    print(f"{label}, one edited, worst of {len(edits)}: {max(edits) / first:.2f}")
    return 0 if good else 1


def _copy(tree: Path | None, target: Path) -> Path:
    if tree is not None:
        shutil.copytree(tree, target, symlinks=True)
        return target
    for number in range(COPIES):
        shutil.copytree(EXAMPLES, target / f"copy{number:02}")
    return target


def _edited(tree: Path, path: str, work: Path) -> float:
    """What a run takes after an edit of one file."""
    file = tree / path
    content = file.read_bytes()
    file.write_bytes(content + b"\n_edited = 1\n")
    try:
        return _check(tree, work / "cache0")
    finally:
        file.write_bytes(content)
        _check(tree, work / "cache0")


def _check(tree: Path, cache: Path) -> float:
    """Seconds of the processor that a whole command takes."""
    command = [sys.executable, "-m", "ascendify", "check", str(tree), "--jobs", "1", "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [*command, "--cache-dir", str(cache)], stdout=subprocess.DEVNULL, check=False, env=_plain()
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _plain() -> dict[str, str]:
    # as where it was installed: modules are not compiled anew each time
    return {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _line(label: str, ratio: float, limit: float) -> bool:
    print(f"{label}: {ratio:.2f} (at most {limit})")
    return ratio <= limit


if __name__ == "__main__":
    sys.exit(main())
