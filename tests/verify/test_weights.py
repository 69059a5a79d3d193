"""Weights of two runs: which differences count."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from ascendify.verify.weights import WeightFiles, WeightTolerance, compare, is_statistic, judge

FILES = WeightFiles(Path("a"), Path("b"), "python")


def tensors(**names: Any) -> dict[str, Any]:
    """Tensors by name; a value is a shape, or a shape and a type."""
    return {
        name: {"shape": list(value[0]), "dtype": value[1]}
        if value and isinstance(value[0], tuple)
        else {"shape": list(value), "dtype": "float32"}
        for name, value in names.items()
    }


def reported(left: Any, right: Any, **apart: float | None) -> dict[str, Any]:
    """What was read; differences of tensors whose largest value is 2."""
    differences = {name: None if one is None else [2 * one, 2.0] for name, one in apart.items()}
    return {"original": left, "migrated": right, "differences": differences}


@pytest.mark.parametrize(
    ("saw", "problems", "ignored"),
    [
        pytest.param(reported(tensors(w=(2, 3)), tensors(w=(2, 3)), w=0.0), [], [], id="equal"),
        pytest.param(reported(tensors(w=(2,)), tensors(w=(2,)), w=5e-5), [], [], id="close"),
        pytest.param(
            reported(tensors(w=(2,)), tensors(w=(2,)), w=0.5),
            [("w", "differs by 0.5 of its largest value (allowed 0.0001)")],
            [],
            id="far",
        ),
        pytest.param(
            reported(tensors(w=(2,)), tensors(w=(2,)), w=None),
            [("w", "is not finite on one side only")],
            [],
            id="nan",
        ),
        pytest.param(
            reported(tensors(w=(2, 3)), tensors(w=(3, 2))),
            [("w", "has shape 3x2 instead of 2x3")],
            [],
            id="shape",
        ),
        pytest.param(
            reported(tensors(w=((2,), "float32")), tensors(w=((2,), "float16")), w=0.0),
            [("w", "is float16 instead of float32")],
            [],
            id="type",
        ),
        pytest.param(
            reported(tensors(w=((2,), "float64")), tensors(w=((2,), "float32")), w=0.0),
            [],
            [],
            id="a type that an NPU has not",
        ),
        pytest.param(
            reported(tensors(w=(2,), m=(2,)), tensors(w=(2,)), w=0.0),
            [("m", "is missing in the migrated one")],
            [],
            id="missing",
        ),
        pytest.param(
            reported(tensors(w=(2,)), tensors(w=(2,), m=(2,)), w=0.0),
            [("m", "is new")],
            [],
            id="new",
        ),
        pytest.param(
            reported(tensors(**{"w": (2,), "optimizer/state/0/step": ()}), tensors(w=(2,)), w=0.0),
            [],
            ["optimizer/state/0/step"],
            id="steps that a fused optimizer keeps as int",
        ),
        pytest.param(
            reported(tensors(**{"w": (2,), "state/0/exp_avg": ()}), tensors(w=(2,)), w=0.0),
            [("state/0/exp_avg", "is missing in the migrated one")],
            [],
            id="and its moments are tensors",
        ),
        pytest.param(
            reported(tensors(w=(2,)), tensors(w=(2,), loss_scale=(), good_steps=()), w=0.0),
            [],
            ["good_steps", "loss_scale"],
            id="loss-scale-may-come",
        ),
    ],
)
def test_what_counts(
    saw: dict[str, Any], problems: list[tuple[str, str]], ignored: list[str]
) -> None:
    comparison = judge("checkpoint", FILES, saw, allowed=WeightTolerance(1e-4, 1e-6))
    assert [(one.name, one.problem) for one in comparison.problems] == problems
    assert list(comparison.ignored) == ignored
    assert comparison.agrees == (not problems)


def test_nothing_shared_is_no_agreement() -> None:
    assert not judge(
        "checkpoint", FILES, reported({}, {}), allowed=WeightTolerance(1e-4, 1e-6)
    ).agrees


def test_ranks_have_parts_and_statistics_of_their_own() -> None:
    statistics = {"net/1.running_mean": (2,), "net/1.weight": (2,)}
    saw = reported(
        tensors(**statistics, **{"net/0.weight, part of rank 0": (2,)}),
        tensors(**statistics, **{"net/0.weight, part of rank 1": (2,)}),
        **{"net/1.running_mean": 0.5, "net/1.weight": 0.0},
    )
    exact = WeightTolerance(1e-6, 1e-9, ignores=is_statistic)
    comparison = judge("weights of ranks 0 and 1", FILES, saw, exact)
    assert comparison.agrees and comparison.largest_error == 0.0
    assert not judge("final weights", FILES, saw, WeightTolerance(1e-6, 1e-9)).agrees


def test_what_rounding_leaves_does_not_count() -> None:
    saw = {**reported(tensors(b=(2,)), tensors(b=(2,))), "differences": {"b": [4e-9, 3e-9]}}
    assert judge("checkpoint", FILES, saw, allowed=WeightTolerance(1e-4, 1e-6)).agrees
    assert not judge("checkpoint", FILES, saw, allowed=WeightTolerance(1e-4, 1e-10)).agrees


@pytest.mark.parametrize(
    ("other", "problems"),
    [
        pytest.param([b"abcd", b"e"], [], id="the longest text has another length"),
        pytest.param([1.0, 2.0], ["is float64 instead of string"], id="numbers"),
    ],
)
def test_types_of_texts(tmp_path: Path, other: list[object], problems: list[str]) -> None:
    numpy = pytest.importorskip("numpy")
    files = WeightFiles(tmp_path / "a.npz", tmp_path / "b.npz", sys.executable)
    numpy.savez(files.original, weights=numpy.ones(2), texts=numpy.array([b"ab", b"c"]))
    numpy.savez(files.migrated, weights=numpy.ones(2), texts=numpy.array(other))
    comparison = compare("checkpoint", files, WeightTolerance(1e-4, 1e-6))
    assert [one.problem for one in comparison.problems] == problems
