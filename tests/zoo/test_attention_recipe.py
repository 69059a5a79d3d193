"""Attention-OCR: its loss to the digit, its metrics case by case, its lines word for word."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest

pytest.importorskip("torch")
import torch
from test_attention_model import run_tensorflow, save
from torch import Tensor

from ascendify.errors import UsageError
from ascendify.zoo.attention_ocr.augment import augment_views, crop, recolour
from ascendify.zoo.attention_ocr.losses import entropy, l2, sequence_losses
from ascendify.zoo.attention_ocr.model import AttentionModel, AttentionOCR, normalise
from ascendify.zoo.attention_ocr.recipe import (
    FAST,
    GUIDE,
    TINY,
    AttentionConfig,
    AttentionOcrRecipe,
)
from ascendify.zoo.config import LossScale
from ascendify.zoo.recipe import Progress

FSNS = Path(__file__).parent / "fsns"


def recipe(config: AttentionConfig = TINY, **loss: Any) -> AttentionOcrRecipe:
    return AttentionOcrRecipe(replace(config, loss=replace(config.loss, **loss)))


# --- the loss


def test_the_guides_floor() -> None:
    assert entropy(0.1, 134) == pytest.approx(0.80883, abs=5e-6)
    assert recipe(GUIDE).floor() == pytest.approx(29.9265, abs=5e-5)


@pytest.mark.parametrize(
    ("smoothing", "classes", "expected"),
    [
        (0.0, 134, 0.0),
        (1.0, 8, math.log(8)),
        (0.5, 2, -0.75 * math.log(0.75) - 0.25 * math.log(0.25)),
    ],
)
def test_entropies(smoothing: float, classes: int, expected: float) -> None:
    assert entropy(smoothing, classes) == pytest.approx(expected)


def test_a_golden_loss() -> None:
    """Two samples of two steps, three classes; the targets are 0.9333, 0.0333, 0.0333."""
    logits = torch.tensor([[[2.0, 1, 0], [0, 0, 0]], [[0, 3, 0], [1, 1, 4]]])
    labels = torch.tensor([[0, 2], [1, 2]])
    losses, counted = sequence_losses(logits, labels, 0.1, null=2, ignore_nulls=True)
    total = [math.log(sum(math.exp(x) for x in row)) for row in logits.flatten(0, 1).tolist()]
    true, rest = 0.9 + 0.1 / 3, 0.1 / 3
    wanted = [
        total[0] - 2 * true - rest,
        total[1],
        total[2] - 3 * true,
        total[3] - 4 * true - 2 * rest,
    ]
    assert losses.flatten().tolist() == pytest.approx(wanted)
    assert counted.tolist() == [[1, 1], [1, 1]]
    losses, counted = sequence_losses(logits, labels, 0.1, null=2, ignore_nulls=False)
    assert losses.flatten().tolist() == pytest.approx([wanted[0], 0, wanted[2], 0])
    assert counted.tolist() == [[1, 0], [1, 0]]


class Fixed(torch.nn.Module):
    """A model that always says the same."""

    def __init__(self, logits: Tensor) -> None:
        super().__init__()
        self.found = torch.nn.Parameter(logits)
        self.decoder = torch.nn.ModuleDict({"logits": torch.nn.Linear(2, 3)})

    def forward(self, images: Tensor, labels: Tensor | None = None) -> Tensor:
        return self.found


@pytest.mark.parametrize("ignore_nulls", [True, False])
def test_the_loss_is_summed_over_steps_and_averaged_over_the_batch(ignore_nulls: bool) -> None:
    torch.manual_seed(0)
    labels = torch.tensor([[1, 2, 3, 10], [4, 10, 10, 10]])
    model = Fixed(torch.randn(2, 4, 11))
    batch = {"images": torch.zeros(2, 24, 48, 3, dtype=torch.uint8), "labels": labels}
    values = recipe(ignore_nulls=ignore_nulls).loss(model, batch)
    losses, counted = sequence_losses(model.found, labels, 0.1, 10, ignore_nulls)
    torch.testing.assert_close(values["sequence_loss"], losses.sum() / 2)
    torch.testing.assert_close(values["loss"], losses.sum() / 2 + l2(model, 4e-5))
    characters = 8 if ignore_nulls else 4
    assert counted.sum() == characters
    floor = entropy(0.1, 11) * characters / 2
    torch.testing.assert_close(values["above_floor"], losses.sum() / 2 - floor)


class Scripted(Fixed):
    """A model that records the labels it is given."""

    def __init__(self, logits: Tensor) -> None:
        super().__init__(logits)
        self.reported: list[Tensor | None] = []

    def forward(self, images: Tensor, labels: Tensor | None = None) -> Tensor:
        self.reported.append(labels)
        return self.found


def test_the_label_is_reported_in_training_and_never_in_an_evaluation() -> None:
    labels = torch.tensor([[1, 2, 3, 10]])
    batch = {"images": torch.zeros(1, 24, 48, 3, dtype=torch.uint8), "labels": labels}
    model = Scripted(torch.randn(1, 4, 11))
    recipe().loss(model, batch)
    read = recipe().outputs(model, batch)
    assert model.reported == [labels, None]
    assert torch.equal(read, model.found.argmax(2))


def test_the_best_checkpoint_is_the_one_that_reads_whole_texts_exactly() -> None:
    metrics = recipe().metrics()
    labels = torch.tensor([[1, 2, 10, 10], [3, 10, 10, 10], [4, 5, 10, 10], [6, 10, 10, 10]])
    read = torch.tensor([[1, 2, 10, 10], [3, 7, 10, 10], [4, 6, 10, 10], [6, 7, 7, 7]])
    metrics.update(read, {"labels": labels}, torch.tensor([True] * 4))
    values = metrics.compute(metrics.sums())
    assert values["sequence_accuracy"] == 0.75
    assert values[recipe().headline] == values["sequence_accuracy_strict"] == 0.25


UPSTREAM = """
import sys
import numpy as np
import tensorflow as tf

