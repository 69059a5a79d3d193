"""The loss scale: when it grows and shrinks, and that a bad step changes no weight."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from ascendify.zoo.config import LossScale, Optimizer  # noqa: E402
from ascendify.zoo.training import optimizers  # noqa: E402
from ascendify.zoo.training.scaling import LossScaler  # noqa: E402

TOP = 2.0**127
"""Twice this is infinite in 32 bits."""


def dynamic(value: float) -> LossScale:
    return LossScale("dynamic", value, grow_every=3, shrink_every=2)


# steps: g good, b bad; after them: scale, good steps, bad steps
@pytest.mark.parametrize(
    ("start", "steps", "scale", "good", "bad"),
    [
        (8, "", 8, 0, 0),
        (8, "gg", 8, 2, 0),
        (8, "ggg", 16, 0, 0),
        (8, "gggggg", 32, 0, 0),
        (8, "b", 8, 0, 1),
        (8, "bb", 4, 0, 0),
        (8, "ggb", 8, 0, 1),  # good steps must follow each other
        (8, "ggbgg", 8, 2, 1),
        (8, "bggb", 4, 0, 0),  # bad steps add up, good ones between them or not
        (8, "bggg", 16, 0, 0),  # growing forgets bad steps too
        (8, "bgggb", 16, 0, 1),
        (8, "ggbb", 4, 0, 0),
        (8, "bbg", 4, 1, 0),
        (1, "bb", 1, 0, 0),  # the floor
        (1.5, "bb", 1, 0, 0),
        (TOP, "ggg", TOP, 0, 0),  # growing would be infinite: the scale stays, the counts go
        (TOP / 2, "gggggg", TOP, 0, 0),
    ],
)
def test_dynamic(start: float, steps: str, scale: float, good: int, bad: int) -> None:
    scaler = LossScaler(dynamic(start))
    for step in steps:
        scaler.update(torch.tensor(step == "b"))
    assert (scaler.scale.item(), scaler.good.item(), scaler.bad.item()) == (scale, good, bad)


@pytest.mark.parametrize(
    ("config", "scale"),
    [
        (LossScale(), 1),
        (LossScale("none", 64.0), 1),
        (LossScale("static"), 512),
        (LossScale("static", 64.0), 64),
        (LossScale("dynamic"), 2.0**32),
        (LossScale("dynamic", 64.0), 64),
    ],
)
def test_where_it_starts(config: LossScale, scale: float) -> None:
    assert LossScaler(config).scale.item() == scale


def test_from_the_guides_start_it_comes_down_two_bad_steps_a_half() -> None:
    scaler = LossScaler(LossScale("dynamic"))
    for _ in range(2 * (32 - 10)):
        scaler.update(torch.tensor(True))
    assert scaler.scale.item() == 2.0**10


@pytest.mark.parametrize("kind", ["none", "static"])
def test_others_never_change(kind: str) -> None:
    scaler = LossScaler(LossScale(kind, 512.0, grow_every=1, shrink_every=1))  # type: ignore[arg-type]
    for bad in (True, False):
        scaler.update(torch.tensor(bad))
    assert scaler.scale.item() == {"none": 1, "static": 512}[kind]


@pytest.mark.parametrize(
    ("kind", "poison", "bad"),
    [
        ("none", math.inf, False),  # nothing is looked at: 32 bits and bf16 need no scale
        ("static", 0.0, False),
        ("static", math.inf, True),
        ("static", math.nan, True),
        ("dynamic", 0.0, False),
        ("dynamic", -math.inf, True),
    ],
)
def test_gradients_are_those_of_the_loss_and_bad_ones_are_reported(
    kind: str, poison: float, bad: bool
) -> None:
    scaler = LossScaler(LossScale(kind, 1024.0))  # type: ignore[arg-type]
    weight = torch.tensor([1.0, 2.0], requires_grad=True)
    unused = torch.tensor([1.0], requires_grad=True)
    torch.autograd.backward(scaler.scale_loss((weight * torch.tensor([3.0, 5.0])).sum()))
    assert weight.grad is not None
    weight.grad[1] += poison
    assert scaler.unscale([weight, unused]).item() is bad
    assert weight.grad[0].item() == 3


@pytest.mark.parametrize("kind", ["sgd", "adam", "adamw", "adadelta"])
@pytest.mark.parametrize("capturable", [False, True])
def test_a_bad_step_leaves_no_trace(kind: str, capturable: bool) -> None:
    """A bad first step, then good ones: as if the bad one had never been."""
    ends = []
    for steps in ("bgg", "gbg", "ggb", "gg"):
        weight = torch.tensor([[1.0, 2.0]], requires_grad=True)
        config = Optimizer(kind, 0.1, weight_decay=0.01)  # type: ignore[arg-type]
        groups = [{"params": [weight], "weight_decay": 0.01}]
        optimizer = optimizers.build(config, groups, capturable)
        scaler = LossScaler(LossScale("static", 4.0))
        for step in steps:
            optimizer.zero_grad()
            torch.autograd.backward(scaler.scale_loss(weight.square().sum()))
            if step == "b":
                assert weight.grad is not None
                weight.grad.fill_(math.inf)
            scaler.step(optimizer, scaler.unscale([weight]))
        ends.append(weight.detach())
    assert not torch.equal(ends[-1], torch.tensor([[1.0, 2.0]]))
    for end in ends:
        torch.testing.assert_close(end, ends[-1], rtol=1e-6, atol=0)


def test_it_goes_on_from_a_checkpoint() -> None:
    first, second = LossScaler(dynamic(8)), LossScaler(dynamic(1))
    for bad in (False, True, False, False):
        first.update(torch.tensor(bad))
    second.load_state_dict(first.state_dict())
    for bad in (True, False, False, False):
        first.update(torch.tensor(bad))
        second.update(torch.tensor(bad))
        assert first.state_dict() == second.state_dict()
    assert first.scale.item() == 8


@pytest.mark.parametrize(
    ("before", "now", "scale"),
    [
        (LossScale(), LossScale("dynamic", 64.0), 64),
        (LossScale(), LossScale("static", 512.0), 512),
        (LossScale("static", 512.0), LossScale("static", 128.0), 128),
        (LossScale("dynamic", 64.0), LossScale("static", 512.0), 512),
        (LossScale("dynamic", 64.0), LossScale(), 1),
        (LossScale("dynamic", 64.0), LossScale("dynamic", 8.0), 64),
    ],
)
def test_a_run_that_goes_on_with_another_scale_has_that(
    before: LossScale, now: LossScale, scale: float
) -> None:
    scaler = LossScaler(now)
    scaler.load_state_dict(LossScaler(before).state_dict())
    assert scaler.scale.item() == scale
