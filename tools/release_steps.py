"""The steps of trying a release: the emulation's tests, OpInfo, the examples, the overhead."""

from __future__ import annotations

import datetime
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from release_commands import ROOT, NotPossibleError, last_line, run, run_checked

from ascendify.emulation.paths import PACKAGES, STARTUP
from ascendify.emulation.releases import (
    TENSORFLOW,
    TORCH,
    ExamplesResult,
    OpInfoResult,
    OverheadResult,
    SuiteResult,
    TriedRelease,
)

PATH_VARIABLE = "ASCENDIFY_EMULATION_PATH"
SUITE_FOLDER = ROOT / "tests" / "emulation"
WITHOUT_FRAMEWORK = ("test_audit", "test_gloo", "test_releases", "test_strict_report")
"""Tests of the emulation that start no interpreter with a framework."""
EXAMPLE_TEST = "test_migrated_trains_with_the_numbers_of_the_original"
_OPTIMIZER = "import tensorflow as tf; optimizer = tf.keras.optimizers.SGD(); "
_VARIABLES = ("Keras 2 (optimizer.variables())", f"{_OPTIMIZER}optimizer.variables()")
_SCALED_LOSS = (
    "Keras 2 (get_scaled_loss())",
    f"{_OPTIMIZER}scaled = tf.keras.mixed_precision.LossScaleOptimizer; "
    "scaled(optimizer, False, 128.0).get_scaled_loss(tf.constant(1.0))",
)
NEEDS = {
    TORCH: {
        "accelerate": ("accelerate", "import accelerate"),
        "trainer": ("transformers", "import transformers"),
    },
    TENSORFLOW: {
        "horovod": _VARIABLES,
        "horovod alone": _VARIABLES,
        "loop alone": _SCALED_LOSS,
    },
}
"""Examples whose original needs more than any release has: what, and code that fails without."""
IDENTIFY_FRAMEWORK = """
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
IDENTIFY_STAND_IN = """
import json, torch_npu
from torch_npu._device import path
print(json.dumps({"path": path.chosen, "stands_for": torch_npu.__version__}))
"""


def identify(interpreter: str) -> TriedRelease:
    """A row with nothing but what the interpreter has.

    Raises:
        NotPossibleError: it has neither framework.
    """
    quiet = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    found = json.loads(
        run_checked([interpreter, "-c", IDENTIFY_FRAMEWORK], **quiet).splitlines()[-1]
    )
    version = found.pop("version").partition("+")[0]
    return TriedRelease(**found, version=version, path="")


def with_path(row: TriedRelease, interpreter: str, path: str) -> TriedRelease:
    """The row for a path; its note says why the emulation cannot take that path."""
    try:
        answer = run_checked([interpreter, "-c", IDENTIFY_STAND_IN], **_variables(path))
    except NotPossibleError as error:
        return replace(row, path=path, note=str(error))
    found = json.loads(answer.splitlines()[-1])
    note = "" if found["path"] == path else f"the emulation takes the {found['path']} path here"
    return replace(row, path=path, stands_for=found["stands_for"], note=note)


def _variables(path: str) -> dict[str, str]:
    scripts = SUITE_FOLDER / "scripts"
    folders = os.pathsep.join(map(str, (STARTUP, PACKAGES, scripts)))
    return {"PYTHONPATH": folders, PATH_VARIABLE: path, "PYTHONWARNINGS": "ignore"}


def try_tests(row: TriedRelease, interpreter: str, workers: int) -> SuiteResult:
    """Run the emulation's tests; OpInfo is a step of its own."""
    names = [
        name
        for name in sorted(SUITE_FOLDER.glob("test_*.py"))
        if name.stem not in WITHOUT_FRAMEWORK
    ]
    of_torch = [name for name in names if name.name.startswith("test_torch_")]
    files = (
        [name for name in of_torch if name.name != "test_torch_opinfo.py"]
        if row.framework == TORCH
        else [name for name in names if name not in of_torch]
    )
    outcomes = _pytest(row, interpreter, workers, files)
    return SuiteResult(
        passed=sum(outcome == "passed" for outcome in outcomes.values()),
        failed=tuple(name for name, outcome in outcomes.items() if outcome == "failed"),
        skipped=sum(outcome == "skipped" for outcome in outcomes.values()),
        date=_today(),
    )


def try_opinfo(row: TriedRelease, interpreter: str) -> OpInfoResult:
    """Run PyTorch's own table of operators."""
    script = SUITE_FOLDER / "scripts" / "torch_opinfo.py"
    ended = run([interpreter, str(script)], _variables(row.path))
    if ended.returncode:
        return OpInfoResult(0, (f"did not run: {last_line(ended.stderr)}",), 0, _today())
    found = json.loads(ended.stdout.splitlines()[-1])
    failed = tuple(sorted(found["failed"]))
    return OpInfoResult(len(found["compared"]), failed, len(found["without samples"]), _today())


def try_examples(row: TriedRelease, interpreter: str, workers: int) -> ExamplesResult:
    """Migrate and verify the examples, but those whose original cannot run there."""
    name = {TORCH: "torch_"}.get(row.framework, "" if row.line < (2, 0) else "tf2_")
    file = ROOT / "tests" / "verify" / f"test_verified_{name}examples.py"
    needs = {} if name == "" else NEEDS[row.framework]
    missing = {
        example: what
        for example, (what, code) in needs.items()
        if run([interpreter, "-c", code], {}).returncode
    }
    left_out = [f"--deselect={file.relative_to(ROOT)}::{EXAMPLE_TEST}[{name}]" for name in missing]
    outcomes = {
        test.partition("[")[2].rstrip("]") or test: outcome
        for test, outcome in _pytest(
            row, interpreter, workers, [f"{file}::{EXAMPLE_TEST}", *left_out]
        ).items()
    }
    return ExamplesResult(
        verified=tuple(name for name, outcome in outcomes.items() if outcome == "passed"),
        failed=tuple(name for name, outcome in outcomes.items() if outcome == "failed"),
        needs=missing,
        date=_today(),
    )


def try_overhead(interpreter: str, paths: Sequence[str]) -> dict[str, OverheadResult]:
    """Measure steps on the emulated NPU by path, against the same steps on the CPU."""
    script = ROOT / "benchmarks" / "emulation_torch.py"
    command = [sys.executable, str(script), interpreter, f"--path={','.join(paths)}", "--json"]
    ended = run(command, {"PYTHONPATH": str(ROOT / "src")})
    try:
        measured = json.loads(ended.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        print(f"  overhead: not measured: {last_line(ended.stderr)}", flush=True)
        return {}
    rounded = {path: {k: round(v, 2) for k, v in found.items()} for path, found in measured.items()}
    return {path: OverheadResult(found, _today()) for path, found in rounded.items()}


def _pytest(
    row: TriedRelease, interpreter: str, workers: int, arguments: Sequence[object]
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
            # leave out the tests of other frameworks
            **dict.fromkeys((f"ASCENDIFY_{name}_PYTHON" for name in ("TF1", "TF2", "TORCH")), ""),
            f"ASCENDIFY_{variable}_PYTHON": interpreter,
        }
        ended = run(command, variables)
        if not report.is_file():
            return {f"did not run: {last_line(ended.stderr or ended.stdout)}": "failed"}
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
