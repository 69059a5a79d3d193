"""Speed and safety of ``migrate`` over a tree of real Python files.

Give the tree as the first argument: a checkout of projects that use TensorFlow or PyTorch, two
thousand files or more. Without one, the bundled examples are copied side by side until there are
enough files.
Every figure is a ratio to its reference, measured in the same run on the same files. What one
process does is measured in seconds of its processor, what several share in seconds on the wall.
A disk that is slow at making files decides half of them: TMPDIR=/dev/shm takes it out.
"""

from __future__ import annotations

import ast
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
import warnings
from collections import Counter
from pathlib import Path
from statistics import median
from typing import NamedTuple

from ascendify.catalog import cuda_packages
from ascendify.migrate import migrate
from ascendify.migrate.discovery import files
from ascendify.migrate.settings import load
from ascendify.migrate.survey import survey
from ascendify.reports.model import FileAction, Report
from ascendify.source.project import discover

EXAMPLES = Path(__file__).parent.parent / "examples"
COPIES = 60
ROUNDS = 3
"""Repetitions; the median is printed, because other work makes a machine fast and slow in turns."""
_NAMES = (
    *(b"tensorflow", b"keras", b"horovod", b"tf_slim", b"CUDA_", b"nvidia", b"npu_bridge"),
    *(b"hccl", b"torch", b"lightning", b"accelerate", b"transformers", b"cuda", b"nccl"),
    *(name.encode() for package in cuda_packages.all_packages() for name in package.imports),
)
"""What makes a file concern a rule."""
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
WORST_RATIO = 3.0
"""``migrate`` on one core, to parsing and walking every file."""
LEAST_SPEEDUP = 1.6
"""Two workers, to one."""
WORST_COPY_RATIO = 1.5
"""A file that mentions no framework, to reading and copying it; includes a machine's noise."""


def main() -> int:
    """Measure and print; the exit code says whether every figure is within its limit."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        tree = Path(sys.argv[1]) if len(sys.argv) > 1 else _copies(work / "tree")
        plain = _plain_copy(tree, work / "plain")
        good = [
            _speed(_python_alone(tree, work / "python"), work),
            _copying(plain, work),
            _safety(tree, work),
        ]
    return 0 if all(good) else 1


def _copies(target: Path) -> Path:
    for number in range(COPIES):
        shutil.copytree(EXAMPLES, target / f"copy{number:02}")
    return target


def _plain_copy(tree: Path, target: Path) -> Path:
    """The same files with every framework's name taken out: nothing for any rule to do."""
    for path in _python_files(tree):
        copy = target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = (tree / path).read_bytes()
        for word in _NAMES:
            text = text.replace(word, b"x" * len(word))
        copy.write_bytes(text)
    settings = load(target)
    for path in survey(settings, files(settings)).project().relevant:
        (target / path).unlink()  # it concerns a rule for another reason, as setup.py does
    return target


def _python_alone(tree: Path, target: Path) -> Path:
    """What is parsed for reference, without the pictures and data that are only copied."""
    _read_and_copy(tree, target)
    return target


def _python_files(tree: Path) -> list[str]:
    return [path for path in discover(tree).files if path.endswith(".py")]


def _run(tree: Path, output: Path) -> Report:
    return migrate(load(tree, output=output, force=True))


class Seconds(NamedTuple):
    """What something takes."""

    wall: float
    processor: float


def _seconds(what: str, tree: Path, output: Path) -> Seconds:
    """How long something takes in a process of its own, which nothing before it has slowed."""
    command = [sys.executable, __file__, what, str(tree), str(output)]
    # as where it was installed: modules are not compiled anew each time
    environment = {key: value for key, value in os.environ.items() if key != _NO_BYTECODE}
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return Seconds(*map(float, ended.stdout.split()))


def _measure(what: str, tree: Path, output: Path) -> None:
    start, processor = time.perf_counter(), time.process_time()
    if what == "parse":
        _parse_and_walk(tree)
    elif what == "copy":
        _read_and_copy(tree, output)
    else:
        migrate(load(tree, output=output, jobs=int(what), force=True), process_ends=True)
    print(time.perf_counter() - start, time.process_time() - processor)


def _parse_and_walk(tree: Path) -> None:
    for path in _python_files(tree):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                parsed = ast.parse((tree / path).read_bytes())
        except (SyntaxError, ValueError):
            continue
        for _ in ast.walk(parsed):
            pass


def _read_and_copy(tree: Path, target: Path) -> None:
    for path in _python_files(tree):
        (tree / path).read_bytes()
        copy = target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / path, copy)


def _speed(tree: Path, work: Path) -> bool:
    """One core and two, in turn with the reference."""
    ratios, speedups = [], []
    for number in range(ROUNDS):
        reference = _seconds("parse", tree, work)
        one = _seconds("1", tree, work / f"one{number}")
        two = _seconds("2", tree, work / f"two{number}")
        ratios.append(one.processor / reference.processor)
        speedups.append(one.wall / two.wall)
    label = f"migrate {len(_python_files(tree))} files, one core, to ast.parse + walk"
    fast = _line(label, median(ratios), WORST_RATIO)
    return _line("two workers, to one", median(speedups), LEAST_SPEEDUP, at_least=True) and fast


def _copying(tree: Path, work: Path) -> bool:
    rounds = []
    for number in range(ROUNDS):
        reference = _seconds("copy", tree, work / f"reference{number}")
        copied = _seconds("1", tree, work / f"copy{number}")
        rounds.append(copied.processor / reference.processor)
    label = "files without a framework, to reading and copying them"
    return _line(label, median(rounds), WORST_COPY_RATIO)


def _safety(tree: Path, work: Path) -> bool:
    """Nothing crashes, everything parses, no comment is lost, a second run edits nothing."""
    first, second = work / "first", work / "second"
    report = _run(tree, first)
    changed = [entry for entry in report.files if entry.action is FileAction.CHANGED]
    python = [entry for entry in changed if entry.path.endswith(".py")]
    crashes = sum("failed here" in finding.found for finding in report.findings)
    unparsable = sum(not _parses(first / entry.path) for entry in python)
    lost = sum(
        sum((_comments(entry.before or "") - _comments(entry.after or "")).values())
        for entry in python
    )
    again = _run(first, second).by_action[FileAction.CHANGED]
    results = {
        "rules that crashed": crashes,
        "unparsable outputs": unparsable,
        "lost comments": lost,
        "files edited by a second run": again,
    }
    for name, count in results.items():
        _line(f"{name}, of {len(changed)} changed files", count, 0)
    return not any(results.values())


def _parses(path: Path) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(path.read_bytes())
    except SyntaxError:
        return False
    return True


def _comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    return Counter(token.string.strip() for token in tokens if token.type == tokenize.COMMENT)


def _line(name: str, figure: float, limit: float, *, at_least: bool = False) -> bool:
    good = figure >= limit if at_least else figure <= limit
    word = "at least" if at_least else "at most"
    print(f"{name}: {figure:.2f} ({word} {limit:g}) {'ok' if good else 'MISSED'}", flush=True)
    return good


if __name__ == "__main__":
    if len(sys.argv) > 2:
        _measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.exit(main())
