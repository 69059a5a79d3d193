"""The cache of ``check``: what a second run costs, and one after an edit, to the first.

Give a tree as the first argument; without one, the bundled examples are copied side by side. Runs
are whole commands on one core, in seconds of the processor, of the tree as it is and then after an
edit of one file: a remark added, a function body changed, an argument added, an import added. Files
and places are drawn at random, the same in each run. Who reads what was edited decides what has to
be analysed again, so the median and the worst are both told.
"""

from __future__ import annotations

import ast
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from ascendify.source.project import discover

EXAMPLES = Path(__file__).parent.parent / "examples"
COPIES = 20
EDITS = 16
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
        edits = _edits(tree, files, work)
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


def _edits(tree: Path, files: list[str], work: Path) -> list[float]:
    """What runs take after an edit of a file each, the kinds of edits in turn."""
    chosen = random.Random(1)
    found: list[float] = []
    while len(found) < EDITS:
        file = tree / chosen.choice(files)
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
        edited = _edited(KINDS[len(found) % len(KINDS)], text, chosen)
        if edited is None:
            continue
        file.write_text(edited, encoding="utf-8", errors="surrogateescape")
        shutil.rmtree(work / "edited", ignore_errors=True)
        shutil.copytree(work / "cache0", work / "edited")
        found.append(_check(tree, work / "edited"))
        file.write_text(text, encoding="utf-8", errors="surrogateescape")
    return found


def _edited(kind: Edit, text: str, chosen: random.Random) -> str | None:
    """The text after an edit; None where that is no Python, or there is no place for it."""
    try:
        edited = kind(text.split("\n"), ast.parse(text), chosen)
        ast.parse(edited)
    except (SyntaxError, ValueError, IndexError):
        return None
    return edited


def _with_remark(lines: list[str], tree: ast.Module, chosen: random.Random) -> str:
    at = chosen.choice(tree.body).lineno - 1
    return "\n".join([*lines[:at], "# a remark", *lines[at:]])


def _with_statement(lines: list[str], tree: ast.Module, chosen: random.Random) -> str:
    last = chosen.choice(_functions(tree)).body[-1]
    at, indent = last.lineno - 1, " " * last.col_offset
    return "\n".join([*lines[:at], f"{indent}edited = 1", *lines[at:]])


def _with_argument(lines: list[str], tree: ast.Module, chosen: random.Random) -> str:
    function = chosen.choice([node for node in _functions(tree) if node.args.args])
    arguments = function.args
    last = (arguments.defaults or arguments.args)[-1]
    at, column = (last.end_lineno or 1) - 1, last.end_col_offset or 0
    line = lines[at].encode()
    edited = (line[:column] + b", edited=1" + line[column:]).decode()
    return "\n".join([*lines[:at], edited, *lines[at + 1 :]])


def _with_import(lines: list[str], tree: ast.Module, chosen: random.Random) -> str:
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    at = imports[-1].end_lineno or 0
    return "\n".join([*lines[:at], "import itertools as edited", *lines[at:]])


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


Edit = Callable[[list[str], ast.Module, random.Random], str]
KINDS: tuple[Edit, ...] = (_with_remark, _with_statement, _with_argument, _with_import)


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
