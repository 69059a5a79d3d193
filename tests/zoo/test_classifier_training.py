"""Classifiers as a user trains them: presets that learn, transfer to other classes, log lines."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from ascendify.cli.app import run
from ascendify.errors import UsageError
from ascendify.zoo import networks, settings
from ascendify.zoo.alexnet.recipe import GUIDE, AlexNetRecipe
from ascendify.zoo.classifiers.metrics import ClassMetrics, ClassOutput
from ascendify.zoo.recipe import Progress
from ascendify.zoo.resnet.recipe import ResNetRecipe
from ascendify.zoo.sets.digit_scans import DigitScans
from ascendify.zoo.training import schedules

CLASSIFIERS = ("resnet50", "alexnet", "wide-resnet", "bit")
FLOORS = {"resnet50": 0.9, "wide-resnet": 0.85, "alexnet": 0.85, "bit": 0.9}
"""Top-1 on digits that were not seen."""


def zoo(*words: object) -> int:
    return run(["zoo", *map(str, words)])


def result(folder: Path) -> Any:
    return json.loads((folder / "result.json").read_text())


@pytest.mark.parametrize("name", FLOORS)
def test_the_tiny_preset_learns(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert zoo("train", name, "--preset", "tiny", "--out", folder, "--device", "cpu") == 0
    out = capsys.readouterr().out
    assert re.search(r"^ +step +epoch +top1 +top5 +loss  checkpoint_time\(UTC\)$", out, re.M)
    found = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    [evaluation] = [each for each in found if each["kind"] == "evaluation"]
    assert evaluation["samples"] == 360
    assert evaluation["top1"] >= FLOORS[name]
    assert evaluation["top5"] >= evaluation["top1"]


def digits_as_folders(folder: Path, digits: range, each: int) -> None:
    """Write digits as a user's folder of class folders."""
    for split in ("train", "test"):
        data = DigitScans(split, 16)
        for digit in digits:
            inside = folder / split / f"digit {digit}"
            inside.mkdir(parents=True)
            chosen = np.flatnonzero(data.labels == digit)
            for number in chosen[: each if split == "train" else None]:
                Image.fromarray(data[int(number)]["images"]).save(inside / f"{number}.png")


def test_what_was_learned_helps_with_other_classes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """BiT learns five digits; the five others, ten pictures each, are then easier."""
    digits_as_folders(tmp_path / "first", range(5), 1000)
    digits_as_folders(tmp_path / "others", range(5, 10), 10)
    cut = ("data.least_area=0.9", "data.side=16", "data.short_side=16", "train.workers=0")
    common = ("--preset", "tiny", "--device", "cpu", "--num-classes", 5, "--quiet", *cut)
    begun, moved, scratch = (tmp_path / name for name in ("begun", "moved", "scratch"))
    assert zoo("train", "bit", "--data", tmp_path / "first", "-o", begun, *common) == 0
    short = ("train.steps=25", "train.batch=25", "train.optimizer.lr=0.02")
    few = ("--data", tmp_path / "others", *common, *short)
    assert zoo("train", "bit", "-o", moved, "--init", begun, "--exclude", "head", *few) == 0
    assert zoo("train", "bit", "-o", scratch, *few) == 0
    assert accuracy(moved) >= accuracy(scratch) + 0.05
    capsys.readouterr()

    # what it shows of a picture
    picture = next((tmp_path / "others" / "test" / "digit 7").iterdir())
    assert zoo("predict", moved, picture, "--out", tmp_path / "seen", "--device", "cpu") == 0
    assert "digit " in capsys.readouterr().out
    with Image.open(tmp_path / "seen" / f"{picture.stem}.annotated.png") as shown:
        assert shown.width > 500


def accuracy(folder: Path) -> float:
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return float([each for each in found if each["kind"] == "evaluation"][-1]["top1"])


PRESETS = [(name, preset) for name in CLASSIFIERS for preset in networks.find(name).presets()]


