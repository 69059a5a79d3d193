"""The parts of a step together, as the loop runs them: eagerly, and captured as a CUDA graph."""

from __future__ import annotations

import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from ascendify.zoo.config import LossScale, Optimizer  # noqa: E402
from ascendify.zoo.training import optimizers  # noqa: E402
from ascendify.zoo.training.averaging import WeightAverage  # noqa: E402
from ascendify.zoo.training.scaling import LossScaler  # noqa: E402

INPUTS = [1.0, math.inf, 2.0, math.nan, math.inf, 0.5, 3.0, 1.0]
RATES = [0.1, 0.1, 0.05, 0.05, 0.2, 0.01, 0.1, 0.0]


def trained(kind: Any, device: str, graph: bool) -> list[Any]:
    """After each step: weights, their average, and the scale."""
    weight = torch.tensor([[0.5, -1.0], [2.0, 0.25]], device=device)
    model = torch.nn.Linear(2, 2, bias=False).to(device)
    model.weight.data.copy_(weight)
    config = Optimizer(kind, clip=0.75, clip_each=True)
    groups = [{"params": list(model.parameters()), "weight_decay": 0.01}]
    optimizer = optimizers.build(config, groups, capturable=graph)
    scaler = LossScaler(LossScale("dynamic", 64.0, grow_every=2), device)
    average = WeightAverage(model, 0.9)
    x = torch.zeros(1, 2, device=device)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(scaler.scale_loss(model(x).square().sum()))
        bad = scaler.unscale(model.parameters())
        optimizers.clip(model.parameters(), config)
        scaler.step(optimizer, bad)
        scaler.update(bad)
        average.update()

    run = captured(step) if graph else step
    found = []
    for value, rate in zip(INPUTS, RATES):
        x.fill_(value)
        optimizers.set_rate(optimizer, rate)
        run()
        state = (model.weight, average.model.get_parameter("weight"), scaler.scale)
        found.append([tensor.detach().double().cpu().clone() for tensor in state])
    return found


def captured(step: Any) -> Any:
    """A graph of the step; its first run is the first of the steps."""
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    calls: list[int] = []

    def run() -> None:
        if not calls:
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                step()
            torch.cuda.current_stream().wait_stream(stream)
            with torch.cuda.graph(graph, stream=stream):
                step()
        else:
            graph.replay()
        calls.append(1)

    return run


@pytest.mark.parametrize("kind", ["sgd", "adam", "adamw"])
def test_bad_steps_among_good_ones(kind: str) -> None:
    found = trained(kind, "cpu", graph=False)
    scales = [scale.item() for *_, scale in found]
    assert scales == [64, 64, 64, 32, 32, 32, 64, 64]
    for bad in (1, 3, 4):
        assert torch.equal(found[bad][0], found[bad - 1][0])
    for good in (2, 5, 6):
        assert not torch.equal(found[good][0], found[good - 1][0])
    assert all(torch.isfinite(tensor).all() for step in found for tensor in step)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("kind", ["sgd", "adam", "adamw"])
def test_a_graph_does_what_the_cpu_does(kind: str) -> None:
    expected, found = trained(kind, "cpu", graph=False), trained(kind, "cuda", graph=True)
    for step, (ours, theirs) in enumerate(zip(found, expected)):
        for mine, other in zip(ours, theirs):
            torch.testing.assert_close(mine, other, rtol=1e-5, atol=1e-6, msg=f"step {step}")
