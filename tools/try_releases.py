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
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional
from xml.etree import ElementTree

from make_environments import find_python, size

from ascendify.emulation import releases
from ascendify.emulation.paths import PACKAGES, STARTUP
from ascendify.emulation.releases import (
    FAST,
    PORTABLE,
    TENSORFLOW,
    TORCH,
    Examples,
    OpInfo,
    Overhead,
    Row,
    Suite,
)

ROOT = Path(__file__).resolve().parent.parent
STEPS = ("tests", "opinfo", "overhead", "examples")
NEWEST_TORCH = "2.15.0"
"""Tried with ``--all`` although there is no torch_npu for it yet."""
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
PATH_VARIABLE = "ASCENDIFY_EMULATION_PATH"
SUITE_FOLDER = ROOT / "tests" / "emulation"
EXAMPLE_TEST = "test_migrated_trains_with_the_numbers_of_the_original"
NEEDS = {"accelerate": "accelerate", "trainer": "transformers"}
"""Examples that need a package beside PyTorch."""
HELPERS = ("numpy", "expecttest", "packaging", "pillow", "pyyaml", "accelerate", "transformers")
"""What OpInfo and the examples import."""
OLD_HELPERS = (
    ((2, 5), "numpy", "numpy<2"),
    ((2, 6), "transformers", "transformers<5"),
    ((2, 3), "transformers", "transformers<4.50"),
    ((2, 3), "accelerate", "accelerate<1.8"),
    ((2, 2), "setuptools", "setuptools<80"),
)
"""PyTorch before the first needs the third instead of the second; a later row wins."""
NO_WHEEL = ("No matching distribution found", "No solution found", "no wheels with a matching")
"""What pip and uv say where there is no wheel for a Python."""
MODULE = """
import json, sys, platform
found = {"python": "%d.%d" % sys.version_info[:2], "machine": platform.machine()}
try:
    import torch
    found["framework"], found["version"] = "torch", torch.__version__
    found["build"] = "cuda" + torch.version.cuda if torch.version.cuda else "cpu"
except ImportError:
    import tensorflow
    found["framework"], found["version"] = "tensorflow", tensorflow.__version__
    found["build"] = "cuda" if tensorflow.test.is_built_with_cuda() else "cpu"
print(json.dumps(found))
"""
STAND_IN = """
import json, torch_npu
try:
    from torch_npu._device import path
    chosen = path.chosen
except ImportError:
    chosen = "fast"
print(json.dumps({"path": chosen, "stands_for": torch_npu.__version__}))
"""


