"""Series of two runs: which belong together, where they part, and what is close enough."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from ascendify.verify.captured import Point, Series
from ascendify.verify.series import align, compare
from ascendify.verify.tolerance import Tolerance, less_precise, relative_error

NAN, INF = math.nan, math.inf


def series(
    *values: float, name: str = "loss", source: str = "loss", steps: Sequence[int] = ()
) -> Series:
    """Values at steps 1, 2, ... unless given."""
    numbers = steps or range(1, len(values) + 1)
    return Series(name, source, tuple(Point(step, value) for step, value in zip(numbers, values)))


@pytest.mark.parametrize(
    ("original", "migrated", "step", "compared"),
    [
        pytest.param(series(1, 2, 3), series(1, 2, 3), None, 3, id="equal"),
        pytest.param(series(1, 2, 3), series(1.00005, 2, 3), None, 3, id="within-tolerance"),
        pytest.param(series(1, 2, 3), series(1, 2.01, 3), 2, 3, id="second-step-differs"),
        pytest.param(series(1, 2, 3), series(1, 2.01, 4), 2, 3, id="the-first-of-two-is-reported"),
        pytest.param(series(0, 1), series(1e-7, 1), None, 2, id="zero-has-the-absolute-tolerance"),
        pytest.param(series(0, 1), series(1e-3, 1), 1, 2, id="zero-and-not-zero"),
        pytest.param(series(1, NAN), series(1, NAN), None, 2, id="both-no-number"),
        pytest.param(series(1, NAN), series(1, 2), 2, 2, id="only-the-original-no-number"),
        pytest.param(series(1, 2), series(1, NAN), 2, 2, id="only-the-migrated-no-number"),
        pytest.param(series(INF), series(INF), None, 1, id="both-infinite"),
        pytest.param(series(INF), series(-INF), 1, 1, id="infinite-the-other-way"),
        pytest.param(series(1, 2, 3, 4), series(2, 4, steps=(2, 4)), None, 2, id="every-second"),
        pytest.param(series(1, 2, steps=(5, 5)), series(1, 3, steps=(5, 5)), 5, 2, id="step-twice"),
        pytest.param(series(1), series(1, steps=(9,)), None, 0, id="no-shared-step"),
    ],
)
def test_where_series_part(
    original: Series, migrated: Series, step: int | None, compared: int
) -> None:
    comparison = compare(original, migrated, Tolerance())
    first = comparison.first_divergence
    assert (first.step if first else None) == step
    assert comparison.compared == compared
    agrees = step is None and compared > 0
    assert comparison.agrees == agrees


def test_nothing_but_nan_proves_nothing() -> None:
    assert not compare(series(NAN, NAN), series(NAN, NAN), Tolerance()).agrees


def test_errors_are_measured_by_the_original() -> None:
    comparison = compare(series(2, 4), series(2.2, 4), Tolerance())
    assert comparison.largest_error == pytest.approx(0.1)
    assert comparison.mean_error == pytest.approx(0.05)
    assert comparison.diverging == 1


@pytest.mark.parametrize(
    ("whole", "after", "leaves_out"), [(True, 5, True), (True, 7, False), (False, 5, False)]
)
def test_evaluations_that_leave_samples_out(whole: bool, after: int, leaves_out: bool) -> None:
    first, second = (
        Series("accuracy", "keras", (Point(1, 0.5, batches, whole),)) for batches in (6, after)
    )
    assert compare(first, second, Tolerance()).leaves_out is leaves_out


def test_evaluations_of_other_data_are_not_compared() -> None:
    original = Series("eval/loss", "evaluation", (Point(9, 0.5, batches=6),))
    migrated = Series("eval/loss", "evaluation", (Point(9, 0.7, batches=5),))
    comparison = compare(original, migrated, Tolerance())
    assert (comparison.compared, comparison.other_data, comparison.agrees) == (0, (6, 5), True)


@pytest.mark.parametrize(
    ("original", "migrated", "pairs", "left", "right"),
    [
        pytest.param(
            [series(name="a"), series(name="b")],
            [series(name="b"), series(name="a")],
            [("a", "a"), ("b", "b")],
            [],
            [],
            id="by-name",
        ),
        pytest.param(
            [series(name="Mean"), series(name="Mean", source="summary")],
            [series(name="Mean", source="summary"), series(name="Mean")],
            [("Mean", "Mean"), ("Mean", "Mean")],
            [],
            [],
            id="by-source-too",
        ),
        pytest.param(
            [series(name="Mean")],
            [series(name="Mean", source="fetch")],
            [("Mean", "Mean")],
            [],
            [],
            id="a-loss-that-was-only-fetched",
        ),
        pytest.param(
            [series(name="d_loss"), series(name="g_loss")],
            [series(name="x/d_loss"), series(name="x/g_loss")],
            [("d_loss", "x/d_loss"), ("g_loss", "x/g_loss")],
            [],
            [],
            id="renamed-losses-by-order",
        ),
        pytest.param(
            [series(1, name="mean_loss", source="fetch")],
            [series(1, name="truediv", source="fetch")],
            [("mean_loss", "truediv")],
            [],
            [],
            id="renamed-fetches-at-the-same-steps",
        ),
        pytest.param(
            [series(1, name="a", source="fetch")],
            [series(1, 2, name="b", source="fetch")],
            [],
            ["a"],
            ["b"],
            id="fetches-at-other-steps-stay-alone",
        ),
        pytest.param(
            [series(name="a", source="summary")],
            [series(name="b", source="summary")],
            [],
            ["a"],
            ["b"],
            id="summaries-are-never-guessed",
        ),
    ],
)
def test_which_series_belong_together(
    original: list[Series],
    migrated: list[Series],
    pairs: list[tuple[str, str]],
    left: list[str],
    right: list[str],
) -> None:
    alignment = align(original, migrated)
    assert [(one.name, other.name) for one, other in alignment.pairs] == pairs
    assert [one.name for one in alignment.only_original] == left
    assert [one.name for one in alignment.only_migrated] == right


@pytest.mark.parametrize(
    ("tolerance", "position", "dtype", "allowed"),
    [
        pytest.param(Tolerance(), 0, "float32", 1e-4, id="at-first"),
        pytest.param(Tolerance(), 50, "float32", 2e-4, id="grows"),
        pytest.param(Tolerance(), 10**6, "float32", 0.02, id="to-a-ceiling"),
        pytest.param(Tolerance(), 0, "float64", 1e-6, id="double"),
        pytest.param(Tolerance(), 0, "bfloat16", 0.02, id="bfloat16"),
        pytest.param(Tolerance(1e-3), 10**6, "float32", 1e-3, id="the-users-own-does-not-grow"),
    ],
)
def test_what_is_allowed(tolerance: Tolerance, position: int, dtype: str, allowed: float) -> None:
    assert tolerance.allowed(position, dtype) == pytest.approx(allowed)


def test_the_less_precise_type_decides() -> None:
    assert less_precise("float32", "float16") == "float16"
    assert less_precise("float64", "float32") == "float32"


@pytest.mark.parametrize(
    ("original", "migrated", "error"),
    [(2.0, 1.0, 0.5), (0.0, 0.0, 0.0), (0.0, 1.0, INF), (NAN, NAN, 0.0), (NAN, 1.0, INF)],
)
def test_relative_error(original: float, migrated: float, error: float) -> None:
    assert relative_error(original, migrated) == error
