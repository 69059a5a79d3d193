"""The migration of TensorFlow 2, shape by shape: what the specification says all rules together do.

The tables are in ``tests/cases/specification/tf2``, one for each part of the specification. Tables
of single rules, with everything that must stay as it is, are in ``tests/cases/<CODE>``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support.rule_cases import CASES
from support.specification import Row, load, outcome

TABLES = sorted((CASES / "specification" / "tf2").glob("*.py"))
ROWS = [pytest.param(row, id=f"{path.stem}: {row.title}") for path in TABLES for row in load(path)]


@pytest.mark.parametrize("row", ROWS)
def test_shape(row: Row, tmp_path: Path) -> None:
    got = outcome(row, tmp_path)
    assert got.after == row.after
    assert got.findings == row.findings


@pytest.mark.parametrize("row", [item for item in ROWS if item.values[0].after])  # type: ignore[union-attr]  # a row
def test_result_is_a_fixed_point(row: Row, tmp_path: Path) -> None:
    again = replace(row, files={**row.files, **row.after})
    assert outcome(again, tmp_path).after == {}
