"""How many wrong migrations ``verify --bisect`` catches, and how many it names by file and line.

Each is one edit of a right migration of a bundled example, chosen at random, undone or altered.
What the command does not run, or what makes no difference to it, is no wrong migration: it is
listed, and another is chosen. Give ``--count`` and ``--workers``; it needs an interpreter with
PyTorch.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ascendify.verify.changes import Change, Version, apply_changes, find_changes

EXAMPLES = Path(__file__).parent.parent / "examples"
COMMANDS = {
    "torch-amp": ("train.py", "--amp", "--steps", "6"),
    "torch-argparse": ("train.py",),
    "torch-autoaugment": ("train.py", "--auto-augment", "True", "--samples", "64"),
    "torch-imagenet-ddp": ("main.py", "--gpu", "0", "--samples", "48", "--epochs", "1"),
}
ALTERATIONS = ((r"\bnpu\b", "cpu"), (r"\bTrue\b", "False"), (r"\bFalse\b", "True"), (r"\b0\b", "1"))
"""What is replaced, once, in a line that the migration has written."""


@dataclass(frozen=True)
class Wrong:
    """A migration with one wrong edit."""

    example: str
    change: Change
    """From what the migration wrote to what stands there instead."""

    @property
    def where(self) -> str:
        """File and line, as a verdict names them."""
        return f"{self.change.path}:{self.change.place + 1}"


@dataclass(frozen=True)
class Outcome:
    """What a verification said of a wrong migration."""

    wrong: Wrong
    result: str
    named: tuple[str, ...]


def main() -> int:
    """List every wrong migration that was tried; print how many were caught and named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        written = {example: _migrate(example, work) for example in COMMANDS}
        pool = [wrong for example in COMMANDS for wrong in _all_wrong(example, *written[example])]
        random.Random(options.seed).shuffle(pool)
        caught: list[Outcome] = []
        tried = 0
        with ThreadPoolExecutor(options.workers) as workers:
            while pool and len(caught) < options.count:
                some = [pool.pop() for _ in range(min(len(pool), options.workers))]
                jobs = [
                    workers.submit(_verify, one, written[one.example][1], work / f"{tried + n}")
                    for n, one in enumerate(some)
                ]
                tried += len(some)
                for outcome in (job.result() for job in jobs):
                    _list(outcome)
                    if outcome.result != "pass":
                        caught.append(outcome)
    named = [one for one in caught if one.named == (one.wrong.where,)]
    print(f"wrong-migrations  {tried} tried, {len(caught)} make a difference and were caught")
    print(f"wrong-edits-named  {len(named)} of {len(caught)}")
    return int(len(named) < len(caught))


def _list(outcome: Outcome) -> None:
    what = "makes no difference"
    if outcome.result != "pass":
        what = f"{outcome.result}, {', '.join(outcome.named) or 'nothing'} named"
    line = "".join(outcome.wrong.change.after).strip() or "(the line is gone)"
    print(f"  {outcome.wrong.example} {outcome.wrong.where}  {what}:  {line}", flush=True)


def _migrate(example: str, work: Path) -> tuple[Version, Version]:
    """The Python files of an example, and of its migration."""
    output = _output(example, work)
    _ascendify(["migrate", str(EXAMPLES / example), "-o", str(output), "-q"])
    return _files(EXAMPLES / example), _files(output)


def _output(example: str, work: Path) -> Path:
    return work / f"{example}-migrated"


def _files(folder: Path) -> Version:
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.py"))
    }


def _all_wrong(example: str, original: Version, written: Version) -> list[Wrong]:
    """Every edit undone, and every edited line altered in each way that there is."""
    found = []
    for back in find_changes(written, original):
        found.append(Wrong(example, back))
        line = "".join(back.before)
        for pattern, new in ALTERATIONS:
            altered = re.sub(pattern, new, line, count=1)
            if altered not in (line, "".join(back.after)) and len(back.before) == 1:
                change = Change(back.path, back.start, back.before, (altered,), back.start)
                found.append(Wrong(example, change))
    return [
        Wrong(wrong.example, change)
        for wrong in found
        # with the line that it has in the wrong migration
        for change in find_changes(written, apply_changes(written, [wrong.change]))[:1]
    ]


def _verify(wrong: Wrong, written: Version, folder: Path) -> Outcome:
    migrated = folder / "migrated"
    shutil.copytree(_output(wrong.example, folder.parent), migrated)  # with its other files
    changed = wrong.change.path
    (migrated / changed).write_bytes(apply_changes(written, [wrong.change])[changed])
    verdict = folder / "verdict.json"
    _ascendify(
        [
            *("verify", str(EXAMPLES / wrong.example), str(migrated), "--bisect", "--quiet"),
            *("--json", str(verdict), "--log-dir", str(folder / "logs"), "--timeout", "600"),
            *("--", sys.executable, *COMMANDS[wrong.example]),
        ]
    )
    found = json.loads(verdict.read_text())
    causes = (found["bisect"] or {"causes": []})["causes"]
    named = tuple(f"{edit['path']}:{edit['line']}" for cause in causes for edit in cause)
    return Outcome(wrong, found["result"], named)


def _ascendify(words: Sequence[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "ascendify", *words], capture_output=True, text=True, check=False
    )
    if ended.returncode == 2 or "Traceback" in ended.stderr:
        raise SystemExit(ended.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
