"""When a run stops early."""

from __future__ import annotations

import math

import pytest

from ascendify.zoo.training.stopping import EarlyStopping, PlateauStopping


@pytest.mark.parametrize(
    ("patience", "values", "best", "stopped"),
    [
        (2, [0.1, 0.2, 0.3], [True, True, True], False),
        (2, [0.3, 0.2], [True, False], False),
        (2, [0.3, 0.2, 0.1], [True, False, False], True),
        (2, [0.3, 0.3, 0.3], [True, False, False], True),  # as good is not better
        (2, [0.3, 0.2, 0.4, 0.1], [True, False, True, False], False),
        (1, [0.3, math.nan], [True, False], True),
        (3, [math.nan, 0.0], [False, True], False),
        (None, [0.3, 0.2, 0.1, 0.0], [True, False, False, False], False),
    ],
)
def test_per_evaluation(
    patience: int | None, values: list[float], best: list[bool], stopped: bool
) -> None:
    stopping = EarlyStopping(patience)
    assert [stopping.update(value) for value in values] == best
    assert stopping.stop is stopped


def guide(losses: list[float]) -> int | None:
    """The loop of the guide, as it stands there; the step it stops before."""
    patience_counter, cost_history = 1, [math.inf]
    for epoch, loss in enumerate([*losses, 0.0], 1):
        if epoch > 1:
            if cost_history[-1 - patience_counter] - cost_history[-1] > 1e-3:
                patience_counter = 1
            else:
                patience_counter += 1
            if patience_counter > 6:
                return epoch
        cost_history.append(loss)
    return None


@pytest.mark.parametrize(
    "losses",
    [
        [9.0 - step for step in range(9)],
        [1.0] * 6,
        [1.0] * 7,
        [1.0] * 20,
        [1.0, 0.9995, 0.999, 0.9985, 0.998, 0.9975, 0.997, 0.9965, 0.996],
        [3.0, 4, 4, 4, 4, 4, 2, 5, 5, 5, 5, 5, 5, 5],
        [3.0, 4, 2, 4, 2, 4, 2, 4, 2, 4, 2, 4, 2],
        [1.0, math.nan, math.nan, 0.5, math.nan, 0.4] + [0.4] * 9,
    ],
)
def test_the_guides_rule(losses: list[float]) -> None:
    """Tested through a checkpoint at every step, too."""
    stopping, stopped = PlateauStopping(), None
    for step, loss in enumerate(losses, 1):
        resumed = PlateauStopping()
        resumed.load_state_dict(stopping.state_dict())
        stopping = resumed
        stopping.update(loss)
        if stopping.stop:
            stopped = step + 1
            break
    assert stopped == guide(losses)


def test_patience_goes_on_from_a_checkpoint() -> None:
    first, second = EarlyStopping(2), EarlyStopping(2)
    first.update(0.5)
    first.update(0.4)
    second.load_state_dict(first.state_dict())
    assert not second.update(0.5)
    assert second.stop
