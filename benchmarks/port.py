"""What ``port`` costs beside ``migrate``: processor time of both, in turns, over one project.

Give the project as the first argument. Without one, some bundled examples are ported as one tree.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"
COPIES = 6
ROUNDS = 5
LIMIT = 1.3


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        project = Path(sys.argv[1]) if len(sys.argv) > 1 else _copies(work / "tree")
        pairs = [
            (_seconds("migrate", project, work / "out"), _seconds("port", project, work / "out"))
            for _ in range(ROUNDS)
        ]
    migrated, ported = (statistics.median(values) for values in zip(*pairs))
    ratio = ported / migrated
    print(f"port  {ratio:.2f} times migrate, processor time  limit {LIMIT}")
    return int(ratio > LIMIT)


def _copies(target: Path) -> Path:
    """Examples that train with TensorFlow 1, several times, as the packages of one project."""
    for number in range(COPIES):
        for example in sorted(EXAMPLES.glob("*/train.py")):
            name = f"{example.parent.name.replace('-', '_')}_{number}"
            shutil.copytree(example.parent, target / name)
    return target


def _seconds(command: str, project: Path, output: Path) -> float:
    """Processor time of a run in a process of its own, children included."""
    shutil.rmtree(output, ignore_errors=True)
    before = os.times()
    words = [sys.executable, "-m", "ascendify", command, str(project), "-o", str(output), "-q"]
    # 0: ready, or written; 1: something stops the port
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode > 1:
        raise SystemExit(ended.stderr)
    after = os.times()
    return (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )


if __name__ == "__main__":
    sys.exit(main())
