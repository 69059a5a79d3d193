"""The stand-in of npu_device: names, options, opening, collectives, strict mode."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ascendify.emulation.paths import STARTUP
from ascendify.jobs.ports import free_port
from support.commands import ascendify
from support.interpreters import PACKAGES, preloaded, tensorflow_python, user_environment
from support.keras_2 import endings

HERE = Path(__file__).parent
SCRIPTS = HERE / "scripts"
PATHS = os.pathsep.join(map(str, (STARTUP, PACKAGES)))


@pytest.fixture(scope="module")
def python() -> str:
    """A Python that has loaded TensorFlow 2."""
    return preloaded(tensorflow_python("tf2"), "tf2")


def start(python: str, script: str, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [python, str(SCRIPTS / script), *arguments],
        env={**user_environment(), "PYTHONPATH": str(PACKAGES), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, errors = process.communicate(timeout=300)
    return process.returncode, out, errors


def test_every_name_and_signature_is_the_devices(python: str) -> None:
    surface = HERE / "surface_npu_device.json"
    code, out, errors = finish(start(python, "surface_check.py", str(surface)))
    assert code == 0, errors[-3000:]
    *differences, summary = out.splitlines()
    assert not differences, "\n".join(["", *differences])
    entries = json.loads(surface.read_text(encoding="utf-8"))["entries"]
    assert summary.startswith(f"compared {len(entries)} names")


def test_on_one_rank(python: str) -> None:
    code, out, errors = finish(start(python, "npu_device_cases.py"))
    assert code == 0, errors[-4000:]
    assert out.splitlines()[-1] in endings("all checks hold", 14)


def ranks(python: str, size: int, folder: Path, **more: str) -> list[tuple[int, str, str]]:
    """Run a job and return what came of each rank."""
    job = f"127.0.0.1:{free_port()}:npu-device"
    table = {"RANK_TABLE_FILE": str(folder / "table.json")} if size > 1 else {}
    started = [
        start(
            python,
            "npu_device_ranks.py",
            **{
                "ASCENDIFY_JOB": job,
                "RANK_ID": str(rank),
                "RANK_SIZE": str(size),
                "ASCEND_DEVICE_ID": str(rank),
                **table,
                **more,
            },
        )
        for rank in range(size)
    ]
    return [finish(process) for process in started]


def results(ended: list[tuple[int, str, str]]) -> list[dict[str, Any]]:
    for code, _, errors in ended:
        assert code == 0, errors[-4000:]
    lines = [next(x for x in out.splitlines() if x.startswith("RESULT ")) for _, out, _ in ended]
    return [json.loads(line[len("RESULT ") :]) for line in lines]


def test_two_ranks_end_where_one_does_with_the_whole_batch(python: str, tmp_path: Path) -> None:
    (alone,) = results(ranks(python, 1, tmp_path))
    first, second = results(ranks(python, 2, tmp_path))
    assert alone["ways"].keys() == {"fit", "function", "eager", "loss scale", "groups"}
    for way, expected in alone["ways"].items():
        assert first["ways"][way] == second["ways"][way], way
        for one, other in zip(flat(expected), flat(first["ways"][way])):
            assert other == pytest.approx(one, rel=1e-4, abs=1e-6), way
    assert alone["collectives"] == {
        "mean": [1, 2], "list": [[1, 2], None, [2, 4]], "integers": [1, 2],
        "integer type": "int32", "sparse": [[0, 0]] * 3, "traced": [[1, 2], None],
        "gradient": [3, 3], "variable": [0, 0], "gathered": [1, 2], "scattered": [1, 2],
        "sent": [[1, 2]], "reduced": [1, 2],
    }  # fmt: skip
    together = {
        "mean": [1.5, 3], "list": [[3, 6], None, [6, 12]], "integers": [1.5, 3],
        "integer type": "float64", "sparse": [[1, 1], [1, 1], [0, 0]], "traced": [[2, 4], None],
        "gradient": [6, 6], "variable": [1, 1], "gathered": [1, 2, 2, 4], "sent": [[2, 4]],
    }  # fmt: skip
    assert first["collectives"] == {**together, "scattered": [3], "reduced": [3, 6]}
    assert second["collectives"] == {**together, "scattered": [6], "reduced": [2, 4]}
    # only the first exit of a scope broadcasts; its `with` yields nothing
    assert (first["scope"], second["scope"]) == ([None, [1], [1]], [None, [1], [2]])
    for rank in (first, second):
        refused = len(rank["refused"])
        assert (rank["keras"], refused, rank["overflow"]) in (
            (2, 0, [[1.0], False, 4.0]),
            (3, 1, None),  # Keras 3 has no loss scale that follows the overflow flag
        )


def flat(values: Any) -> list[float]:
    return [one for each in values for one in flat(each)] if isinstance(values, list) else [values]


def test_a_rank_that_leaves_is_named(python: str, tmp_path: Path) -> None:
    (code, _, errors), (_, _, others) = ranks(python, 2, tmp_path, LEAVE_EARLY="1")
    assert code != 0
    assert "Rank 1 exited, but rank 0 still waits for it in allreduce" in errors
    assert others.rstrip().endswith("this rank gives up")


def strict(python: str, folder: Path, script: str, *arguments: str, **more: str) -> list[Any]:
    """What strict mode records of a script."""
    file = folder / "findings"
    file.unlink(missing_ok=True)
    code, _, errors = finish(
        start(
            python,
            script,
            *arguments,
            ASCENDIFY_STRICT="1",
            ASCENDIFY_ROOT=str(SCRIPTS),
            ASCENDIFY_FINDINGS=str(file),
            **{"PYTHONPATH": PATHS, **more},
        )
    )
    assert code == 0, errors[-3000:]
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [one for one in map(json.loads, lines) if "code" in one]


def marks(script: str) -> set[tuple[str, int]]:
    """The codes that stand behind the lines of a script."""
    lines = (SCRIPTS / script).read_text(encoding="utf-8").splitlines()
    return {
        (code, number)
        for number, line in enumerate(lines, 1)
        for code in re.findall(r"EMU-[A-Z]+-\d+", line.partition("#")[2])
    }


@pytest.mark.parametrize("script", ["strict_npu_device.py", "strict_before_open.py"])
def test_every_mark_is_recorded_and_nothing_else(python: str, tmp_path: Path, script: str) -> None:
    found = strict(python, tmp_path, script)
    assert {(one["code"], one["line"]) for one in found} == marks(script), found


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("eager", "it does not import npu_device"),
        ("function", "it does not import npu_device"),
        ("fit", "it does not import npu_device"),
        ("session", "it does not import npu_device.compat.v1.npu_init"),
        ("not-default", "npu_device.open().as_default() is not called before the training"),
        ("session-after-open", "no session that trains has the NpuOptimizer entry"),
        ("opened", None),
        ("scope", None),
        ("evaluation", None),
    ],
)
def test_training_without_the_npu(
    python: str, tmp_path: Path, way: str, reason: str | None
) -> None:
    found = [
        one
        for one in strict(python, tmp_path, "strict_never_opened.py", way)
        if one["code"] == "EMU-NPU-1"
    ]
    if reason is None:
        assert not found
        return
    (only,) = found
    assert only["status"] == "blocker"
    assert only["found"] == f"the program trains, but never on the NPU: {reason}"
    assert only["path"] == str(SCRIPTS / "strict_never_opened.py")
    assert only["line"] > 1


@pytest.mark.parametrize(
    ("way", "code"),
    [
        ("wrapped", None),
        ("alone", "EMU-HCCL-3"),
        ("twice", "EMU-HCCL-2"),
        ("callback", "EMU-HCCL-4"),
        ("unsent", "EMU-HCCL-5"),
        ("differ", "EMU-RANK-2"),
    ],
)
def test_what_two_ranks_do_wrong(python: str, way: str, code: str | None) -> None:
    command = ["run", "-n", "2", "--strict", "--timeout", "300", "--project", str(SCRIPTS)]
    command += ["--output-format", "json", "--", python, "strict_npu_ranks.py", way]
    result = ascendify(*command, variables=user_environment())
    printed = result.stdout
    report = json.loads(printed[printed.index('{\n  "schema_version"') :])
    assert [one["code"] for one in report["findings"]] == ([code] if code else [])