given = np.load(sys.argv[1])
logits, labels, classes = given["logits"], given["labels"], given["logits"].shape[2]
targets = np.eye(classes, dtype=np.float32)[labels] * 0.9 + 0.1 / classes
weights = np.ones_like(labels) if given["ignore_nulls"] else labels != classes - 1
def steps(array):
    return [tf.constant(each.astype(np.float32)) for each in array.swapaxes(0, 1)]
loss = tf.contrib.legacy_seq2seq.sequence_loss(
    steps(logits), steps(targets), steps(weights), average_across_timesteps=False,
    softmax_loss_function=lambda labels, logits: tf.nn.softmax_cross_entropy_with_logits_v2(
        logits=logits, labels=labels))
weight = tf.constant(given["weight"])
with tf.Session() as session:
    np.save(sys.argv[2], session.run([loss, tf.contrib.slim.l2_regularizer(4e-5)(weight)]))
"""


@pytest.mark.parametrize("ignore_nulls", [True, False])
def test_the_loss_is_tensorflows(ignore_nulls: bool, tmp_path: Path) -> None:
    torch.manual_seed(0)
    labels = torch.tensor([[1, 2, 3, 10], [4, 10, 10, 10], [10, 10, 10, 10]])
    model = Fixed(torch.randn(3, 4, 11) * 3)
    torch.nn.init.zeros_(model.get_parameter("decoder.logits.bias"))
    save(
        tmp_path,
        logits=model.found.detach().numpy(),
        labels=labels.numpy(),
        ignore_nulls=numpy.array(ignore_nulls),
        weight=model.get_parameter("decoder.logits.weight").detach().numpy(),
    )
    loss, regularisation = run_tensorflow(UPSTREAM, tmp_path)
    batch = {"images": torch.zeros(3, 24, 48, 3, dtype=torch.uint8), "labels": labels}
    values = recipe(ignore_nulls=ignore_nulls).loss(model, batch)
    torch.testing.assert_close(values["sequence_loss"], loss)
    torch.testing.assert_close(values["l2"], regularisation)


@pytest.mark.parametrize("ignore_nulls", [True, False])
def test_a_perfect_model_is_at_the_floor(ignore_nulls: bool) -> None:
    labels = torch.tensor([[1, 2, 3, 10], [4, 10, 10, 10]])
    targets = torch.nn.functional.one_hot(labels, 11) * 0.9 + 0.1 / 11
    batch = {"images": torch.zeros(2, 24, 48, 3, dtype=torch.uint8), "labels": labels}
    values = recipe(ignore_nulls=ignore_nulls, l2=0.0).loss(Fixed(targets.log()), batch)
    assert values["above_floor"].item() == pytest.approx(0, abs=1e-6)
    if ignore_nulls:
        assert values["loss"].item() == pytest.approx(recipe().floor())


def test_l2_is_of_the_convolutions_and_the_last_layer() -> None:
    model = AttentionOCR(TINY.model)
    for parameter in model.parameters():
        torch.nn.init.ones_(parameter)
    convolutions = 16 * 3 * 9 + 32 * 16 * 9 + 32 * 32 * 9
    last = 64 * 11 + 11
    assert l2(model, 4e-5).item() == pytest.approx(4e-5 / 2 * (convolutions + last))
    wrapped = torch.nn.ModuleDict({"module": model})  # as with several ranks
    assert l2(wrapped, 4e-5) == l2(model, 4e-5)


# --- lines


def test_the_line_of_a_step_is_the_guides() -> None:
    progress = Progress(999970, 30.2755, 0.004, 280.7, 0.114, {})
    assert recipe(GUIDE).training_line(progress) == (
        "global step 999970: loss = 30.2755 (0.114 sec/step) loss - floor = 0.3490"
    )


def test_the_line_of_a_step_tells_the_same_where_the_floor_is_the_batchs_own() -> None:
    """The loss of the line has L2 in it, so what is left above the floor has, too."""
    labels = torch.tensor([[1, 2, 3, 10], [4, 10, 10, 10]])
    batch = {"images": torch.zeros(2, 24, 48, 3, dtype=torch.uint8), "labels": labels}
    made = recipe(ignore_nulls=False, l2=10.0)
    found = made.loss(Fixed(torch.randn(2, 4, 11)), batch)
    values = {name: value.item() for name, value in found.items()}
    line = made.training_line(Progress(1, values["loss"], 0.1, 1.0, 1.0, values))
    floor = entropy(0.1, 11) * 4 / 2
    assert line.endswith(f"loss - floor = {values['loss'] - floor:.4f}")
    assert values["l2"] > 1


def test_the_lines_of_an_evaluation_are_the_guides() -> None:
    lines = recipe(GUIDE).evaluation_lines(
        5,
        {
            "character_accuracy": 0.9669151,
            "sequence_accuracy": 0.826643,
            "sequence_accuracy_strict": 0.81,
            "samples": 20404.0,
        },
    )
    assert lines[:2] == ("eval/CharacterAccuracy[0.966915]", "eval/SequenceAccuracy[0.826643]")
    assert lines[2].startswith("eval/StrictSequenceAccuracy[0.810000] ")
    assert lines[3:] == ("of 20404 signs",)


# --- presets


def test_the_guides_values() -> None:
    train = GUIDE.train
    assert (train.batch, train.steps, train.save_every, train.keep) == (32, 10**6, 50_000, 5)
    assert (train.optimizer.kind, train.optimizer.momentum) == ("sgd", 0.9)
    assert (train.optimizer.nesterov, train.optimizer.weight_decay) == (False, 0)
    assert (train.optimizer.lr, train.schedule.kind) == (0.004, "constant")
    assert (train.optimizer.clip, train.optimizer.clip_each) == (2.0, True)
    scale = train.loss_scale
    assert scale == LossScale("dynamic", 2.0**32, 1000, 2, grow=2.0, shrink=0.5)
    assert train.precision == "fp16"  # "Mixed", which is what the scale is for
    assert (GUIDE.loss.smoothing, GUIDE.loss.ignore_nulls, GUIDE.loss.l2) == (0.1, True, 4e-5)
    assert GUIDE.model == AttentionModel()
    assert GUIDE.data.augment


@pytest.mark.parametrize("name", ["guide", "fast", "tiny"])
def test_every_preset_has_a_model_that_takes_its_example(name: str) -> None:
    config = AttentionOcrRecipe.presets()[name]
    (images,) = recipe(config).example_inputs(1)
    logits = recipe(config).model().eval()(images)
    assert logits.shape == (1, config.model.length, config.model.classes)
    assert len(recipe(config).extras()["characters"]) == config.model.classes


# --- data


def sizes(config: AttentionConfig, **data: Any) -> AttentionOcrRecipe:
    return AttentionOcrRecipe(replace(config, data=replace(config.data, **data)))


def test_real_signs(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    record = (FSNS / "fsns-00000-of-00001").read_bytes()
    (tmp_path / "train" / "train-00000-of-00001").write_bytes(record)
    data = recipe(GUIDE).data("train", tmp_path)
    assert len(data) == 5
    assert data[0]["images"].shape == (150, 600, 3)
    assert data[0]["labels"].shape == (37,)


@pytest.mark.parametrize("config", [FAST, TINY], ids=["signs", "digits"])
def test_rendered_samples_fit_the_model(config: AttentionConfig) -> None:
    data = sizes(config, samples=3, test_samples=2)
    assert (len(data.data("train", None)), len(data.data("test", None))) == (3, 2)
    sample = data.data("test", None)[0]
    model = config.model
    assert sample["images"].shape == (model.height, model.views * model.width, 3)
    assert sample["labels"].shape == (model.length,)
    assert sample["labels"].max() < model.classes


def test_data_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\(150, 600\) do not fit a model for \(24, 48\)"):
        recipe(TINY).data("train", tmp_path)
    with pytest.raises(UsageError, match="texts of length 37 do not fit a model for 30"):
        recipe(replace(GUIDE, model=replace(GUIDE.model, length=30))).data("train", tmp_path)


# --- augmentation


def test_augmentation_changes_every_view_in_its_own_way() -> None:
    torch.manual_seed(1)
    view = torch.randint(0, 256, (1, 16, 16, 3), dtype=torch.uint8)
    images = view.repeat(2, 1, 4, 1)
    changed = augment_views(images, 4)
    assert changed.shape == images.shape
    assert changed.dtype == torch.uint8
    views = changed.reshape(2, 16, 4, 16, 3).permute(0, 2, 1, 3, 4).flatten(0, 1)
    assert len({tuple(each.flatten().tolist()) for each in [*views, view[0]]}) == 9


def test_augmentation_repeats_with_the_seed() -> None:
    images = torch.randint(0, 256, (2, 16, 64, 3), dtype=torch.uint8)
    torch.manual_seed(4)
    once = augment_views(images, 4)
    torch.manual_seed(4)
    assert torch.equal(augment_views(images, 4), once)


def test_augmentation_keeps_what_is_grey_grey_and_what_is_where_about_there() -> None:
    torch.manual_seed(2)
    images = torch.zeros(8, 40, 160, 3, dtype=torch.uint8)
    images[:, 12:28, 52:68] = 255  # in the second view
    changed = augment_views(images, 4).float()
    assert (changed.amax(3) - changed.amin(3)).max() <= 1
    views = changed.mean(3).reshape(8, 40, 4, 40)
    inside, outside = views[:, 18:22, 1, 18:22], views[:, :4, 1, :4]
    assert (inside.mean((1, 2)) > outside.mean((1, 2)) + 50).all()
    assert (views[:, :, 2].amax((1, 2)) - views[:, :, 2].amin((1, 2))).max() <= 1


def test_a_crop_is_of_four_fifths_at_least_and_of_about_the_same_shape() -> None:
    """Pictures whose colours are places: their range is what of a side is left."""
    torch.manual_seed(3)
    place = torch.linspace(0, 1, 200)
    rows, columns = torch.meshgrid(place, place, indexing="ij")
    pictures = torch.stack([rows, columns]).expand(500, 2, 200, 200)
    left = crop(pictures).flatten(2)
    height, width = (left.amax(2) - left.amin(2)).unbind(1)
    assert 0.76 < (height * width).min() < 0.82
    assert 0.95 < (height * width).max() <= 1
    assert 0.79 < (height / width).min() < 0.85
    assert 1.15 < (height / width).max() < 1.26
    assert left.amin(2).std() > 0.01  # somewhere, not always in the middle


def test_colours_move_as_far_as_upstreams() -> None:
    """Of a grey picture only brightness moves; of one with two greys contrast, too."""
    torch.manual_seed(3)
    even = recolour(torch.full((2000, 3, 2, 2), 0.5))
    moved = even[:, 0, 0, 0] - 0.5
    assert -32 / 255 <= moved.min() < -31 / 255
    assert 31 / 255 < moved.max() <= 32 / 255
    halves = recolour(torch.tensor([0.25, 0.75]).expand(2000, 3, 2, 2))
    contrast = (halves[:, 0, 0, 1] - halves[:, 0, 0, 0]) * 2
    assert 0.5 <= contrast.min() < 0.51
    assert 1.49 < contrast.max() <= 1.5001


def test_hue_turns_a_fifth_of_the_circle_and_saturation_by_half_at_most() -> None:
    torch.manual_seed(3)
    red = torch.tensor([1.0, 0, 0])[:, None, None].expand(2000, 3, 1, 1)
    colours = recolour(red)[:, :, 0, 0]
    # brightness moves along the line of greys; hue and saturation are across it
    across = colours - colours.mean(1, keepdim=True)
    x = across @ torch.tensor([2.0, -1, -1]) / math.sqrt(6)
    y = across @ torch.tensor([0.0, 1, -1]) / math.sqrt(2)
    turn = torch.atan2(y, x) / (2 * math.pi)
    assert -0.2001 <= turn.min() < -0.19
    assert 0.19 < turn.max() <= 0.2001
    strength = torch.hypot(x, y) / math.sqrt(2 / 3)
    assert 0.5 <= strength.min() < 0.52
    assert 1.48 < strength.max() <= 1.5001


def test_only_training_pictures_that_are_to_be_are_changed() -> None:
    images = torch.randint(0, 256, (1, 24, 48, 3), dtype=torch.uint8)
    batch = {"images": images, "labels": torch.zeros(1, 4)}
    assert recipe(TINY).augment(batch) is batch
    changed = sizes(TINY, augment=True).augment(batch)
    assert not torch.equal(changed["images"], images)
    assert torch.equal(changed["labels"], batch["labels"])
    assert normalise(changed["images"]).abs().max() <= 1.25


# --- all of it


def test_the_tiny_preset_learns_to_read(tmp_path: Path) -> None:
    command = ("zoo", "train", "attention-ocr", "--preset", "tiny", "--device", "cpu")
    ended = subprocess.run(
        [sys.executable, "-m", "ascendify", *command, "--out", "run"],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    *training, evaluation = [json.loads(line) for line in lines]
    assert training[-1]["above_floor"] < training[0]["above_floor"] / 2
    assert evaluation["samples"] == 512
    assert evaluation["character_accuracy"] >= 0.7
    assert evaluation["sequence_accuracy"] >= evaluation["sequence_accuracy_strict"] >= 0.5
    assert f"eval/CharacterAccuracy[{evaluation['character_accuracy']:f}]" in ended.stdout
