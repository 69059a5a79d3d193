"""Strict mode: what the device would refuse is reported at the user's line, and nothing else is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.commands import ascendify
from support.interpreters import Run, user_environment

SCRIPTS = Path(__file__).parent / "scripts"


def reported(file: Path) -> list[tuple[str, int, str]]:
    """Code, line and text of each finding of a run."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    entries = (json.loads(line) for line in lines)
    return [(one["code"], one["line"], one["found"]) for one in entries if "code" in one]


def marks(script: Path) -> set[tuple[str, int]]:
    """The codes that stand behind the lines of a script."""
    lines = script.read_text(encoding="utf-8").splitlines()
    return {
        (code, number)
        for number, line in enumerate(lines, 1)
        for code in re.findall(r"EMU-[A-Z]+-\d+", line.partition("#")[2])
    }


def test_every_mark_is_reported_and_nothing_else(run_script: Run, tmp_path: Path) -> None:
    script = SCRIPTS / "strict_cases.py"
    file = tmp_path / "findings"
    result = run_script(
        script,
        tmp_path / "model",
        ASCENDIFY_STRICT="1",
        ASCENDIFY_ROOT=str(SCRIPTS),
        ASCENDIFY_FINDINGS=str(file),
    )
    assert result.returncode == 0, result.stderr[-3000:]
    found = reported(file)
    assert {(code, line) for code, line, _ in found} == marks(script), found
    assert len(found) == len(marks(script)), found


def test_what_comes_before_the_npu(run_script: Run, tmp_path: Path) -> None:
    script = SCRIPTS / "strict_early.py"
    file = tmp_path / "findings"
    result = run_script(script, ASCENDIFY_STRICT="1", ASCENDIFY_FINDINGS=str(file))
    assert result.returncode == 0, result.stderr[-3000:]
    assert {(code, line) for code, line, _ in reported(file)} == marks(script), reported(file)


def test_nothing_is_reported_outside_strict_mode(run_script: Run, tmp_path: Path) -> None:
    file = tmp_path / "findings"
    result = run_script(SCRIPTS / "strict_early.py", ASCENDIFY_FINDINGS=str(file))
    assert result.returncode == 0, result.stderr[-3000:]
    assert not file.exists()


def test_mistakes_of_the_environment(run_script: Run, tmp_path: Path) -> None:
    file = tmp_path / "findings"
    wrong = {
        "JOB_ID": "007",
        "RANK_ID": "4",
        "RANK_SIZE": "2",
        "CM_WORKER_SIZE": "2",
        "ASCEND_DEVICE_ID": "first",
    }
    run_script(
        SCRIPTS / "strict_environment.py",
        ASCENDIFY_STRICT="1",
        ASCENDIFY_FINDINGS=str(file),
        **wrong,
    )
    found = reported(file)
    assert {code for code, _, _ in found} == {"EMU-ENV-1"}
    assert [text.split()[0] for _, _, text in found] == [
        "JOB_ID",
        "RANK_ID",
        "RANK_SIZE",
        "ASCEND_DEVICE_ID",
    ]


@pytest.mark.parametrize("variable", ["ASCENDIFY_FINDINGS", ""], ids=["file", "standard-error"])
def test_where_findings_go(run_script: Run, tmp_path: Path, variable: str) -> None:
    program = (
        "from ascendify_runtime import findings as f\n"
        "for _ in range(2):\n"
        "    f.record('EMU-X-1', f.MANUAL, 'something', 'Fix it.')\n"
        "f.record_early_query('rank id')\n"
    )
    script = tmp_path / "program.py"
    script.write_text(program, encoding="utf-8")
    file = tmp_path / "findings"
    where = {variable: str(file)} if variable else {}
    result = run_script(script, ASCENDIFY_STRICT="1", RANK_ID="3", **where)
    if not variable:
        lines = result.stderr.splitlines()
        assert lines[0] == f"ascendify: {script}:3: EMU-X-1 (manual): something Fix it."
        assert lines[1].startswith(f"ascendify: {script}:4: EMU-HCCL-1 (manual): the rank id is")
        assert len(lines) == 2
        return
    assert result.stderr == ""
    first, second = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert first == {
        "code": "EMU-X-1",
        "status": "manual",
        "path": str(script),
        "line": 3,
        "found": "something",
        "todo": "Fix it.",
        "rank": 3,
    }
    assert (second["code"], second["line"]) == ("EMU-HCCL-1", 4)


@pytest.mark.parametrize(
    ("what", "code", "text"),
    [
        ("collective", "EMU-RANK-1", "rank 0 runs HcomAllReduce of float32() where rank 1 runs no"),
        ("operator", "EMU-RANK-2", "the training step of rank 0 differs from that of rank 1"),
        pytest.param("nothing", "EMU-HCCL-3", "a training step of 2 ranks exchanges", id="alone"),
    ],
)
def test_what_depends_on_the_rank(
    preloaded_tensorflow: str, what: str, code: str, text: str
) -> None:
    command = ["run", "-n", "2", "--strict", "--timeout", "300"]
    command += ["--project", str(SCRIPTS), "--output-format", "json"]
    script = ("--", preloaded_tensorflow, "strict_ranks.py", what)
    result = ascendify(*command, *script, variables=user_environment())
    printed = result.stdout
    report = json.loads(printed[printed.index('{\n  "schema_version"') :])
    (found,) = report["findings"]
    assert (found["code"], found["path"]) == (code, "strict_ranks.py")
    assert found["found"].startswith(text), found
