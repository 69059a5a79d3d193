"""The zoo's own networks in the loop: what holds for a toy holds for them, bit for bit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from test_training_loop import run_of, same, state

from ascendify.zoo import runs
from ascendify.zoo.runs import TrainingRun
from ascendify.zoo.training.loading import collate
from ascendify.zoo.training.loop import train
from ascendify.zoo.training.order import SampleOrder
from support.training_processes import FORKED, TOY, ranks, records

SMALL = (
    *("train.batch=8", "train.steps=4"),
    *("train.schedule.warmup=1", "train.log_every=1", "train.evaluate_every=2"),
    *("train.evaluate_batch=4", "train.save_every=1", "train.keep=9", "train.ema=0.9"),
)
NETWORKS = {
    "crnn": ("model.dropout=0.5", "data.augmentation.share=1"),
    "attention-ocr": ("data.augment=true",),
    "resnet50": ("data.augmentation.mirror=true", "train.schedule.kind=cosine"),
    "alexnet": ("model.keep=0.5", "train.schedule.every=2"),
    "wide-resnet": ("model.dropout=0.3", "data.augmentation.convention=upstream"),
    "bit": ("data.augmentation.mixup=0.2",),
}
READERS = ("crnn", "attention-ocr")
STILL = {
    "wide-resnet": tuple(
        f"data.augmentation.{each}" for each in ("policy=none", "padding=0", "cutout=0")
    )
}
"""Settings with which a network's pictures are not changed at random."""


def samples(name: str, train: int, test: int) -> tuple[str, ...]:
    """Settings for so many samples; classifiers have as many for the test."""
    if name in READERS:
        return f"data.samples={train}", f"data.test_samples={test}"
    return (f"data.synthetic={train}",)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_run_that_goes_on_is_the_run_that_was_never_interrupted(
    tmp_path: Path, name: str, precision: str
) -> None:
    """With dropout, pictures changed at random, an average, and BatchNorm's statistics."""
    words = [*SMALL, *samples(name, 40, 5), *NETWORKS[name], f"train.precision={precision}"]
    whole = runs.plan(runs.TrainingRequest(name, tmp_path / "whole", "tiny", overrides=words))
    train(whole, "cpu", quiet=True)
    shutil.copytree(whole.folder, tmp_path / "halves")
    halves = TrainingRun(name, tmp_path / "halves", whole.config)
    for step in (3, 4):  # as if it had ended after the second
        (halves.checkpoints / f"step-{step:08d}.pt").unlink()
    train(halves, "cpu", quiet=True)
    # how long the log is depends on how fast it went
    assert same({**state(halves, 4), "log": 0}, {**state(whole, 4), "log": 0})
    assert not same(state(halves, 4)["model"], state(halves, 2)["model"])
    for kind in ("train", "evaluation"):
        assert records(halves.folder, kind) == records(whole.folder, kind)


@FORKED
@pytest.mark.parametrize("name", NETWORKS)
def test_two_ranks_step_by_the_mean_of_their_gradients(tmp_path: Path, name: str) -> None:
    """Each by its own batch statistics, as the guides' ranks do."""
    words = (
        *samples(name, 16, 3),
        *("train.steps=1", "train.batch=4", "train.optimizer.weight_decay=0"),
        *("train.optimizer.kind=sgd", "train.optimizer.momentum=0", "train.optimizer.lr=0.1"),
        *("train.optimizer.nesterov=false", *STILL.get(name, ())),
        *("train.optimizer.clip=none", "train.schedule.kind=constant", "train.schedule.warmup=0"),
        "train.evaluate_batch=2",
    )
    folder = tmp_path / "run"
    command = ("zoo", "train", name, "--preset", "tiny", "--out", folder, "--device", "cpu")
    reported = ranks(tmp_path / "logs", *command, *words)
    assert [code for code, _ in reported] == [0, 0], reported

    run = runs.find(folder)
    recipe, seed = run.recipe, run.config.train.seed
    data = recipe.data("train", None)
    torch.manual_seed(seed)
    model = recipe.model()
    parameters = dict(model.named_parameters())
    gradients = []
    for rank in range(2):
        chosen = SampleOrder(16, 4, seed, rank, 2).indices(0).tolist()
        loss = recipe.loss(model, collate([data[index] for index in chosen]))["loss"]
        gradients.append(torch.autograd.grad(loss, list(parameters.values())))
    found = state(run, 1)["model"]
    for (key, before), *both in zip(parameters.items(), *gradients):
        torch.testing.assert_close(found[key], (before - 0.1 * sum(both) / 2).detach())
    [evaluation] = records(folder, "evaluation")
    assert evaluation["samples"] == (3 if name in READERS else 16)
    result = json.loads((folder / "result.json").read_text())
    assert result["TrainingTime"] == pytest.approx(4 * 2 * 1000 / result["ActualFPS"])
    assert result["CaseName"] == f"{name}_bs4_2p_acc"


@FORKED
def test_an_infinity_in_one_rank_is_a_bad_step_of_all(tmp_path: Path) -> None:
    """Only the second rank reads the spoilt sample, and the first, which saves, skips too."""
    spoilt = int(SampleOrder(64, 4, 1, rank=1, world=2).indices(2)[0])
    words = (
        *("train.loss_scale.kind=dynamic", "train.loss_scale.value=64", "train.steps=5"),
        *("train.batch=4", f"data.spoilt={spoilt}", "train.save_every=1", "train.log_every=1"),
    )
    folder = tmp_path / "run"
    command = ("zoo", "train", TOY, "--out", folder, "--device", "cpu")
    reported = ranks(tmp_path / "logs", *command, *words)
    assert [code for code, _ in reported] == [0, 0], reported
    states = [state(run_of(folder), step) for step in range(1, 6)]
    models = [each["model"] for each in states]
    skipped = [same(before, after) for before, after in zip(models, models[1:])]
    assert skipped == [False, True, False, False]
    assert [int(each["scale"]["bad"]) for each in states] == [0, 0, 1, 1, 1]
