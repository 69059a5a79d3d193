"""Optimizers by name: the rules they follow, the limit on gradients, their checkpoints."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from ascendify.zoo.config import Optimizer  # noqa: E402
from ascendify.zoo.training.optimizers import build, clip, restore, set_rate  # noqa: E402

LR = 0.1


def sgd(g: list[float]) -> float:
    return -LR * g[0] - LR * (0.9 * g[0] + g[1])


def nesterov(g: list[float]) -> float:
    return -LR * (g[0] + 0.9 * g[0]) - LR * (g[1] + 0.9 * (0.9 * g[0] + g[1]))


def adam(g: list[float]) -> float:
    moved, first, second = 0.0, 0.0, 0.0
    for step, value in enumerate(g, 1):
        first, second = 0.9 * first + 0.1 * value, 0.999 * second + 0.001 * value**2
        scaled = math.sqrt(second / (1 - 0.999**step))
        moved -= LR * first / (1 - 0.9**step) / (scaled + 1e-8)
    return moved


def adadelta(g: list[float]) -> float:
    moved, square, delta = 0.0, 0.0, 0.0
    for value in g:
        square = 0.9 * square + 0.1 * value**2
        change = value * math.sqrt(delta + 1e-6) / math.sqrt(square + 1e-6)
        delta = 0.9 * delta + 0.1 * change**2
        moved -= LR * change
    return moved


@pytest.mark.parametrize("capturable", [False, True])
@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (Optimizer("sgd", 1.0), sgd),
        (Optimizer("sgd", 1.0, nesterov=True), nesterov),
        (Optimizer("sgd", 1.0, momentum=0.0), lambda g: -LR * sum(g)),
        (Optimizer("adam", 1.0), adam),
        (Optimizer("adamw", 1.0), adam),
        (Optimizer("adadelta", 1.0), adadelta),
    ],
    ids=["sgd", "nesterov", "plain", "adam", "adamw", "adadelta"],
)
def test_two_steps(config: Optimizer, expected: Any, capturable: bool) -> None:
    weight = torch.zeros(1, requires_grad=True)
    groups = [{"params": [weight], "weight_decay": 0.0}]
    optimizer = build(config, groups, capturable)
    gradients = [0.5, -0.25]
    for gradient in gradients:
        set_rate(optimizer, LR)
        weight.grad = torch.tensor([gradient])
        optimizer.step()
    assert weight.item() == pytest.approx(expected(gradients), rel=1e-4)


def test_decay_belongs_to_a_group() -> None:
    weight, bias = torch.ones(1, 1, requires_grad=True), torch.ones(1, requires_grad=True)
    groups = [
        {"params": [weight], "weight_decay": 0.5},
        {"params": [bias], "weight_decay": 0.0},
    ]
    optimizer = build(Optimizer("sgd", LR), groups)
    weight.grad, bias.grad = torch.zeros(1, 1), torch.zeros(1)
    optimizer.step()
    assert (weight.item(), bias.item()) == (pytest.approx(1 - LR * 0.5), 1)


# gradients [3, 4] and [0, 12]: norms 5 and 12, together 13
@pytest.mark.parametrize(
    ("limit", "each", "norm", "expected"),
    [
        (None, False, None, ([3, 4], [0, 12])),
        (26.0, False, 13, ([3, 4], [0, 12])),
        (6.5, False, 13, ([1.5, 2], [0, 6])),
        (6.0, True, 13, ([3, 4], [0, 6])),
        (2.5, True, 13, ([1.5, 2], [0, 2.5])),
    ],
)
def test_clip(limit: float | None, each: bool, norm: float | None, expected: Any) -> None:
    parameters = [torch.zeros(2), torch.zeros(2), torch.zeros(1)]
    parameters[0].grad, parameters[1].grad = torch.tensor([3.0, 4]), torch.tensor([0.0, 12])
    reported = clip(parameters, Optimizer(clip=limit, clip_each=each))
    assert (None if reported is None else reported.item()) == norm
    for parameter, gradient in zip(parameters, expected):
        torch.testing.assert_close(parameter.grad, torch.tensor(gradient, dtype=torch.float32))


def test_clip_of_zero_gradients_is_zero() -> None:
    parameter = torch.zeros(2)
    for each in (True, False):
        parameter.grad = torch.zeros(2)
        clip([parameter], Optimizer(clip=1.0, clip_each=each))
        assert parameter.grad.tolist() == [0, 0]


@pytest.mark.parametrize("kind", ["sgd", "adam", "adamw", "adadelta"])
def test_a_checkpoint_carries_moments_not_rates(kind: Any) -> None:
    """One run with numbers for rates goes on as one with tensors, step for step the same."""

    def stepped(optimizer: Any, weight: Any, gradient: float) -> float:
        weight.grad = torch.tensor([gradient])
        optimizer.step()
        return float(weight.item())

    def made(lr: float, capturable: bool) -> Any:
        weight = torch.ones(1, requires_grad=True)
        return build(Optimizer(kind, lr), [{"params": [weight]}], capturable), weight

    first, weight = made(0.1, False)
    stepped(first, weight, 0.5)
    second, other = made(0.2, True)
    with torch.no_grad():
        other.copy_(weight)
    restore(second, copy.deepcopy(first.state_dict()))
    assert isinstance(second.param_groups[0]["lr"], torch.Tensor)
    assert second.param_groups[0]["lr"].item() == pytest.approx(0.2)
    set_rate(first, 0.05)
    set_rate(second, 0.05)
    assert stepped(second, other, 0.25) == pytest.approx(stepped(first, weight, 0.25), rel=1e-7)
