"""Judging the records of two runs."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest

from ascendify.emulation import run_report
from ascendify.findings import Finding, Span, Status
from ascendify.processes import Outcome
from ascendify.verify.captured import Capture, Point, Series
from ascendify.verify.judge import beside, judge, measure_noise, unrepeatable
from ascendify.verify.sides import ORIGINAL, Side
from ascendify.verify.tolerance import Tolerance


def side(root: Path, weight: float, steps: int = 1, begin: int = 1) -> Side:
    """A run that always has the same loss."""
    saved = root / f"{weight}.npz"
    numpy.savez(str(saved), kernel=numpy.array([weight, 1.0], "float32"))
    series = (Series("cost", "loss", (Point(begin, 2.0),)),)
    capture = Capture(0, sys.executable, series=series, steps=steps, weights=saved)
    return Side(ORIGINAL, root, (), (), Outcome((), (), 1.0), (capture,))


@pytest.mark.parametrize(("weight", "differs"), [(0.5, False), (0.6, True)])
def test_weights_alone_may_differ(tmp_path: Path, weight: float, differs: bool) -> None:
    first, second = side(tmp_path, 0.5), side(tmp_path, weight)
    assert judge(first, second, Tolerance(), None).numbers_differ == differs
    reason = unrepeatable(first, second, Tolerance())
    expected = "the original does not repeat itself: of its final weights, kernel differs by 0.1"
    assert reason.startswith(expected) if differs else not reason


@pytest.mark.parametrize(
    ("device", "status"), [("cuda", Status.BLOCKER), ("cpu", Status.MANUAL), ("", Status.BLOCKER)]
)
def test_training_on_the_cpu_is_no_fault_where_the_original_did(
    tmp_path: Path, device: str, status: Status
) -> None:
    first = side(tmp_path, 1)
    losses = tuple(replace(one, device=device) for one in first.captures[0].series)
    first = replace(first, captures=(replace(first.captures[0], series=losses),))
    blockers = tuple(
        Finding(code, Status.BLOCKER, "train.py", Span(), "found")
        for code in ("EMU-TORCH-CPU-1", "EMU-TORCH-OP-1")
    )
    found = beside(first, replace(run_report.report([], tmp_path), findings=blockers)).findings
    assert {one.code: one.status for one in found} == {
        "EMU-TORCH-CPU-1": status,
        "EMU-TORCH-OP-1": Status.BLOCKER,
    }


@pytest.mark.parametrize(("original", "migrated", "reported"), [(3, 2, True), (2, 3, False)])
def test_a_dropped_batch_is_a_likely_cause(
    tmp_path: Path, original: int, migrated: int, reported: bool
) -> None:
    evidence = judge(side(tmp_path, 1, original), side(tmp_path, 1, migrated), Tolerance(), None)
    assert len(evidence.reasons) == 1
    assert f"steps: {original}, the migrated project {migrated}" in evidence.reasons[0]
    assert ("drops a smaller last batch" in evidence.reasons[0]) == reported


def test_a_checkpoint_of_an_earlier_run_is_a_likely_cause(tmp_path: Path) -> None:
    evidence = judge(side(tmp_path, 1, 2), side(tmp_path, 1, 1, 9), Tolerance(), None)
    assert "the migrated project begins at step 9, so it went on from" in evidence.reasons[-1]


@pytest.mark.parametrize(
    ("device", "dtype", "texts"),
    [
        ("npu", "float16", []),
        ("cpu", "float16", ["on the CPU after the migration: a question for a GPU may be left"]),
        ("npu", "float32", ["in float16 by the original, and in float32 after the migration"]),
    ],
    ids=["as before", "on the host", "without autocast"],
)
def test_the_same_loss_computed_otherwise(
    tmp_path: Path, device: str, dtype: str, texts: list[str]
) -> None:
    sides = []
    for where, type_ in (("cuda", "float16"), (device, dtype)):
        one = side(tmp_path, 1)
        series = (Series("loss", "loss", (Point(1, 2.0),), type_, where),)
        sides.append(replace(one, captures=(replace(one.captures[0], series=series),)))
    reasons = judge(sides[0], sides[1], Tolerance(), None).reasons
    assert len(reasons) == len(texts)
    assert all(word in reason for word, reason in zip(texts, reasons))


@pytest.mark.parametrize(
    ("again", "migrated", "differs"),
    [
        pytest.param(2.01, 2.02, False, id="within three times the noise"),
        pytest.param(2.01, 2.05, True, id="beyond it"),
        pytest.param(2.2, 2.05, True, id="noise that proves nothing excuses nothing"),
        pytest.param(2.0, 2.01, True, id="no noise"),
    ],
)
def test_noise_of_the_original_is_allowed(
    tmp_path: Path, again: float, migrated: float, differs: bool
) -> None:
    first, second, other = (with_loss(side(tmp_path, 1), value) for value in (2.0, again, migrated))
    noise = measure_noise(first, second, Tolerance())
    tolerance = Tolerance(noise=noise)
    assert judge(first, other, tolerance, None).numbers_differ == differs
    assert bool(unrepeatable(first, second, tolerance)) == (again == 2.2)


def test_noise_of_weights_is_allowed(tmp_path: Path) -> None:
    first, again, other = (side(tmp_path, weight) for weight in (0.5, 0.505, 0.51))
    tolerance = Tolerance(noise=measure_noise(first, again, Tolerance()))
    assert judge(first, other, Tolerance(), None).numbers_differ
    assert not judge(first, other, tolerance, None).numbers_differ


def with_loss(run: Side, value: float) -> Side:
    """The run with another loss."""
    series = (Series("cost", "loss", (Point(1, value),)),)
    return replace(run, captures=(replace(run.captures[0], series=series),))


def ranks(root: Path, **tensors: tuple[float, float]) -> Side:
    """A run of two ranks, with the value that each rank has of every tensor at the end."""
    captures = []
    for rank in (0, 1):
        saved = root / f"{len(list(root.iterdir()))}.npz"
        values: dict[str, Any] = {
            name: numpy.array([each[rank]], "float32") for name, each in tensors.items()
        }
        numpy.savez(str(saved), **values)
        series = (Series("cost", "loss", (Point(1, 2.0),)),)
        captures.append(Capture(rank, sys.executable, series=series, steps=1, weights=saved))
    return Side(ORIGINAL, root, (), (), Outcome((), (), 1.0), tuple(captures))


@pytest.mark.parametrize(
    ("original", "migrated", "reason"),
    [
        pytest.param((1, 1), (1, 1), "", id="equal on both sides"),
        pytest.param((1, 1), (1, 3), "weights of ranks 0 and 1: ", id="only after the migration"),
        pytest.param((1, 3), (1, 3), "", id="stages of a pipeline, say, in both"),
    ],
)
@pytest.mark.parametrize("name", ["kernel", "norm.running_mean"])
def test_ranks_may_differ_where_those_of_the_original_do(
    tmp_path: Path, name: str, original: tuple[float, float], migrated: tuple[float, float],
    reason: str,
) -> None:  # fmt: skip
    before, after = (ranks(tmp_path, **{name: values}) for values in (original, migrated))
    reasons = judge(before, after, Tolerance(), None).reasons
    assert reasons[:1] == [] if not reason else reasons[0].startswith(reason)


@pytest.mark.parametrize(("name", "count"), [("kernel", 1), ("norm.running_mean", 0)])
def test_statistics_may_differ_where_the_original_had_one_rank(
    tmp_path: Path, name: str, count: int
) -> None:
    two = ranks(tmp_path, **{name: (1, 3)})
    one = replace(two, captures=two.captures[:1])
    assert len(judge(one, two, Tolerance(), None).reasons) == count


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("kernel", 1),
        ("layers/metrics_head/vars/0", 1),
        ("metrics/mean/vars/0", 0),
        ("model/keras_api/metrics/0/total/.ATTRIBUTES/VARIABLE_VALUE", 0),
    ],
)
def test_metrics_in_a_checkpoint_are_of_the_samples_of_a_rank(
    tmp_path: Path, name: str, count: int
) -> None:
    whole = ranks(tmp_path, **{name: (2, 2)})
    one = replace(whole, captures=whole.captures[:1])
    two = ranks(tmp_path, **{name: (1, 1)})
    assert len(judge(one, two, Tolerance(), None).reasons) == count
    assert judge(whole, two, Tolerance(), None).reasons