@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_presets_are_valid(name: str, preset: str) -> None:
    recipe = networks.find(name)
    config = settings.check_limits(networks.preset(recipe, preset))
    schedules.validate(config.train.schedule, config.train.steps)
    merged = settings.merge(networks.preset(recipe, None), settings.to_dict(config), "a file")
    assert merged == config
    if preset == "tiny":
        model = recipe(config).model().eval()
        inputs = recipe(config).example_inputs(2)
        assert model(*inputs).shape == (2, config.model.classes)


def test_weights_of_another_training_choose_the_preset_for_them(tmp_path: Path) -> None:
    from ascendify.zoo.runs import TrainingRequest, TransferRequest, plan

    wanted = TransferRequest(tmp_path / "trained.pth", ("head",), 7)
    planned = plan(TrainingRequest("resnet50", tmp_path / "out", transfer=wanted))
    transfer = networks.preset(ResNetRecipe, "transfer")
    assert planned.config.data == transfer.data
    assert planned.config.model.classes == 7
    assert planned.config.transfer.exclude == ("head",)
    assert planned.config.transfer.init == str(tmp_path / "trained.pth")


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("crnn", "--init", "x"), "crnn cannot start with weights of another", "leave --init"),
        (("resnet50", "--init", "none.pth"), "--init", "name a checkpoint or a run"),
        (("resnet50", "model.classes=7"), "the digits has 10 classes, and the model 7", "--num-"),
        (
            ("alexnet", "data.side=64"),
            "model.side is 32, and the data's is 64",
            "set model.side=64",
        ),
        (("wide-resnet", "model.depth=11"), "model.depth is 11", "it must be 4 and a multiple"),
    ],
)
def test_mistakes_end_in_two_lines(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    message: str,
    hint: str,
) -> None:
    name, *more = words
    command = ("train", name, "--preset", "tiny", "--device", "cpu", "-o", tmp_path / "run")
    assert zoo(*command, *more) == 2
    error, advice = capsys.readouterr().err.splitlines()
    assert message in error
    assert hint in advice


# --- the guides' formulas and lines


def test_alexnets_line_has_the_identities_of_the_guides_log() -> None:
    """At step 700: the rate, the epoch, and pictures per second times the time of 100 steps."""
    schedule, lr = GUIDE.train.schedule, GUIDE.train.optimizer.lr
    rate = schedules.rate(schedule, lr, 699, GUIDE.train.steps)
    assert rate == pytest.approx(0.06 * 700 / 6255)
    seconds = 0.25
    values = {"epoch": 700 * 1024 / 1_281_167, "l2": 0.5}
    line = AlexNetRecipe(GUIDE).training_line(
        Progress(700, 6.5, rate, 1024 / seconds, seconds, values)
    )
    assert line == (
        "step:   700  epoch:  0.6  FPS: 4096.0, loss: 6.500, total_loss: 7.000  lr:0.00671"
        "  batch_time:25.000000"
    )
    found = {key: float(value) for key, value in re.findall(r"(\w+): *([\d.]+)", line)}
    assert found["FPS"] * found["batch_time"] == 1024 * 100


def test_alexnets_rate_is_constant_within_an_epoch() -> None:
    schedule, lr, total = GUIDE.train.schedule, GUIDE.train.optimizer.lr, GUIDE.train.steps
    steps = schedule.every
    assert (steps, total) == (1251, 150 * 1251)
    for epoch in (5, 6, 75, 149):
        rates = {
            schedules.rate(schedule, lr, epoch * steps + each, total) for each in (0, 1, steps - 1)
        }
        [rate] = rates
        assert rate == pytest.approx(0.03 * (1 + np.cos(np.pi * epoch / 150)))


@pytest.mark.parametrize(
    ("epoch", "factor"),
    [(2.5, 0.5), (5.1, 1), (29.9, 1), (30.1, 0.1), (59.9, 0.1), (60.1, 0.01), (80.1, 0.001)],
)
def test_resnets_rate_falls_at_the_guides_epochs(epoch: float, factor: float) -> None:
    config = networks.preset(ResNetRecipe, "guide").train
    step = round(epoch * 1_281_167 / 256)
    rate = schedules.rate(config.schedule, config.optimizer.lr, step, config.steps)
    assert rate == pytest.approx(0.128 * factor, rel=1e-3)


