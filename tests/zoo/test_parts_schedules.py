"""The learning rate of every step: closed forms, warm-up, and what is refused."""

from __future__ import annotations

import math

import pytest

from ascendify.errors import UsageError
from ascendify.zoo.config import Schedule
from ascendify.zoo.training.schedules import rate

COSINE = Schedule("cosine")
GUIDE = Schedule("cosine", warmup=8000)
POLYNOMIAL = Schedule("polynomial", end=1e-6, power=0.1)
STAIRCASE = Schedule("staircase", decay=0.1, every=30)
PIECEWISE = Schedule("piecewise", boundaries=(10, 20), factors=(1, 0.1, 0.01))
CYCLE = Schedule("one-cycle", warmup=30)


@pytest.mark.parametrize(
    ("schedule", "lr", "step", "steps", "expected"),
    [
        (Schedule(), 0.5, 0, 10, 0.5),
        (Schedule(), 0.5, 9, 10, 0.5),
        (Schedule(warmup=4), 0.5, 0, 10, 0.0),
        (Schedule(warmup=4), 0.5, 3, 10, 0.375),
        (Schedule(warmup=4), 0.5, 4, 10, 0.5),
        (COSINE, 1.0, 0, 100, 1.0),
        (COSINE, 1.0, 50, 100, 0.5),
        (COSINE, 1.0, 100, 100, 0.0),
        (COSINE, 1.0, 200, 100, 0.0),  # past the end it does not rise again
        (GUIDE, 0.08, 4000, 240_000, 0.04),
        (GUIDE, 0.08, 7999, 240_000, 0.08 * 7999 / 8000),
        # the warm-up does not move the cosine
        (GUIDE, 0.08, 8000, 240_000, 0.04 * (1 + math.cos(math.pi / 30))),
        (POLYNOMIAL, 0.01, 0, 1000, 0.01),
        (POLYNOMIAL, 0.01, 500, 1000, (0.01 - 1e-6) * 0.5**0.1 + 1e-6),
        (POLYNOMIAL, 0.01, 1000, 1000, 1e-6),
        (POLYNOMIAL, 0.01, 1001, 1000, 1e-6),
        (STAIRCASE, 1.0, 29, 100, 1.0),
        (STAIRCASE, 1.0, 30, 100, 0.1),
        (STAIRCASE, 1.0, 90, 100, 0.001),
        (PIECEWISE, 2.0, 10, 100, 2.0),  # a boundary belongs to the piece before it
        (PIECEWISE, 2.0, 11, 100, 0.2),
        (PIECEWISE, 2.0, 20, 100, 0.2),
        (PIECEWISE, 2.0, 21, 100, 0.02),
        (CYCLE, 1.0, 0, 100, 0.04),
        (CYCLE, 1.0, 15, 100, 0.52),
        (CYCLE, 1.0, 30, 100, 1.0),
        (CYCLE, 1.0, 100, 100, 1e-4),
        (Schedule("one-cycle"), 1.0, 0, 100, 1.0),
    ],
)
def test_rates(schedule: Schedule, lr: float, step: int, steps: int, expected: float) -> None:
    assert rate(schedule, lr, step, steps) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_one_cycle_is_torchs_with_another_end() -> None:
    torch = pytest.importorskip("torch")
    steps, top = 100, 30
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    theirs = torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        max_lr=0.1,
        total_steps=steps + 1,
        pct_start=(top + 1) / (steps + 1),
        cycle_momentum=False,
        div_factor=25,
        final_div_factor=1e4 / 25,
    )
    for step in range(steps + 1):
        expected = optimizer.param_groups[0]["lr"]
        assert rate(CYCLE, 0.1, step, steps) == pytest.approx(expected, rel=1e-9), step
        if step < steps:
            optimizer.step()
            theirs.step()


@pytest.mark.parametrize(
    ("schedule", "named"),
    [
        (Schedule(warmup=100), "warmup=100 does not end before train.steps=100"),
        (Schedule("one-cycle", warmup=101), "warmup=101"),
        (Schedule("staircase"), "every=0"),
        (
            Schedule("piecewise", boundaries=(1,)),
            "factors has 0 values, train.schedule.boundaries 1",
        ),
        (Schedule("piecewise", boundaries=(1,), factors=(1,)), "factors has 1 values"),
        (Schedule("piecewise", boundaries=(2, 1), factors=(1, 1, 1)), "(2, 1) does not rise"),
        (Schedule("piecewise", boundaries=(2, 2), factors=(1, 1, 1)), "(2, 2) does not rise"),
    ],
)
def test_refused(schedule: Schedule, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        rate(schedule, 0.1, 0, 100)
    assert named in caught.value.message
    assert caught.value.hint