@dataclass(frozen=True)
class Wanted:
    """A release to make an environment for."""

    framework: str
    version: str
    """May name a build: ``2.13.0+cpu``."""

    @property
    def line(self) -> tuple[int, int]:
        """Major and minor number."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    @property
    def pythons(self) -> list[tuple[int, int]]:
        """Versions of Python to try, the preferred one first."""
        if self.framework == TENSORFLOW and self.line < (2, 0):
            return [(3, 7)]
        newest = 13 if self.framework == TORCH else 11
        return [(3, minor) for minor in range(newest, 7, -1)]

    @property
    def requirements(self) -> list[str]:
        """Arguments of ``pip install``."""
        if self.framework == TENSORFLOW:
            old = ["protobuf<3.21", "numpy<1.19"] if self.line < (2, 0) else []
            return [f"tensorflow=={self.version}", *old]
        helpers = {name: name for name in HELPERS}
        for before, name, requirement in OLD_HELPERS:
            if self.line < before:
                helpers[name] = requirement
        index = ["--extra-index-url", CPU_INDEX] if self.version.endswith("+cpu") else []
        return [f"torch=={self.version}", *helpers.values(), *index]

    @property
    def sizes(self) -> tuple[int, int]:
        """Megabytes to download and on disk, about."""
        if self.framework == TENSORFLOW:
            return 450, 1500
        return (300, 1400) if self.version.endswith("+cpu") else (3000, 5600)


class NotPossibleError(Exception):
    """A release cannot be tried here; the message says why."""


# --- environments ----------------------------------------------------------------------------


@contextlib.contextmanager
def environment(wanted: Wanted, where: Path, python: str, keep: bool) -> Iterator[str]:
    """Make an environment for a release, give its interpreter, and remove it.

    Raises:
        NotPossibleError: there is no Python or no wheel for it, or no room on the disk.
    """
    download, disk = wanted.sizes
    folder = where / f"{wanted.framework}-{wanted.version}"
    print(f"{wanted.framework} {wanted.version}: an environment in {folder}, about "
          f"{size(download)} to download and {size(disk)} on disk"
          f"{'' if keep else '; removed afterwards'}", flush=True)  # fmt: skip
    where.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(where).free // 10**6
    if free < disk:
        raise NotPossibleError(f"{where} has only {size(free)} free: name a folder with --where")
    try:
        yield _made(wanted, folder, python)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _made(wanted: Wanted, folder: Path, python: str) -> str:
    versions = [_version(python)] if python else wanted.pythons
    commands = (find_python([version], os.environ) for version in versions)
    for command in filter(None, commands):
        shutil.rmtree(folder, ignore_errors=True)
        _checked([command, "-m", "venv", str(folder)])
        interpreter = str(folder / "bin" / "python")
        ended = _run([*_installer(interpreter), *wanted.requirements], {})
        if not ended.returncode:
            return interpreter
        if not any(words in ended.stderr for words in NO_WHEEL):
            raise NotPossibleError(_last_line(ended.stderr))
        print(f"  no wheels for {command}", flush=True)
    tried = ", ".join(f"{major}.{minor}" for major, minor in versions)
    raise NotPossibleError(f"no Python here that has wheels of it (looked for {tried})")


def _installer(interpreter: str) -> list[str]:
    uv = shutil.which("uv")
    if uv:
        return [uv, "pip", "install", "-q", "-p", interpreter, "--index-strategy",
                "unsafe-best-match"]  # fmt: skip
    return [interpreter, "-m", "pip", "--disable-pip-version-check", "install", "-q"]


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def _run(
    command: Sequence[str], variables: Mapping[str, str], timeout: float = 3600
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; one that takes too long has failed."""
    shell = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    try:
        return subprocess.run(  # noqa: S603 (commands of this tool)
            command, env=shell, cwd=ROOT, capture_output=True, text=True, check=False,
            timeout=timeout,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"not done in {timeout:.0f} seconds")


def _checked(command: Sequence[str], **variables: str) -> str:
    """What a command prints.

    Raises:
        NotPossibleError: it failed.
    """
    ended = _run(command, variables)
    if ended.returncode:
        raise NotPossibleError(_last_line(ended.stderr))
    return ended.stdout


def _last_line(words: str) -> str:
    return next((line for line in reversed(words.splitlines()) if line.strip()), "no message")


# --- one release -----------------------------------------------------------------------------


def identify(interpreter: str) -> Row:
    """A row with nothing but what the interpreter has.

    Raises:
        NotPossibleError: it has neither framework.
    """
    quiet = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    found = json.loads(_checked([interpreter, "-c", MODULE], **quiet).splitlines()[-1])
    version = found.pop("version").partition("+")[0]
    return Row(**found, version=version, path="")


def with_path(row: Row, interpreter: str, path: str) -> Row:
    """The row for a path; its note says why the emulation cannot take that path."""
    try:
        told = _checked([interpreter, "-c", STAND_IN], **_variables(path))
    except NotPossibleError as error:
        return replace(row, path=path, note=str(error))
    found = json.loads(told.splitlines()[-1])
    note = "" if found["path"] == path else f"the emulation takes the {found['path']} path here"
    return replace(row, path=path, stands_for=found["stands_for"], note=note)


def _variables(path: str) -> dict[str, str]:
    scripts = SUITE_FOLDER / "scripts"
    folders = os.pathsep.join(map(str, (STARTUP, PACKAGES, scripts)))
    return {"PYTHONPATH": folders, PATH_VARIABLE: path, "PYTHONWARNINGS": "ignore"}


def try_tests(row: Row, interpreter: str, workers: int) -> Suite:
    """Run the emulation's tests; OpInfo is a step of its own."""
    names = sorted(SUITE_FOLDER.glob("test_*.py"))
    of_torch = [name for name in names if name.name.startswith("test_torch_")]
    files = (
        [name for name in of_torch if name.name != "test_torch_opinfo.py"]
        if row.framework == TORCH
        else [name for name in names if name not in of_torch]
    )
    outcomes = _pytest(row, interpreter, workers, files)
    return Suite(
        passed=sum(outcome == "passed" for outcome in outcomes.values()),
        failed=tuple(name for name, outcome in outcomes.items() if outcome == "failed"),
        skipped=sum(outcome == "skipped" for outcome in outcomes.values()),
        date=_today(),
    )


