"""LARS: its steps against the formula, and where it differs from SGD."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from ascendify.zoo.config import Optimizer
from ascendify.zoo.training import optimizers


def by_formula(
    weight: Tensor, gradients: list[Tensor], rates: list[float], decay: float, trust: float
) -> Tensor:
    """As TensorFlow's: rate and trust multiply the gradient before it is accumulated."""
    weight, moved = weight.clone(), torch.zeros_like(weight)
    for gradient, rate in zip(gradients, rates):
        norm, slope = weight.norm(), gradient.norm()
        trusted = trust * norm / (slope + decay * norm) if decay and norm > 0 else 1.0
        moved = 0.9 * moved + rate * trusted * (gradient + decay * weight)
        weight = weight - moved
    return weight


@pytest.mark.parametrize("decay", [0.0, 1e-4])
@pytest.mark.parametrize("start", ["drawn", "zero"])
@pytest.mark.parametrize("capturable", [False, True])
def test_steps_follow_the_formula(decay: float, start: str, capturable: bool) -> None:
    torch.manual_seed(1)
    first = torch.randn(4, 3, dtype=torch.float64) * (start == "drawn")
    gradients = [torch.randn(4, 3, dtype=torch.float64) for _ in range(5)]
    rates = [1.0, 2.0, 0.5, 0.25, 0.125]
    parameter = nn.Parameter(first.clone())
    config = Optimizer(kind="lars", lr=1.0, momentum=0.9, trust=0.01)
    groups = [{"params": [parameter], "weight_decay": decay}]
    optimizer = optimizers.build(config, groups, capturable=capturable)
    for gradient, rate in zip(gradients, rates):
        optimizers.set_rate(optimizer, rate)
        parameter.grad = gradient.clone()
        optimizer.step()
    expected = by_formula(first, gradients, rates, decay, 0.01)
    torch.testing.assert_close(parameter.data, expected, rtol=1e-6, atol=1e-9)


def test_a_falling_rate_does_not_shrink_what_is_accumulated() -> None:
    """SGD multiplies what it has accumulated with the new rate; LARS does not."""
    ends = {}
    for kind in ("lars", "sgd"):
        parameter = nn.Parameter(torch.zeros(1))
        config = Optimizer(kind=kind, lr=1.0, momentum=0.5)
        optimizer = optimizers.build(config, [{"params": [parameter], "weight_decay": 0.0}])
        for rate, gradient in ((1.0, 1.0), (0.0, 0.0)):
            optimizers.set_rate(optimizer, rate)
            parameter.grad = torch.tensor([gradient])
            optimizer.step()
        ends[kind] = parameter.item()
    assert ends == {"lars": -1.5, "sgd": -1.0}


def test_its_state_is_saved_and_restored() -> None:
    torch.manual_seed(1)
    parameter = nn.Parameter(torch.randn(3))
    config = Optimizer(kind="lars", lr=0.1)
    first = optimizers.build(config, [{"params": [parameter], "weight_decay": 0.1}])
    parameter.grad = torch.ones(3)
    first.step()
    second = optimizers.build(config, [{"params": [parameter], "weight_decay": 0.1}])
    optimizers.restore(second, first.state_dict())
    (kept,), (restored,) = first.state.values(), second.state.values()
    assert torch.equal(kept["momentum_buffer"], restored["momentum_buffer"])
