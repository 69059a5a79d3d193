"""How Attention-OCR is trained: its loss, metrics, log lines and presets.

As in the guide and upstream's ``model.py`` and ``metrics.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Optional

import torch
from torch import Tensor, nn

from ascendify.errors import UsageError
from ascendify.zoo.attention_ocr.augment import augment_views
from ascendify.zoo.attention_ocr.losses import entropy, l2, sequence_losses
from ascendify.zoo.attention_ocr.model import AttentionModel, AttentionOCR, normalise
from ascendify.zoo.attention_ocr.predict import annotate, attention_sheet, open_picture, read
from ascendify.zoo.config import LossScale, Optimizer, Schedule, Training
from ascendify.zoo.kernels import compile_in_place
from ascendify.zoo.recipe import Batch, Data, Prediction, Progress, Recipe, Split
from ascendify.zoo.records.datasets import FSNS_LENGTH
from ascendify.zoo.rendering import signs
from ascendify.zoo.sets import digits, fsns
from ascendify.zoo.text.charset import Charset, read_fsns
from ascendify.zoo.text.charset import fsns as fsns_charset
from ascendify.zoo.text.metrics import SignMetrics


@dataclass(frozen=True)
class AttentionLoss:
    """Settings of the loss."""

    smoothing: float = 0.1
    """Share of a target that is distributed over all classes."""
    ignore_nulls: bool = True
    """Upstream's name; True counts every position, nulls too, and False leaves nulls out."""
    l2: float = 4e-5
    """Half of this times the squares of the convolutions' weights and of the last layer."""


@dataclass(frozen=True)
class AttentionData:
    """Rendered data for runs without a folder, and augmentation."""

    kind: Literal["signs", "digits"] = "signs"
    samples: int = 100_000
    test_samples: int = 5_000
    seed: int = 1
    names: Optional[str] = None
    """A file of names for rendered signs."""
    fonts: tuple[str, ...] = ()
    """Folders of fonts for them; without, those of the system and the shipped ones."""
    charset: Optional[str] = None
    """A charset file; without, FSNS's."""
    augment: bool = True


@dataclass(frozen=True)
class AttentionConfig:
    """All settings of Attention-OCR."""

    model: AttentionModel = field(default_factory=AttentionModel)
    data: AttentionData = field(default_factory=AttentionData)
    loss: AttentionLoss = field(default_factory=AttentionLoss)
    train: Training = field(default_factory=Training)


GUIDE = AttentionConfig(
    train=Training(
        steps=1_000_000,
        batch=32,
        precision="fp16",
        optimizer=Optimizer(kind="sgd", lr=0.004, momentum=0.9, clip=2.0, clip_each=True),
        loss_scale=LossScale(kind="dynamic", value=2.0**32),
        save_every=50_000,
    )
)
FAST = AttentionConfig(
    model=AttentionModel(coordinates=True, norm_momentum=0.1),
    train=Training(
        steps=7000,
        batch=128,
        precision="bf16",
        optimizer=Optimizer(kind="adam", lr=1e-3, clip=2.0),
        schedule=Schedule(kind="cosine", warmup=500),
        evaluate_every=1000,
        channels_last=True,
        compile=True,
        graph=True,
        resident=True,
    ),
)
TINY = AttentionConfig(
    model=AttentionModel(
        views=2, height=24, width=24, tower="three-convolutions", coordinates=True,
        classes=11, null=10, length=4, units=64, norm_momentum=0.1,
    ),
    data=AttentionData(kind="digits", samples=4096, test_samples=512, augment=False),
    train=Training(
        steps=400,
        batch=32,
        optimizer=Optimizer(kind="adam", lr=3e-3, clip=2.0),
        schedule=Schedule(kind="cosine", warmup=20),
        log_every=50,
        workers=0,
    ),
)  # fmt: skip


