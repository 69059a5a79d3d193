"""The operators compute what the device's definition says and refuse what the device refuses."""

from __future__ import annotations

from pathlib import Path

from support.interpreters import Run
from support.keras_2 import endings

SCRIPT = Path(__file__).parent / "scripts" / "ops_run.py"


def test_operators(run_script: Run) -> None:
    result = run_script(SCRIPT)
    assert result.returncode == 0, result.stderr[-3000:]
    *failures, summary = result.stdout.splitlines()
    assert summary in endings("60 checks", 22)
    assert not failures, "\n".join(["", *failures])
