"""Speed and safety of ``migrate`` over a tree of real Python files.

Give the tree as the first argument: a checkout of projects that use TensorFlow, two thousand files
or more. Without one, the bundled examples are copied side by side until there are enough files.
Every figure is a ratio to its reference, measured in the same run on the same files.
"""

from __future__ import annotations

import ast
import io
import shutil
import sys
import tempfile
import time
import tokenize
import warnings
from collections import Counter
from pathlib import Path

from ascendify.migrate import migrate
from ascendify.migrate.settings import load
from ascendify.reports.model import FileAction, Report
from ascendify.source.project import discover

EXAMPLES = Path(__file__).parent.parent / "examples"
COPIES = 60
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
            _speed(tree, work),
            _workers(tree, work),
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
        for word in (b"tensorflow", b"keras", b"horovod", b"tf_slim", b"CUDA_", b"nvidia",
                     b"npu_bridge", b"hccl", b"pynvml", b"GPUtil", b"cupy", b"numba"):  # fmt: skip
            text = text.replace(word, b"x" * len(word))
        copy.write_bytes(text)
    return target


def _python_files(tree: Path) -> list[str]:
    return [path for path in discover(tree).files if path.endswith(".py")]


def _run(tree: Path, output: Path, jobs: int) -> tuple[float, Report]:
    settings = load(tree, output=output, jobs=jobs, force=True)
    start = time.perf_counter()
    report = migrate(settings)
    return time.perf_counter() - start, report


def _parse_and_walk(tree: Path) -> float:
    start = time.perf_counter()
    for path in _python_files(tree):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                parsed = ast.parse((tree / path).read_bytes())
        except (SyntaxError, ValueError):
            continue
        for _ in ast.walk(parsed):
            pass
    return time.perf_counter() - start


def _read_and_copy(tree: Path, target: Path) -> float:
    start = time.perf_counter()
    for path in _python_files(tree):
        (tree / path).read_bytes()
        copy = target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / path, copy)
    return time.perf_counter() - start


def _speed(tree: Path, work: Path) -> bool:
    rounds = []
    for number in range(2):
        reference = _parse_and_walk(tree)
        rounds.append(_run(tree, work / f"speed{number}", 1)[0] / reference)
    files = len(_python_files(tree))
    return _line(f"migrate {files} files, one core, to ast.parse + walk", min(rounds), WORST_RATIO)


def _workers(tree: Path, work: Path) -> bool:
    rounds = []
    for number in range(2):
        one = _run(tree, work / f"one{number}", 1)[0]
        rounds.append(one / _run(tree, work / f"two{number}", 2)[0])
    return _line("two workers, to one", max(rounds), LEAST_SPEEDUP, at_least=True)


def _copying(tree: Path, work: Path) -> bool:
    rounds = []
    for number in range(3):
        reference = _read_and_copy(tree, work / f"reference{number}")
        rounds.append(_run(tree, work / f"copy{number}", 1)[0] / reference)
    label = "files without a framework, to reading and copying them"
    return _line(label, min(rounds), WORST_COPY_RATIO)


def _safety(tree: Path, work: Path) -> bool:
    """Nothing crashes, everything parses, no comment is lost, a second run edits nothing."""
    first, second = work / "first", work / "second"
    report = _run(tree, first, 2)[1]
    changed = [entry for entry in report.files if entry.action is FileAction.CHANGED]
    python = [entry for entry in changed if entry.path.endswith(".py")]
    crashes = sum("failed here" in finding.found for finding in report.findings)
    unparsable = sum(not _parses(first / entry.path) for entry in python)
    lost = sum(
        sum((_comments(entry.before or "") - _comments(entry.after or "")).values())
        for entry in python
    )
    again = _run(first, second, 2)[1].by_action[FileAction.CHANGED]
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
    sys.exit(main())