class AttentionOcrRecipe(Recipe[AttentionConfig]):
    """Attention-OCR with everything needed to train it."""

    name = "attention-ocr"
    headline = "sequence_accuracy_strict"

    @classmethod
    def presets(cls) -> Mapping[str, AttentionConfig]:
        """Return presets: the guide's values, one fast GPU, a CPU."""
        return {"guide": GUIDE, "fast": FAST, "tiny": TINY}

    def model(self) -> AttentionOCR:
        """Create the network."""
        return AttentionOCR(self.config.model)

    def compile(self, model: nn.Module) -> None:
        """Compile the tower; the decoder's loop has kernels of its own."""
        assert isinstance(model, AttentionOCR)  # noqa: S101 - for the type checker
        compile_in_place(model.tower)

    def data(self, split: Split, source: Path | None) -> Data:
        """Open FSNS records of a folder, or rendered signs or digits.

        Raises:
            UsageError: they do not fit the model.
        """
        wanted = self.config.data
        if source is None and wanted.kind == "digits":
            size = wanted.samples if split == "train" else wanted.test_samples
            self._fit((digits.SIDE, digits.SIDE * self.config.model.views))
            model = self.config.model
            return digits.Digits(split, size, wanted.seed, model.views, model.length)
        self._fit(signs.SHAPE[:2], FSNS_LENGTH)
        if source is None:
            return fsns.open_rendered(
                fsns.RenderSettings(
                    count=wanted.samples,
                    test_count=wanted.test_samples,
                    seed=wanted.seed,
                    names=wanted.names,
                    fonts=wanted.fonts,
                ),
                split,
            )
        records = fsns.open_records(source, split)
        if records.charset != self.charset():
            raise UsageError(
                f"{source / fsns.CHARSET} is not the charset of this run",
                f"set data.charset={source / fsns.CHARSET}",
            )
        return records

    def _fit(self, size: tuple[int, ...], length: Optional[int] = None) -> None:
        """Refuse data whose pictures, texts or characters do not fit the model."""
        model, classes = self.config.model, len(self.charset())
        for name, found, data in (
            ("pictures of height x width", (model.height, model.width * model.views), size),
            ("texts of length", model.length, length or model.length),
            ("characters and null", model.classes, classes),
            ("null at", model.null, self.charset().null),
        ):
            if found != data:
                raise UsageError(
                    f"{name} {data} do not fit a model for {found}",
                    "train with the preset guide or fast, or set model.* to the data's",
                )

    def charset(self) -> Charset:
        """Return the character set."""
        data = self.config.data
        if data.charset is not None:
            return read_fsns(Path(data.charset))
        if data.kind == "digits":
            return Charset((*"0123456789", ""), null=digits.NULL)
        return fsns_charset()

    def extras(self) -> dict[str, Any]:
        """Return the characters by class, so that a checkpoint can be used without its data."""
        return {"characters": list(self.charset().symbols)}

    def loss(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the sequence loss and L2; ``above_floor`` is the distance to its least value."""
        settings = self.config.loss
        labels = batch["labels"]
        logits = model(normalise(batch["images"]), labels)
        losses, counted = sequence_losses(
            logits, labels, settings.smoothing, self.config.model.null, settings.ignore_nulls
        )
        sequence = losses.sum(1).mean()
        regularisation = l2(model, settings.l2)
        floor = entropy(settings.smoothing, self.config.model.classes) * counted.sum(1).mean()
        return {
            "loss": sequence + regularisation,
            "sequence_loss": sequence,
            "l2": regularisation,
            "above_floor": sequence - floor,
        }

    def augment(self, batch: Batch) -> Batch:
        """Crop and recolour every view at random."""
        if not self.config.data.augment:
            return batch
        return {**batch, "images": augment_views(batch["images"], self.config.model.views)}

    def outputs(self, model: nn.Module, batch: Batch) -> Tensor:
        """Return the decoded classes [B,N], without using labels."""
        return model(normalise(batch["images"])).argmax(2)  # type: ignore[no-any-return]

    def metrics(self) -> SignMetrics:
        """Create metrics that have counted nothing yet."""
        return SignMetrics(self.config.model.null)

    def floor(self) -> float:
        """Return the entropy of a text's smoothed targets; 29.9265 with the guide's settings."""
        model = self.config.model
        return model.length * entropy(self.config.loss.smoothing, model.classes)

    def training_line(self, progress: Progress) -> str:
        """Format as slim does, followed by the loss above its least value."""
        line = (
            f"global step {progress.step:d}: loss = {progress.loss:.4f}"
            f" ({progress.seconds_per_step:.3f} sec/step)"
        )
        above = progress.loss - self.floor()
        if not self.config.loss.ignore_nulls:  # then the floor is each batch's own
            above = progress.values["above_floor"] + progress.values["l2"]
        return f"{line} loss - floor = {above:.4f}"

    def evaluation_lines(self, step: int, values: Mapping[str, float]) -> Sequence[str]:
        """Format as upstream does, followed by the stricter accuracy."""
        return (
            f"eval/CharacterAccuracy[{values['character_accuracy']:f}]",
            f"eval/SequenceAccuracy[{values['sequence_accuracy']:f}]",
            f"eval/StrictSequenceAccuracy[{values['sequence_accuracy_strict']:f}]"
            " the whole text exactly; SequenceAccuracy forgives what is read past its end",
            f"of {values['samples']:.0f} signs",
        )

    def predict(
        self, model: nn.Module, pictures: Sequence[Path], extras: Mapping[str, Any]
    ) -> Sequence[Prediction]:
        """Read signs; the picture ``attention`` shows where each character was read."""
        assert isinstance(model, AttentionOCR)  # noqa: S101 - for the type checker
        opened = [open_picture(path, self.config.model) for path in pictures]
        found = read(model, opened, extras["characters"])
        return [
            Prediction(
                sign.text,
                sign.confidence,
                {"annotated": annotate(each, sign), "attention": attention_sheet(each, sign)},
            )
            for each, sign in zip(opened, found)
        ]

    def example_inputs(self, samples: int) -> tuple[Tensor, ...]:
        """Return pictures of zeros."""
        model = self.config.model
        return (torch.zeros(samples, 3, model.height, model.views * model.width),)

    def legend(self) -> dict[str, Any]:
        """Describe how pictures become inputs, and outputs a text."""
        model = self.config.model
        return {
            "images": "float32 [pictures, 3, height, width]; red, green, blue; "
            f"{model.views} views side by side, each {model.height} x {model.width} "
            "(height x width); where there is one view, it is all of them",
            "normalisation": {"of": "pixels from 0 to 255", "times": 2.5 / 255, "plus": -1.25},
            "logits": "float32 [pictures, characters in their order, classes], before the softmax",
            "decoding": "the best class of every character, up to the first null, "
            f"class {model.null}; characters[class]",
        }
