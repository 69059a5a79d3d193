"""The example projects, migrated: every edit and every finding is written down and was read.

``ASCENDIFY_UPDATE_GOLDEN=1 pytest tests/test_examples.py`` writes tests/golden anew; read the
difference before committing it.
"""

from __future__ import annotations

import ast
import os
import shutil
from pathlib import Path

import pytest

from ascendify.migrate import check, migrate
from ascendify.migrate.settings import load
from ascendify.reports import diff
from ascendify.reports.model import Report
from ascendify.source.text import SourceText

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir())
GOLDEN = Path(__file__).parent / "golden"
UPDATE = bool(os.environ.get("ASCENDIFY_UPDATE_GOLDEN"))

example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)


def _findings(report: Report) -> str:
    rows = sorted(
        f"{item.path}:{item.span.line} {item.code} "
        f"{'possible' if item.possible else item.status.value}\n"
        for item in report.findings
    )
    return "".join(rows)


@example
def test_golden(example: Path) -> None:
    report = check(load(example))
    results = {
        f"{example.name}.diff": diff.unified(report),
        f"{example.name}.findings": _findings(report),
    }
    for name, text in results.items():
        path = GOLDEN / name
        if UPDATE:
            path.write_bytes(text.encode())
        assert text == path.read_bytes().decode(), f"{name} differs"


@example
def test_output_parses_and_a_second_run_changes_nothing(example: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    migrate(load(example, output=first))
    for path in first.rglob("*.py"):
        ast.parse(SourceText.decode(path.read_bytes()).text)
    again = migrate(load(first, output=second))
    assert [entry.path for entry in again.rewritten_files] == []


@example
def test_inverse_patch_restores_the_example(example: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    migrate(load(example, output=output))
    patch = tmp_path / "out.undo.patch"
    if patch.exists():
        git = shutil.which("git")
        assert git is not None
        assert os.spawnl(os.P_WAIT, git, "git", "-C", str(output), "apply", str(patch)) == 0
    for path in example.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert (output / path.relative_to(example)).read_bytes() == path.read_bytes()
