"""What a step of a run does with a batch, in which order; and what an evaluation leaves out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from test_training_loop import same, state, trained_run
from torch import Tensor, nn

from ascendify.zoo import settings
from ascendify.zoo.config import Schedule
from ascendify.zoo.device import TrainingDevice, open_device
from ascendify.zoo.recipe import Batch
from ascendify.zoo.training import optimizers
from ascendify.zoo.training.averaging import WeightAverage
from ascendify.zoo.training.evaluation import LoadedSamples, evaluate
from ascendify.zoo.training.loading import collate, open_source
from ascendify.zoo.training.scaling import LossScaler
from ascendify.zoo.training.schedules import rate
from ascendify.zoo.training.steps import Stepper
from support.toy import Config, Toy
from support.training_processes import records

LR = 0.25


def recipe(*words: str) -> Toy:
    return Toy(settings.override(Config(), words))


def batch(made: Toy, split: Any = "train") -> Batch:
    data = made.data(split, None)
    return collate([data[index] for index in range(8)])


def stepped(made: Toy) -> tuple[nn.Module, nn.Module, WeightAverage, dict[str, Tensor]]:
    """A model before a step and after it, its average, and the values the step returned."""
    torch.manual_seed(0)
    before, after = made.model(), made.model()
    before.load_state_dict(after.state_dict())
    config = made.config.train
    average = WeightAverage(after, 0.5)
    stepper = Stepper(
        made,
        after,
        optimizers.build(config.optimizer, made.groups(after)),
        LossScaler(config.loss_scale),
        average,
        open_device("cpu"),
    )
    return before, after, average, stepper(batch(made), LR)


def moved(before: nn.Module, after: nn.Module) -> Tensor:
    pairs = zip(before.parameters(), after.parameters())
    return torch.cat([(new - old).detach().flatten() for old, new in pairs])


PLAIN = ("train.optimizer.momentum=0", "train.optimizer.lr=9")


def test_a_step_is_the_rate_times_the_gradient_of_the_loss() -> None:
    made = recipe(*PLAIN)
    before, after, _, values = stepped(made)
    loss = made.loss(before, batch(made))["loss"]
    gradients = torch.autograd.grad(loss, list(before.parameters()))
    wanted = torch.cat([-LR * gradient.flatten() for gradient in gradients])
    torch.testing.assert_close(moved(before, after), wanted)
    torch.testing.assert_close(values["loss"], loss.detach())
    assert not values["loss"].requires_grad


@pytest.mark.parametrize("scale", ["none", "static", "dynamic"])
def test_gradients_are_clipped_as_they_are_without_the_scale(scale: str) -> None:
    words = (f"train.loss_scale.kind={scale}", "train.loss_scale.value=512")
    before, after, *_ = stepped(recipe(*PLAIN, *words))
    assert moved(before, after).norm().item() > LR * 0.1
    before, after, *_ = stepped(recipe(*PLAIN, *words, "train.optimizer.clip=0.1"))
    assert moved(before, after).norm().item() == pytest.approx(LR * 0.1, rel=1e-5)


def test_the_average_takes_in_every_step() -> None:
    before, after, average, _ = stepped(recipe(*PLAIN))
    decay = 1 / 10  # of the first update
    for old, new, mean in zip(before.parameters(), after.parameters(), average.model.parameters()):
        torch.testing.assert_close(mean, decay * old + (1 - decay) * new)
        assert not torch.equal(old, new)


def test_weights_are_decayed_and_biases_and_norms_are_not() -> None:
    made = recipe("train.optimizer.weight_decay=0.5", "model.norm=true")
    model = made.model()
    decayed = {id(p) for g in made.groups(model) if g["weight_decay"] == 0.5 for p in g["params"]}
    kept = {id(p) for g in made.groups(model) if g["weight_decay"] == 0 for p in g["params"]}
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    assert {names[each] for each in decayed} == {"0.weight", "4.weight"}
    assert {names[each] for each in kept} == {"0.bias", "1.weight", "1.bias", "4.bias"}


def test_pictures_are_changed_in_training_and_never_in_an_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[bool, bool]] = []
    loss, outputs = Toy.loss, Toy.outputs

    def augment(made: Toy, given: Batch) -> Batch:
        return {**given, "values": torch.full_like(given["values"], 7)}

    def noted(function: Any) -> Any:
        def call(made: Toy, model: nn.Module, given: Batch) -> Any:
            seen.append((model.training, bool((given["values"] == 7).all())))
            return function(made, model, given)

        return call

    monkeypatch.setattr(Toy, "augment", augment)
    monkeypatch.setattr(Toy, "loss", noted(loss))
    monkeypatch.setattr(Toy, "outputs", noted(outputs))
    trained_run(tmp_path, "train.steps=2", "train.evaluate_every=1", "train.evaluate_batch=21")
    training, evaluation = (True, True), (False, False)
    assert seen == [training, evaluation, training, evaluation]


@pytest.mark.parametrize(
    ("precision", "kind"),
    [("fp32", torch.float32), ("bf16", torch.bfloat16), ("fp16", torch.float16)],
)
def test_forward_passes_have_the_precision_that_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: str, kind: torch.dtype
) -> None:
    seen: set[torch.dtype] = set()
    model = Toy.model

    def noted(made: Toy) -> nn.Module:
        network = model(made)
        network.register_forward_hook(lambda *given: seen.add(given[2].dtype))
        return network

    monkeypatch.setattr(Toy, "model", noted)
    run = trained_run(tmp_path, f"train.precision={precision}", "train.steps=1")
    assert seen == {kind}
    assert {each.dtype for each in state(run, 1)["model"].values()} == {torch.float32}


def test_an_evaluation_has_no_dropout_and_leaves_the_model_training() -> None:
    made = recipe("model.dropout=0.9", "model.norm=true", "train.evaluate_batch=4")
    device, data = open_device("cpu"), made.data("test", None)
    model = made.model().train()
    kept = {name: value.clone() for name, value in model.state_dict().items()}
    source = open_source(data, device, True, 0, seen=len(data))
    found = [evaluate(made, model, LoadedSamples(len(data), source), device) for _ in range(2)]
    assert found[0] == found[1]
    assert model.training
    assert same(model.state_dict(), kept)


def test_every_step_has_the_rate_of_its_schedule(tmp_path: Path) -> None:
    words = ("train.schedule.kind=cosine", "train.schedule.warmup=3", "train.optimizer.lr=0.5")
    run = trained_run(tmp_path, *words)
    schedule = Schedule("cosine", warmup=3)
    wanted = [rate(schedule, 0.5, step, 12) for step in range(12)]
    assert [record["lr"] for record in records(run.folder, "train")] == wanted
    assert wanted[:3] == [0, pytest.approx(0.5 / 3), pytest.approx(1 / 3)]


def seeds(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str, rank: int = 0
) -> tuple[int, ...]:
    """What everything random of each step comes from."""
    found = []
    loss = Toy.loss

    def noted(made: Toy, model: nn.Module, given: Batch) -> dict[str, Tensor]:
        found.append(torch.initial_seed())
        return loss(made, model, given)

    with monkeypatch.context() as patched:
        patched.setattr(Toy, "loss", noted)
        patched.setattr(TrainingDevice, "rank", rank)
        trained_run(folder, "train.steps=4", "train.evaluate_every=0", *words)
    return tuple(found)


def test_every_step_of_every_rank_draws_its_own_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = seeds(tmp_path / "first", monkeypatch)
    assert seeds(tmp_path / "again", monkeypatch) == first
    other = seeds(tmp_path / "rank", monkeypatch, rank=1)
    third = seeds(tmp_path / "seed", monkeypatch, "train.seed=2")
    assert len({*first, *other, *third}) == 12


def test_the_first_weights_belong_to_the_seed(tmp_path: Path) -> None:
    words = ("train.steps=1", "train.optimizer.lr=0")
    first, again, other = (
        state(trained_run(tmp_path / name, *words, f"train.seed={seed}"), 1)["model"]
        for name, seed in (("first", 5), ("again", 5), ("other", 6))
    )
    assert same(first, again)
    assert not torch.equal(first["0.weight"], other["0.weight"])


def test_fp16_comes_down_from_the_guides_scale_and_learns(tmp_path: Path) -> None:
    """Two bad steps halve the scale, and none of them moves a weight."""
    run = trained_run(
        tmp_path,
        *("train.precision=fp16", "train.loss_scale.kind=dynamic", "train.steps=80"),
        *("train.save_every=1", "train.keep=99", "train.evaluate_every=0"),
    )
    states = [state(run, step) for step in range(1, 81)]
    models = [each["model"] for each in states]
    torch.manual_seed(run.config.train.seed)
    befores = [Toy(run.config).model().state_dict(), *models]
    skipped = sum(same(before, after) for before, after in zip(befores, models))
    settled = states[-1]["scale"]
    assert skipped == 2 * (32 - math.log2(settled["scale"])) + settled["bad"]
    assert 2.0**10 <= settled["scale"] <= 2.0**20
    losses = [record["loss"] for record in records(run.folder, "train")]
    assert losses[-1] < losses[0] / 2
