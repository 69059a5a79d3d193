"""The cost of a file grows with its lines and findings, not with their square.

Work is counted, not timed: calls of functions, Python's and C's. Some quadratic work makes no calls
(looking for an item in a list); ``benchmarks/growth.py`` measures seconds for all of these shapes
at larger sizes.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

from ascendify.migrate import migrate
from ascendify.migrate.settings import load
from ascendify.reports import render
from ascendify.reports.diff import unified
from ascendify.source.edits import AcceptedEdits, Edit

SMALL, FACTOR = 40, 4
SLACK = 1.15
"""What is bounded, such as the bindings that a use may see, is not yet at its bound when small."""
WORST = (
    "a call a line",
    "a name given itself",
    "a chain of methods",
    "a sum of calls",
    "elif",
    "statements on a line, not ASCII",
    "comments inside",
    "one function called",
    "runs of a session",
    "dropouts",
    "options of a session",
    "Horovod's optimizers",
    "a shell script of TensorFlow",
    "a notebook",
)


def _shapes() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "growth.py"
    spec = importlib.util.spec_from_file_location("growth", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GROWTH = _shapes()


def _calls(folder: Path, files: Mapping[str, str]) -> int:
    """How many functions are called to migrate some files and to report that."""
    folder.mkdir()
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8", newline="")
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    settings = load(folder, diff=True, jobs=1)
    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        report = migrate(settings)
        unified(report)
        for name in ("text", "json", "sarif"):
            render(report, name)
    finally:
        sys.setprofile(before)
    assert report.findings
    return count


@pytest.mark.parametrize("name", WORST)
def test_work_is_linear_in_what_is_repeated(name: str, tmp_path: Path) -> None:
    shape = GROWTH.SHAPES[name]
    _calls(tmp_path / "first", shape(1))  # what is computed once, however large the file
    sizes = (SMALL, SMALL * FACTOR, SMALL * FACTOR * FACTOR)
    small, middle, large = (_calls(tmp_path / str(size), shape(size)) for size in sizes)
    # the growth of the growth: what every run costs falls out
    assert (large - middle) / (middle - small) <= FACTOR * SLACK


def test_every_shape_of_the_benchmark_is_migrated(tmp_path: Path) -> None:
    for number, (name, shape) in enumerate(GROWTH.SHAPES.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        for path, text in shape(3).items():
            (folder / path).write_text(text, encoding="utf-8", newline="")
        report = migrate(load(folder, diff=True, jobs=1))
        assert not report.unreadable, name


def test_accepted_edits_compare_only_what_is_near(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    usual = Edit.overlaps

    def overlaps(self: Edit, other: Edit) -> bool:
        nonlocal compared
        compared += 1
        return usual(self, other)

    monkeypatch.setattr(Edit, "overlaps", overlaps)
    accepted = AcceptedEdits()
    edits = [Edit(20 * number, 20 * number + 5, "x") for number in range(5000)]
    for edit in edits:
        assert not accepted.overlaps(edit)
        accepted.add(edit)
    assert compared <= 30 * len(edits)


EDITS = [
    pytest.param(Edit(10, 20, "a"), Edit(15, 25, "b"), True, id="two replacements that meet"),
    pytest.param(Edit(10, 20, "a"), Edit(20, 25, "b"), False, id="one behind the other"),
    pytest.param(Edit(10, 20, "a"), Edit(15, 15, "b"), True, id="an insertion inside"),
    pytest.param(Edit(10, 20, "a"), Edit(10, 10, "b"), False, id="an insertion before"),
    pytest.param(Edit(15, 15, "a"), Edit(10, 900, "b"), True, id="a long one around an insertion"),
    pytest.param(Edit(15, 15, "a"), Edit(15, 15, "b"), False, id="two insertions at one place"),
    pytest.param(Edit(0, 2000, "a"), Edit(900, 901, "b"), True, id="inside a long one"),
    pytest.param(Edit(250, 256, "a"), Edit(256, 260, "b"), False, id="at the edge of a stretch"),
]


@pytest.mark.parametrize(("first", "second", "overlap"), EDITS)
def test_accepted_edits_overlap_as_edits_do(first: Edit, second: Edit, overlap: bool) -> None:
    accepted = AcceptedEdits()
    accepted.add(first)
    assert first.overlaps(second) is overlap
    assert accepted.overlaps(second) is overlap