def test_resnet_decays_all_but_its_norms() -> None:
    """The last layer's bias too, as the guide does; the penalty is that of its loss."""
    config = networks.preset(ResNetRecipe, "tiny")
    decayed = replace(config.train.optimizer, weight_decay=0.5)
    recipe = ResNetRecipe(replace(config, train=replace(config.train, optimizer=decayed)))
    model = recipe.model()
    norms = {
        id(p) for m in model.modules() if isinstance(m, nn.BatchNorm2d) for p in m.parameters()
    }
    groups = recipe.groups(model)
    found = {id(p): group["weight_decay"] for group in groups for p in group["params"]}
    assert found == {id(p): 0.0 if id(p) in norms else 0.5 for p in model.parameters()}
    squares = sum(p.square().sum() for p in model.parameters() if id(p) not in norms)
    torch.testing.assert_close(recipe.penalty(model), squares * 0.25)


def test_the_loss_of_mixed_pictures_is_mixed() -> None:
    config = settings.override(
        networks.preset(networks.find("bit"), "tiny"), ["data.augmentation.mixup=0.2"]
    )
    recipe = networks.find("bit")(config)
    seen: list[torch.Tensor] = []

    class Spy(nn.Module):
        def forward(self, pictures: torch.Tensor) -> torch.Tensor:
            seen.append(pictures)
            return torch.eye(10)[:2] * 8

    labels = torch.tensor([0, 3])
    pictures = torch.zeros(2, 16, 16, 3, dtype=torch.uint8)
    pictures[0] = 255
    torch.manual_seed(1)
    loss = recipe.loss(Spy(), {"images": pictures, "labels": labels})["loss"]
    share = (seen[0][0, 0, 0, 0] + 1) / 2  # black is -1, white is 1
    each = torch.nn.functional.cross_entropy
    logits = torch.eye(10)[:2] * 8
    expected = share * each(logits, labels) + (1 - share) * each(logits, labels.flip(0))
    torch.testing.assert_close(loss, expected)
    assert 0 < share < 1


def test_accuracy_counts_ties_as_tensorflow_does() -> None:
    """in_top_k: what is as likely as the fifth is one of the five; padding does not count."""
    logits = torch.tensor([[9.0, 8, 7, 6, 5, 5, 1], [1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 0, 0, 9]])
    labels = torch.tensor([5, 0, 6])
    metrics = ClassMetrics()
    valid = torch.tensor([True, True, False])
    metrics.update(ClassOutput(logits, torch.tensor([1.0, 2, 50])), {"labels": labels}, valid)
    found = metrics.compute(metrics.sums())
    assert found == {"top1": 0.0, "top5": 0.5, "loss": 1.5, "samples": 2}


def test_the_floor_is_the_loss_of_a_perfect_model() -> None:
    config = settings.override(networks.preset(ResNetRecipe, "tiny"), ["loss.smoothing=0.1"])
    recipe = ResNetRecipe(config)
    target = torch.full((10,), 0.01, dtype=torch.float64)
    target[4] += 0.9
    logits = target.log()[None]
    least = torch.nn.functional.cross_entropy(logits, torch.tensor([4]), label_smoothing=0.1)
    assert recipe.floor() == pytest.approx(least.item())


def test_photos_cannot_be_resident(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digits_as_folders(tmp_path / "data", range(2), 70)
    command = ("train", "resnet50", "--preset", "tiny", "--device", "cpu", "-o", tmp_path / "run")
    with pytest.raises(UsageError, match="the same cuts of the photos"):
        from ascendify.zoo import runs
        from ascendify.zoo.training.loop import train

        request = runs.TrainingRequest(
            "resnet50", tmp_path / "x", "tiny", None, ("train.resident=true",), tmp_path / "data"
        )
        train(runs.plan(request), "cpu", quiet=True)
    few = (
        "train.steps=2",
        "train.schedule.kind=cosine",
        "train.schedule.warmup=0",
        "train.workers=0",
    )
    assert zoo(*command, "--data", tmp_path / "data", "train.resident=auto", *few) == 0
    assert "the result is in" in capsys.readouterr().out