def try_opinfo(row: Row, interpreter: str) -> OpInfo:
    """Run PyTorch's own table of operators."""
    script = SUITE_FOLDER / "scripts" / "torch_opinfo.py"
    ended = _run([interpreter, str(script)], _variables(row.path))
    if ended.returncode:
        return OpInfo(0, (f"did not run: {_last_line(ended.stderr)}",), 0, _today())
    told = json.loads(ended.stdout.splitlines()[-1])
    failed = tuple(sorted(told["failed"]))
    return OpInfo(len(told["compared"]), failed, len(told["without samples"]), _today())


def try_examples(row: Row, interpreter: str, workers: int) -> Examples:
    """Migrate and verify the examples, but those that need a package which is not there."""
    name = "torch_" if row.framework == TORCH else ""
    file = ROOT / "tests" / "verify" / f"test_verified_{name}examples.py"
    missing = {
        example: package
        for example, package in (NEEDS.items() if row.framework == TORCH else ())
        if _run([interpreter, "-c", f"import {package}"], {}).returncode
    }
    left_out = [f"--deselect={file.relative_to(ROOT)}::{EXAMPLE_TEST}[{name}]" for name in missing]
    outcomes = {
        test.partition("[")[2].rstrip("]") or test: outcome
        for test, outcome in _pytest(
            row, interpreter, workers, [f"{file}::{EXAMPLE_TEST}", *left_out]
        ).items()
    }
    return Examples(
        verified=tuple(name for name, outcome in outcomes.items() if outcome == "passed"),
        failed=tuple(name for name, outcome in outcomes.items() if outcome == "failed"),
        needs=missing,
        date=_today(),
    )


def try_overhead(interpreter: str, paths: Sequence[str]) -> dict[str, Overhead]:
    """Measure steps on the emulated NPU by path, against the same steps on the CPU."""
    script = ROOT / "benchmarks" / "emulation_torch.py"
    command = [sys.executable, str(script), interpreter, f"--path={','.join(paths)}", "--json"]
    ended = _run(command, {"PYTHONPATH": str(ROOT / "src")})
    try:
        told = json.loads(ended.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        print(f"  overhead: not measured: {_last_line(ended.stderr)}", flush=True)
        return {}
    rounded = {path: {k: round(v, 2) for k, v in found.items()} for path, found in told.items()}
    return {path: Overhead(found, _today()) for path, found in rounded.items()}


def _pytest(
    row: Row, interpreter: str, workers: int, arguments: Sequence[object]
) -> dict[str, str]:
    """Run tests of this repository against an interpreter; what came of each."""
    old = row.line < (2, 0)
    variable = {TORCH: "TORCH"}.get(row.framework, "TF1" if old else "TF2")
    others = {TORCH: []}.get(row.framework, ["-k", "not tf2" if old else "not tf1"])
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={report}",
            "-n", str(workers), "--dist", "loadgroup", *others, *map(str, arguments),
        ]  # fmt: skip
        variables = {
            "PYTHONPATH": str(ROOT / "src"),
            PATH_VARIABLE: row.path,
            # the interpreters of other frameworks are not asked
            **dict.fromkeys((f"ASCENDIFY_{name}_PYTHON" for name in ("TF1", "TF2", "TORCH")), ""),
            f"ASCENDIFY_{variable}_PYTHON": interpreter,
        }
        ended = _run(command, {name: value for name, value in variables.items() if value})
        if not report.is_file():
            return {f"did not run: {_last_line(ended.stderr or ended.stdout)}": "failed"}
        return outcomes(report.read_text(encoding="utf-8"))


def outcomes(report: str) -> dict[str, str]:
    """Test -> ``passed``, ``failed`` or ``skipped``, of a report in JUnit's format."""
    found = {}
    for case in ElementTree.fromstring(report).iter("testcase"):  # noqa: S314 (pytest wrote it)
        # xdist appends the group of a test to its name
        own = re.sub(r"(\])@.*$", r"\1", case.get("name", ""))
        name = f"{case.get('classname', '').rpartition('.')[2]}::{own}"
        kinds = {child.tag for child in case}
        failed = kinds & {"failure", "error"}
        found[name] = "failed" if failed else "skipped" if "skipped" in kinds else "passed"
    return found


