"""Strict mode: what the device would refuse is told at the user's line, and nothing else is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from interpreters import Run

SCRIPTS = Path(__file__).parent / "scripts"


def told(file: Path) -> list[tuple[str, int, str]]:
    """Code, line and words of each finding of a run."""
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


def test_every_mark_is_told_and_nothing_else(run_script: Run, tmp_path: Path) -> None:
    script = SCRIPTS / "strict_cases.py"
    file = tmp_path / "findings"
    result = run_script(
        script,
        tmp_path / "checkpoint",
        ASCENDIFY_STRICT="1",
        ASCENDIFY_ROOT=str(SCRIPTS),
        ASCENDIFY_FINDINGS=str(file),
    )
    assert result.returncode == 0, result.stderr[-3000:]
    found = told(file)
    assert {(code, line) for code, line, _ in found} == marks(script), found
    assert len(found) == len(marks(script)), found


def test_nothing_is_told_outside_strict_mode(run_script: Run, tmp_path: Path) -> None:
    file = tmp_path / "findings"
    script = SCRIPTS / "strict_early.py"
    result = run_script(script, ASCENDIFY_FINDINGS=str(file), RANK_ID="4", RANK_SIZE="2")
    assert result.returncode == 0, result.stderr[-3000:]
    assert not file.exists()


def test_what_comes_before_the_npu(run_script: Run, tmp_path: Path) -> None:
    script = SCRIPTS / "strict_early.py"
    file = tmp_path / "findings"
    result = run_script(
        script,
        ASCENDIFY_STRICT="1",
        ASCENDIFY_FINDINGS=str(file),
        RANK_ID="4",
        RANK_SIZE="2",
        JOB_ID="007",
        ASCEND_DEVICE_ID="first",
    )
    assert result.returncode == 0, result.stderr[-3000:]
    found = told(file)
    environment = [words for code, _, words in found if code == "EMU-ENV-1"]
    assert [words.split()[0] for words in environment] == ["JOB_ID", "RANK_ID", "ASCEND_DEVICE_ID"]
    others = {(code, line) for code, line, _ in found if code != "EMU-ENV-1"}
    assert others == marks(script), found


@pytest.mark.parametrize("variable", ["ASCENDIFY_FINDINGS", ""], ids=["file", "standard-error"])
def test_where_findings_go(run_script: Run, tmp_path: Path, variable: str) -> None:
    program = (
        "from ascendify_runtime import findings as f\n"
        "for _ in range(2):\n"
        "    f.record('EMU-X-1', f.MANUAL, 'something', 'Mend it.')\n"
    )
    script = tmp_path / "program.py"
    script.write_text(program, encoding="utf-8")
    file = tmp_path / "findings"
    where = {variable: str(file)} if variable else {}
    result = run_script(script, ASCENDIFY_STRICT="1", RANK_ID="3", **where)
    line = f"ascendify: {script}:3: EMU-X-1 (manual): something Mend it.\n"
    if not variable:
        assert result.stderr == line
        return
    assert result.stderr == ""
    assert json.loads(file.read_text(encoding="utf-8")) == {
        "code": "EMU-X-1",
        "status": "manual",
        "path": str(script),
        "line": 3,
        "found": "something",
        "todo": "Mend it.",
        "rank": 3,
    }
