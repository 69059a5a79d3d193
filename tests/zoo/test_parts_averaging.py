"""The moving average of a model: its decay, what it takes in, its checkpoint."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from ascendify.zoo.training.averaging import WeightAverage  # noqa: E402


def network() -> Any:
    return torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))


def filled(model: Any, value: float) -> None:
    with torch.no_grad():
        for tensor in (*model.parameters(), *model.buffers()):
            tensor.fill_(value)


@pytest.mark.parametrize("decay", [0.0, 0.15, 0.5, 0.9999])
def test_the_decay_is_tensorflows(decay: float) -> None:
    model = network()
    filled(model, 1)
    average = WeightAverage(model, decay)
    expected = 1.0
    for n, value in enumerate([5.0, -3.0, 2.0, 8.0]):
        filled(model, value)
        average.update()
        now = min(decay, (1 + n) / (10 + n))
        expected = now * expected + (1 - now) * value
    state = average.model.state_dict()
    assert state.pop("1.num_batches_tracked").item() == 8  # a count is no mean
    assert len(state) == 6
    for name, tensor in state.items():
        torch.testing.assert_close(tensor, torch.full_like(tensor, expected), msg=name)


def test_it_is_a_model_of_its_own_that_evaluates() -> None:
    model = network().train()
    average = WeightAverage(model, 0.9)
    weight = average.model.get_parameter("0.weight")
    assert model.training
    assert not average.model.training
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert not any(parameter.requires_grad for parameter in average.model.parameters())
    before = weight.clone()
    filled(model, 7)
    assert torch.equal(weight, before)


def test_it_goes_on_from_a_checkpoint() -> None:
    model = network()
    first = WeightAverage(model, 0.9)
    for value in (1.0, 2.0):
        filled(model, value)
        first.update()
    second = WeightAverage(network(), 0.9)
    second.load_state_dict(first.state_dict())
    again = WeightAverage(model, 0.9)
    again.load_state_dict(second.state_dict())
    filled(model, 3)
    first.update()
    again.update()
    assert again.updates.item() == 3
    for mine, theirs in zip(again.model.parameters(), first.model.parameters()):
        assert torch.equal(mine, theirs)