def _today() -> str:
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


# --- all of them -----------------------------------------------------------------------------


def try_one(interpreter: str, paths: Sequence[str], steps: Sequence[str], workers: int) -> None:
    """Try what an interpreter has and write its rows, after each step."""
    found = identify(interpreter)
    print(f"{found.framework} {found.version} ({found.build}), Python {found.python}, "
          f"{found.machine}", flush=True)  # fmt: skip
    if found.framework == TENSORFLOW:
        _try_path(found, interpreter, [step for step in steps if step in ("tests", "examples")],
                  workers)  # fmt: skip
        return
    with admitted(found.version):
        _try_paths(found, interpreter, paths, steps, workers)


def _try_paths(
    found: Row, interpreter: str, paths: Sequence[str], steps: Sequence[str], workers: int
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


def _try_path(row: Row, interpreter: str, steps: Sequence[str], workers: int) -> None:
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


def write(row: Row) -> None:
    """Put a row into the data file; steps that were not tried now keep their figures."""
    rows = releases.read()
    before = next((other for other in rows if other.key == row.key), None)
    if before is not None and not row.note:
        row = replace(row, **{step: getattr(row, step) or getattr(before, step) for step in STEPS})
    rows = releases.with_row(rows, row)
    releases.FILE.write_text(releases.text(rows), encoding="utf-8")


@contextlib.contextmanager
def admitted(version: str) -> Iterator[None]:
    """Let the stand-in start on a release without a row; afterwards its file follows the rows.

    Without this the stand-in refuses what is older than all rows, and no older row could come.
    """
    releases.RUNTIME_FILE.write_text(releases.runtime_text(releases.read(), version), "utf-8")
    try:
        yield
    finally:
        rows = releases.read()
        if releases.promised(rows):
            releases.RUNTIME_FILE.write_text(releases.runtime_text(rows), "utf-8")


def every_torch() -> list[str]:
    """The last PyTorch of each line that torch_npu is made for from 2.1 on, and the newest."""
    file = PACKAGES / "torch_npu" / "_release" / "data.json"
    listed = json.loads(file.read_text(encoding="utf-8"))["releases"]
    versions = {_version(torch): torch for _, torch, *_ in listed}
    lines = [versions[line] for line in sorted(versions) if line >= (2, 1)]
    plain = [*(version for version in lines if version != NEWEST_TORCH), NEWEST_TORCH]
    return [build for version in plain for build in (version, f"{version}+cpu")]


def _arguments(words: Optional[Sequence[str]]) -> argparse.Namespace:
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
    asked = parser.parse_args(words)
    if ROOT in (asked.where.resolve(), *asked.where.resolve().parents):
        parser.error(f"--where {asked.where} is inside the repository: name another folder")
    unknown = set(asked.steps.split(",")) - {*STEPS}
    if unknown:
        parser.error(f"--steps {', '.join(sorted(unknown))}: there are {', '.join(STEPS)}")
    if not (asked.torch or asked.tensorflow or asked.all or asked.use):
        parser.error("name releases with --torch, --tensorflow or --all, or a Python with --use")
    return asked


def main(words: Optional[Sequence[str]] = None) -> int:
    """Try what is asked for; the exit code says whether everything could be tried."""
    asked = _arguments(words)
    paths = (FAST, PORTABLE) if asked.path == "both" else (asked.path,)
    rest = paths, asked.steps.split(","), asked.workers
    named = [*filter(None, asked.torch.split(",")), *(every_torch() if asked.all else ())]
    wanted = [
        *(Wanted(TORCH, version) for version in dict.fromkeys(named)),
        *(Wanted(TENSORFLOW, version) for version in filter(None, asked.tensorflow.split(","))),
    ]
    missed = 0
    for one in (*asked.use, *wanted):
        try:
            if isinstance(one, str):
                try_one(one, *rest)
            else:
                with environment(one, asked.where, asked.python, asked.keep) as interpreter:
                    try_one(interpreter, *rest)
        except NotPossibleError as error:
            name = one if isinstance(one, str) else f"{one.framework} {one.version}"
            print(f"{name}: not tried: {error}", file=sys.stderr, flush=True)
            missed += 1
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
