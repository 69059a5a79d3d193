"""Sessions, Estimator, hooks and optimizers of the NPU, on the user's TensorFlow."""

from __future__ import annotations

from pathlib import Path

import pytest
from interpreters import Run

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.mark.parametrize("theme", ["names", "estimator", "loss_scale", "seeds"])
def test_on_one_rank(theme: str, run_script: Run, tmp_path: Path) -> None:
    result = run_script(SCRIPTS / f"core_{theme}.py", tmp_path)
    assert result.returncode == 0, result.stderr[-4000:]
    assert result.stdout.splitlines()[-1] == "all checks hold"
