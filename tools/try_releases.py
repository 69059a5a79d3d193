"""Try the emulation on releases of PyTorch and TensorFlow, and write what came of it.

    python tools/try_releases.py --torch 2.1.0,2.13.0+cpu     # these, in environments made for it
    python tools/try_releases.py --all                        # every release torch_npu is made for
    python tools/try_releases.py --use ENV/bin/python         # what this interpreter has
    python tools/try_releases.py --tensorflow 1.15.0,2.15.1

Needs the environment that ``make test`` makes. For each release it makes an environment outside the
repository, says first how large that is, and removes it afterwards; then it runs the emulation's
tests, PyTorch's own table of operators (OpInfo), ``verify`` of the examples and the overhead
benchmark, and writes one row of ``src/ascendify/emulation/data/releases.json`` for each path. A
step that fails is a figure in the row. ``tools/build_docs.py`` then brings the docs up to date.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Optional

from release_commands import ROOT, NotPossibleError
from release_environments import Wanted, environment, version
from release_steps import (
    identify,
    try_examples,
    try_opinfo,
    try_overhead,
    try_tests,
    with_path,
)

from ascendify.emulation import releases
from ascendify.emulation.paths import PACKAGES
from ascendify.emulation.releases import FAST, PORTABLE, TENSORFLOW, TORCH, TriedRelease

STEPS = ("tests", "opinfo", "overhead", "examples")
NEWEST_TORCH = "2.15.0"
"""Tried with ``--all`` although there is no torch_npu for it yet."""


def try_one(interpreter: str, paths: Sequence[str], steps: Sequence[str], workers: int) -> None:
    """Try what an interpreter has and write its rows, after each step."""
    found = identify(interpreter)
    print(f"{found.framework} {found.version} ({found.build}), Python {found.python}, "
          f"{found.machine}", flush=True)  # fmt: skip
    with admitted(found):
        if found.framework == TENSORFLOW:
            own = [step for step in steps if step in ("tests", "examples")]
            _try_path(found, interpreter, own, workers)
        else:
            _try_paths(found, interpreter, paths, steps, workers)


def _try_paths(
    found: TriedRelease, interpreter: str, paths: Sequence[str], steps: Sequence[str], workers: int
) -> None:
    rows = [with_path(found, interpreter, path) for path in paths]
    for row in rows:
        if row.note:
            print(f"  {row.path} path: {row.note}", flush=True)
            write(row)
    usable = [row for row in rows if not row.note]
    for row in usable:
        _try_path(row, interpreter, [step for step in steps if step != "overhead"], workers)
    if "overhead" in steps and usable:
        measured = try_overhead(interpreter, [row.path for row in usable])
        for row in usable:
            if row.path in measured:
                write(replace(row, overhead=measured[row.path]))
                print(f"  {row.path} path, overhead: {measured[row.path].ratios}", flush=True)


def _try_path(row: TriedRelease, interpreter: str, steps: Sequence[str], workers: int) -> None:
    where = f"{row.path} path, " if row.path else ""
    if "opinfo" in steps:
        opinfo = try_opinfo(row, interpreter)
        write(replace(row, opinfo=opinfo))
        print(f"  {where}OpInfo: {opinfo.passed} passed, {len(opinfo.failed)} failed "
              f"({opinfo.share:.1%}): {', '.join(opinfo.failed)}", flush=True)  # fmt: skip
    if "tests" in steps:
        tests = try_tests(row, interpreter, workers)
        write(replace(row, tests=tests))
        print(f"  {where}tests: {tests.passed} passed, {len(tests.failed)} failed, "
              f"{tests.skipped} skipped", *tests.failed, sep="\n    ", flush=True)  # fmt: skip
    if "examples" in steps:
        examples = try_examples(row, interpreter, workers)
        write(replace(row, examples=examples))
        needs = [f"{name} needs {package}" for name, package in examples.needs.items()]
        failed = [f"{name} failed" for name in examples.failed]
        print(f"  {where}examples: {len(examples.verified)} verified", *failed, *needs,
              sep=", ", flush=True)  # fmt: skip


def write(row: TriedRelease) -> None:
    """Put a row into the data file; steps that were not tried now keep their figures."""
    rows = releases.read()
    before = next((other for other in rows if other.key == row.key), None)
    if before is not None and not row.note:
        row = replace(row, **{step: getattr(row, step) or getattr(before, step) for step in STEPS})
    rows = releases.with_row(rows, row)
    releases.FILE.write_text(releases.text(rows), encoding="utf-8")


@contextlib.contextmanager
def admitted(row: TriedRelease) -> Iterator[None]:
    """Let the stand-ins start on a release without a row; afterwards their file follows the rows.

    Without this they refuse a PyTorch older than all rows, and no older row could come; and they
    warn about a release that was not tried.
    """
    releases.RUNTIME_FILE.write_text(releases.runtime_text(releases.read(), row), "utf-8")
    try:
        yield
    finally:
        releases.RUNTIME_FILE.write_text(releases.runtime_text(releases.read()), "utf-8")


def every_torch() -> list[str]:
    """The last PyTorch of each line that torch_npu is made for from 2.1 on, and the newest."""
    file = PACKAGES / "torch_npu" / "_release" / "data.json"
    listed = json.loads(file.read_text(encoding="utf-8"))["releases"]
    versions = {version(torch): torch for _, torch, *_ in listed}
    lines = [versions[line] for line in sorted(versions) if line >= (2, 1)]
    plain = [*(line for line in lines if line != NEWEST_TORCH), NEWEST_TORCH]
    return [build for release in plain for build in (release, f"{release}+cpu")]


def _arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Try the emulation on releases.")
    parser.add_argument("--torch", default="", help="releases, such as 2.1.0,2.13.0+cpu")
    parser.add_argument("--tensorflow", default="", help="releases, such as 1.15.0,2.15.1")
    parser.add_argument("--all", action="store_true", help="every PyTorch, in both builds")
    parser.add_argument("--use", action="append", default=[], metavar="PYTHON",
                        help="an interpreter that has a release; may be given again")  # fmt: skip
    parser.add_argument("--where", type=Path, help="folder for environments",
                        default=Path(tempfile.gettempdir()) / "ascendify-releases")  # fmt: skip
    parser.add_argument("--keep", action="store_true", help="do not remove environments")
    parser.add_argument("--python", default="", help="the Python of environments, such as 3.11")
    parser.add_argument("--path", choices=(FAST, PORTABLE, "both"), default="both")
    parser.add_argument("--steps", default=",".join(STEPS), help="which of %(default)s")
    parser.add_argument("--workers", type=int, default=1, help="processes for tests")
    options = parser.parse_args(arguments)
    if ROOT in (options.where.resolve(), *options.where.resolve().parents):
        parser.error(f"--where {options.where} is inside the repository: name another folder")
    unknown = set(options.steps.split(",")) - {*STEPS}
    if unknown:
        parser.error(f"--steps {', '.join(sorted(unknown))}: there are {', '.join(STEPS)}")
    if not (options.torch or options.tensorflow or options.all or options.use):
        parser.error("name releases with --torch, --tensorflow or --all, or a Python with --use")
    return options


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Try the named releases; the exit code says whether everything could be tried."""
    options = _arguments(arguments)
    paths = (FAST, PORTABLE) if options.path == "both" else (options.path,)
    rest = paths, options.steps.split(","), options.workers
    named = [*filter(None, options.torch.split(",")), *(every_torch() if options.all else ())]
    wanted = [
        *(Wanted(TORCH, one) for one in dict.fromkeys(named)),
        *(Wanted(TENSORFLOW, one) for one in filter(None, options.tensorflow.split(","))),
    ]
    missed = 0
    for one in (*options.use, *wanted):
        try:
            if isinstance(one, str):
                try_one(one, *rest)
            else:
                with environment(one, options.where, options.python, options.keep) as interpreter:
                    try_one(interpreter, *rest)
        except NotPossibleError as error:
            name = one if isinstance(one, str) else f"{one.framework} {one.version}"
            print(f"{name}: not tried: {error}", file=sys.stderr, flush=True)
            missed += 1
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
