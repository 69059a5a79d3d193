"""How CRNN is trained: presets, data, loss, metrics, the guide's lines, and that it learns."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
import torch
from PIL import Image
from torch.nn import functional

from ascendify.cli.app import run
from ascendify.errors import UsageError
from ascendify.zoo.config import Optimizer, Schedule
from ascendify.zoo.crnn.augment import Augmentation, augment
from ascendify.zoo.crnn.digits import DIGITS, DigitStrings
from ascendify.zoo.crnn.model import CrnnModel, normalise
from ascendify.zoo.crnn.recipe import GUIDE, TINY, CrnnConfig, CrnnOutput, CrnnRecipe
from ascendify.zoo.recipe import Batch, Progress, Split
from ascendify.zoo.sets import crnn_records, generate, rendered
from ascendify.zoo.training.loading import collate

SPLITS: tuple[Split, Split] = ("train", "test")
SMALL = CrnnModel(channels=(4, 6, 8, 8, 10, 10, 12), lstm=5)


def digits_batch(samples: int = 8) -> Batch:
    data = CrnnRecipe(TINY).data("train", None)
    return collate([data[index] for index in range(samples)])


# --- presets


def test_the_guide_is_trained_as_the_guide_says() -> None:
    train = GUIDE.train
    assert (train.batch, train.steps, train.log_every) == (64, 240_000, 100)
    assert (train.save_every, train.keep) == (5000, 5)
    assert train.optimizer == Optimizer("sgd", 0.08, momentum=0.95, nesterov=True)
    assert train.schedule == Schedule("cosine", warmup=8000)
    assert (train.ema, train.patience, train.plateau) == (None, None, None)
    assert (train.optimizer.clip, train.optimizer.weight_decay) == (None, 0)
    assert GUIDE.model == CrnnModel()
    assert not GUIDE.data.augmentation.share


@pytest.mark.parametrize("name", ["guide", "fast", "tiny"])
def test_a_preset_fits_its_data(name: str) -> None:
    config = CrnnRecipe.presets()[name]
    few = replace(config, data=replace(config.data, samples=3, test_samples=2))
    recipe = CrnnRecipe(few)
    for split, size in zip(SPLITS, (3, 2)):
        data = recipe.data(split, None)
        assert len(data) == size
        sample = data[size - 1]
        assert sample["images"].shape == (32, config.model.width, 3)
        assert sample["images"].dtype == np.uint8
        assert sample["labels"].shape == (config.data.longest,)
        used = sample["labels"][: sample["lengths"]]
        assert len(used) > 0
        assert used.max() < config.model.blank
        assert (sample["labels"][sample["lengths"] :] == config.model.blank).all()


# --- data


def test_digits_of_the_test_are_in_no_training() -> None:
    texts = {
        split: {
            tuple(sample["labels"][: sample["lengths"]])
            for sample in map(DigitStrings(split, size, 1, 64).__getitem__, range(size))
        }
        for split, size in zip(SPLITS, (1500, 300))
    }
    assert {len(text) for text in texts["train"]} == {3, 4}
    assert len(texts["train"]) > 1000
    assert not texts["train"] & texts["test"]
    assert {digit for text in texts["train"] for digit in text} == set(range(len(DIGITS)))


def test_a_sample_belongs_to_its_seed_and_number() -> None:
    one, same, other = (DigitStrings("train", 9, seed, 64)[5]["images"] for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_trains_on_the_records_of_a_folder(tmp_path: Path) -> None:
    train, test = (rendered.open_words(split, 5, 1) for split in SPLITS)
    generate.generate(rendered.plan_rendered(train, test), tmp_path, workers=1)
    recipe = CrnnRecipe(CrnnConfig(model=SMALL))
    data = recipe.data("train", tmp_path)
    batch = collate([data[index] for index in range(5)])
    assert batch["labels"].shape == (5, crnn_records.LABELS)
    assert torch.isfinite(recipe.loss(recipe.model(), batch)["loss"])
    assert len(recipe.data("test", tmp_path)) == 5


@pytest.mark.parametrize(
    ("config", "source", "message", "advice"),
    [
        (
            CrnnConfig(model=CrnnModel(width=64)),
            None,
            "model.width is 64, and the data's is 100",
            "set model.width=100, or begin with the preset guide or fast",
        ),
        (
            replace(TINY, model=replace(TINY.model, classes=37)),
            None,
            "model.classes is 37, and the data's is 11",
            "set model.classes=11, or begin with the preset guide or fast",
        ),
        (
            TINY,
            Path("words"),
            "data.kind is digits, which are drawn and not read from words",
            "leave --data out, or begin with the preset guide or fast",
        ),
        (
            replace(TINY, model=replace(TINY.model, width=15)),
            None,
            "model.width=15 gives 3 time steps, too few for labels of 4 characters",
            "set model.width=16 or more",
        ),
    ],
)
def test_data_that_does_not_fit_is_refused(
    config: CrnnConfig, source: Path | None, message: str, advice: str
) -> None:
    with pytest.raises(UsageError) as caught:
        CrnnRecipe(config).data("train", source)
    assert (caught.value.message, caught.value.hint) == (message, advice)


# --- loss


def test_loss_is_the_mean_over_samples_not_over_characters() -> None:
    recipe, batch = CrnnRecipe(TINY), digits_batch()
    torch.manual_seed(0)
    model = recipe.model().eval()
    found = recipe.loss(model, batch)
    losses = functional.ctc_loss(
        model(normalise(batch["images"])).log_softmax(2),
        batch["labels"],
        torch.full((8,), 16),
        batch["lengths"],
        blank=10,
        reduction="none",
    )
    torch.testing.assert_close(found["loss"], losses.mean())
    assert found["impossible"] == 0
    assert recipe.floor() == 0


def test_labels_that_cannot_be_are_counted() -> None:
    recipe, batch = CrnnRecipe(replace(TINY, model=replace(TINY.model, width=16))), digits_batch()
    batch = {**batch, "images": batch["images"][:, :, :16], "lengths": torch.full((8,), 4)}
    batch["labels"] = torch.tensor([[1, 2, 3, 4]] * 5 + [[1, 1, 2, 3]] * 3)
    found = recipe.loss(recipe.model(), batch)
    assert found["impossible"] == 3
    assert torch.isfinite(found["loss"])


def test_pixels_become_minus_one_to_one() -> None:
    pixels = torch.tensor([0, 51, 255], dtype=torch.uint8).view(1, 1, 1, 3)
    assert normalise(pixels).flatten().tolist() == pytest.approx([-1, -0.6, 1])


# --- changed pictures


def test_what_changes_nothing_changes_nothing() -> None:
    images = digits_batch()["images"]
    still = Augmentation(1.0, *[0.0] * 8)
    assert torch.equal(augment(images, still), images)
    assert torch.equal(augment(images, Augmentation(share=0.0)), images)
    batch = digits_batch()
    assert CrnnRecipe(TINY).augment(batch) is batch


@pytest.mark.parametrize(
    "name",
    ["rotate", "shear", "scale", "shift", "brightness", "contrast", "blur", "noise"],
)
def test_every_change_changes_some_and_keeps_the_kind(name: str) -> None:
    torch.manual_seed(0)
    images = digits_batch()["images"]
    settings = replace(Augmentation(1.0, *[0.0] * 8), **{name: getattr(Augmentation(), name)})
    changed = augment(images, settings)
    assert (changed.shape, changed.dtype) == (images.shape, torch.uint8)
    difference = (changed.int() - images.int()).abs().float().mean()
    assert 0 < difference < 40


def test_a_share_of_the_samples_is_changed() -> None:
    torch.manual_seed(0)
    images = digits_batch(64)["images"]
    changed = augment(images, Augmentation(share=0.5))
    same = (changed == images).flatten(1).all(1).sum()
    assert 16 <= same <= 48


# --- metrics and lines


class Fixed(torch.nn.Module):
    """A model that always says the same."""

    def __init__(self, logits: torch.Tensor) -> None:
        super().__init__()
        self.logits = logits

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        return self.logits


def test_outputs_are_read_with_and_without_merging() -> None:
    """The steps say 3 3 blank 3 blank 7 7; the label is 3 3 7."""
    path = torch.tensor([[3, 3, 10, 3, 10, 7, 7]])
    logits = 9 * functional.one_hot(path, 11).float().transpose(0, 1)
    labels, lengths = torch.tensor([[3, 3, 7, 10]]), torch.tensor([3])
    images = torch.zeros(1, 32, 28, 3, dtype=torch.uint8)
    batch = {"images": images, "labels": labels, "lengths": lengths}
    recipe = CrnnRecipe(TINY)
    read = recipe.outputs(Fixed(logits), batch)
    assert read.merged.tolist() == [[3, 3, 7, 10, 10, 10, 10]]
    assert read.unmerged.tolist() == [[3, 3, 3, 7, 7, 10, 10]]
    theirs = functional.ctc_loss(
        logits.log_softmax(2), labels, torch.tensor([7]), lengths, blank=10, reduction="none"
    )
    torch.testing.assert_close(read.losses, theirs)
    metrics = recipe.metrics()
    metrics.update(read, batch, torch.tensor([True]))
    values = metrics.compute(metrics.sums())
    assert values["full_sequence"] == 1
    assert values["per_char_unmerged"] == pytest.approx(2 / 3)


def test_metrics_with_and_without_merging() -> None:
    """Read 0 0 blank 1 for the label 0 1: right when merged, one too many when not."""
    recipe = CrnnRecipe(TINY)
    batch = {"labels": torch.tensor([[0, 1, 10, 10], [2, 3, 4, 10]])}
    merged = torch.tensor([[0, 1, 10, 10], [2, 3, 10, 10]])
    unmerged = torch.tensor([[0, 0, 1, 10], [2, 3, 10, 10]])
    metrics = recipe.metrics()
    read = CrnnOutput(merged, unmerged, torch.tensor([0.5, 1.5]))
    metrics.update(read, batch, torch.tensor([True, True]))
    metrics.update(read, batch, torch.tensor([True, False]))  # the second is padding
    values = metrics.compute(metrics.sums())
    assert values == pytest.approx(
        {
            "samples": 3,
            "per_char": (1 + 2 / 3 + 1) / 3,
            "full_sequence": 2 / 3,
            "seq_distance": (0 + 1 / 3 + 0) / 3,
            "cer": 1 / 7,
            "per_char_unmerged": (0.5 + 2 / 3 + 0.5) / 3,
            "seq_distance_unmerged": (0.5 + 1 / 3 + 0.5) / 3,
            "loss": 2.5 / 3,
        }
    )
    assert values[recipe.headline] == values["full_sequence"]


def test_lines_are_the_guides() -> None:
    recipe = CrnnRecipe(TINY)
    progress = Progress(100, 12.3456789, 0.08, 3048.5, 0.168, {})
    assert recipe.training_line(progress) == (
        "Epoch_Train: 100 cost= 12.345679, lr=  0.080000, FPS: 3048.500000, step_per_sec: 0.168000"
    )
    values = {
        "loss": 1.5, "per_char": 0.9743, "full_sequence": 0.933, "per_char_unmerged": 0.5,
        "seq_distance_unmerged": 0.25, "seq_distance": 0.0625, "cer": 0.03125, "samples": 891927.0,
    }  # fmt: skip
    first, *rest = recipe.evaluation_lines(500, values)
    assert re.fullmatch(
        r"Epoch_Val: 500 cost=  1.500000 seq distance=  0.250000"
        r" train accuracy=  0.500000, time= \d+\.\d+",
        first,
    )
    assert rest == [
        "Mean test per char accuracy is 0.974300",
        "Mean test full sequence accuracy is 0.933000",
        "of 891927 words; seq distance=  0.062500, character error rate=  0.031250",
    ]


def test_what_is_traced_is_what_the_model_takes() -> None:
    recipe = CrnnRecipe(TINY)
    assert recipe.model()(*recipe.example_inputs(3)).shape == (16, 3, 11)


# --- it learns


def test_the_tiny_preset_learns_to_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Strings it has never seen; then a picture of one is read by the command."""
    folder = tmp_path / "run"
    assert (
        run(["zoo", "train", "crnn", "--preset", "tiny", "--out", str(folder), "--device", "cpu"])
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    costs = [float(line.split()[3].strip(",")) for line in lines if "Epoch_Train" in line]
    assert costs[-1] < 0.3 * costs[0]
    result = json.loads((folder / "result.json").read_text())
    assert result["Metrics"]["samples"] == 256
    assert result["Metrics"]["full_sequence"] >= 0.6

    sample = DigitStrings("test", 256, 1, 64)[0]
    Image.fromarray(sample["images"]).save(tmp_path / "number.png")
    command = ["zoo", "predict", str(folder), str(tmp_path / "number.png"), "--device", "cpu"]
    assert run([*command, "--output-format", "json"]) == 0
    (reported,) = json.loads(capsys.readouterr().out)
    expected = "".join(DIGITS[label] for label in sample["labels"][: sample["lengths"]])
    assert reported["text"] == expected
    assert 0.3 < reported["confidence"] <= 1
    with Image.open(reported["written"]["annotated"]) as annotated:
        assert annotated.size == (8 * 64, 8 * 32 + 56)
