"""How Attention-OCR is trained: loss, metrics, log lines, presets; and what changes its pictures.

As in the guide and upstream's ``model.py``, ``metrics.py`` and ``data_provider.py``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional

from ascendify.errors import UsageError
from ascendify.zoo.attention_ocr.model import AttentionOCR, Model, normalised, split_views
from ascendify.zoo.attention_ocr.predict import annotated, attention_sheet, open_picture, read
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
class Loss:
    """What is added up."""

    smoothing: float = 0.1
    """Share of a target that is spread over all classes."""
    ignore_nulls: bool = True
    """Upstream's name; True counts every position, nulls too, and False leaves nulls out."""
    l2: float = 4e-5
    """Half of this times the squares of the convolutions' weights and of the last layer."""


@dataclass(frozen=True)
class Pictures:
    """What is trained on where no folder is given, and how it is changed."""

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
    """All that can be set."""

    model: Model = field(default_factory=Model)
    data: Pictures = field(default_factory=Pictures)
    loss: Loss = field(default_factory=Loss)
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
    model=Model(coordinates=True, norm_momentum=0.1),
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
    model=Model(
        views=2, height=24, width=24, tower="three-convolutions", coordinates=True,
        classes=11, null=10, length=4, units=64, norm_momentum=0.1,
    ),
    data=Pictures(kind="digits", samples=4096, test_samples=512, augment=False),
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
    """Attention-OCR and what training it needs."""

    name = "attention-ocr"
    headline = "sequence_accuracy_strict"

    @classmethod
    def presets(cls) -> Mapping[str, AttentionConfig]:
        """The guide's values, one fast GPU, and a CPU."""
        return {"guide": GUIDE, "fast": FAST, "tiny": TINY}

    def model(self) -> AttentionOCR:
        """A fresh network."""
        return AttentionOCR(self.config.model)

    def compile(self, model: nn.Module) -> None:
        """The tower; the decoder's loop has kernels of its own."""
        assert isinstance(model, AttentionOCR)  # noqa: S101 - for the type checker
        compile_in_place(model.tower)

    def data(self, split: Split, source: Path | None) -> Data:
        """FSNS records of a folder; or signs, or digits, rendered.

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
            return fsns.rendered(
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
        """Refuse data whose pictures, texts or characters are not the model's."""
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
        """Which character is which class."""
        data = self.config.data
        if data.charset is not None:
            return read_fsns(Path(data.charset))
        if data.kind == "digits":
            return Charset((*"0123456789", ""), null=digits.NULL)
        return fsns_charset()

    def extras(self) -> dict[str, Any]:
        """The characters by class, so that a checkpoint can be read without its data."""
        return {"characters": list(self.charset().symbols)}

    def loss(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """The sequence's loss and L2; ``above_floor`` is how much better the sequence's can get."""
        settings = self.config.loss
        labels = batch["labels"]
        logits = model(normalised(batch["images"]), labels)
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
        """Every view cropped and coloured at random, each in its own way."""
        if not self.config.data.augment:
            return batch
        return {**batch, "images": augmented(batch["images"], self.config.model.views)}

    def outputs(self, model: nn.Module, batch: Batch) -> Tensor:
        """The classes [B,N] that are read, no label told."""
        return model(normalised(batch["images"])).argmax(2)  # type: ignore[no-any-return]

    def metrics(self) -> SignMetrics:
        """A fresh count."""
        return SignMetrics(self.config.model.null)

    def floor(self) -> float:
        """The entropy of the smoothed targets of a whole text; 29.9265 for the guide's."""
        model = self.config.model
        return model.length * entropy(self.config.loss.smoothing, model.classes)

    def training_line(self, progress: Progress) -> str:
        """As slim's, and behind it how far the loss is above the least there can be."""
        line = (
            f"global step {progress.step:d}: loss = {progress.loss:.4f}"
            f" ({progress.seconds_per_step:.3f} sec/step)"
        )
        above = progress.loss - self.floor()
        if not self.config.loss.ignore_nulls:  # then the floor is each batch's own
            above = progress.values["above_floor"] + progress.values["l2"]
        return f"{line} loss - floor = {above:.4f}"

    def evaluation_lines(self, step: int, values: Mapping[str, float]) -> Sequence[str]:
        """As upstream's, then what is stricter, each said to be which."""
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
        """The texts of signs; ``attention`` shows where each character was read."""
        assert isinstance(model, AttentionOCR)  # noqa: S101 - for the type checker
        opened = [open_picture(path, self.config.model) for path in pictures]
        found = read(model, opened, extras["characters"])
        return [
            Prediction(
                sign.text,
                sign.confidence,
                {"annotated": annotated(each, sign), "attention": attention_sheet(each, sign)},
            )
            for each, sign in zip(opened, found)
        ]

    def example_inputs(self, samples: int) -> tuple[Tensor, ...]:
        """Black pictures."""
        model = self.config.model
        return (torch.zeros(samples, 3, model.height, model.views * model.width),)

    def legend(self) -> dict[str, Any]:
        """How pictures become inputs, and outputs a text."""
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


def sequence_losses(
    logits: Tensor, labels: Tensor, smoothing: float, null: int, ignore_nulls: bool
) -> tuple[Tensor, Tensor]:
    """Cross-entropies [B,N] to smoothed targets, and which count: 1 or 0.

    The targets are one-hot * (1 - smoothing) + smoothing / classes.
    """
    losses = functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), reduction="none", label_smoothing=smoothing
    ).view_as(labels)
    counted = torch.ones_like(losses) if ignore_nulls else (labels != null).to(losses.dtype)
    return losses * counted, counted


def entropy(smoothing: float, classes: int) -> float:
    """Of a smoothed one-hot target: the least its cross-entropy can be."""
    rest = smoothing / classes
    true = 1 - smoothing + rest
    spread = (classes - 1) * rest * math.log(rest) if rest else 0.0
    return -true * math.log(true) - spread


def l2(model: nn.Module, factor: float) -> Tensor:
    """Half the factor times the squares of the convolutions' and of the last layer's weights.

    The last layer's bias counts too, as upstream; normalisation and the rest of the decoder do not.
    """
    decayed = [
        parameter
        for name, parameter in model.named_parameters()
        if parameter.ndim == 4 or "decoder.logits." in name
    ]
    squares: Tensor = _Squares.apply(*decayed)  # type: ignore[no-untyped-call]
    return squares * (factor / 2)


class _Squares(torch.autograd.Function):
    """The sum of all squares, in a few kernels instead of some for every parameter."""

    @staticmethod
    def forward(ctx: Any, *parameters: Tensor) -> Tensor:
        ctx.save_for_backward(*parameters)
        return torch.stack(torch._foreach_norm(parameters)).square().sum()

    @staticmethod
    def backward(ctx: Any, outer: Tensor) -> tuple[Tensor, ...]:
        return tuple(torch._foreach_mul(ctx.saved_tensors, 2 * outer))


def augmented(images: Tensor, views: int) -> Tensor:
    """Pictures uint8 [B,H,W,3] with every view cropped and coloured at random, on their device.

    A crop has 0.8 to 1 of the area, its sides' ratio changed by 0.8 to 1.2. Brightness moves by up
    to 32/255, hue by up to a fifth of the circle; saturation and contrast are halved at least and
    half as much again at most. Nothing here waits for the device.
    """
    batch, height, width, channels = images.shape
    with torch.autocast(images.device.type, enabled=False):  # pixels need their eight bits
        apart = split_views(images.permute(0, 3, 1, 2).float(), views)
        changed = coloured(cropped(apart).div(255)).clamp(0, 1).mul(255).round().to(torch.uint8)
    together = changed.reshape(batch, views, channels, height, width // views)
    return together.permute(0, 3, 1, 4, 2).reshape(images.shape)


def cropped(pictures: Tensor) -> Tensor:
    """A random crop of each picture [B,C,H,W], stretched to the whole."""
    area = _between(pictures, 0.8, 1.0)
    ratio = _between(pictures, 0.8, 1.2).sqrt()
    sides = torch.stack([area.sqrt() * ratio, area.sqrt() / ratio], 1).clamp(max=1)
    shift = (2 * torch.rand_like(sides) - 1) * (1 - sides)
    transform = torch.cat([torch.diag_embed(sides), shift[:, :, None]], 2)
    grid = functional.affine_grid(transform, list(pictures.shape), align_corners=False)
    return functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)


def coloured(pictures: Tensor) -> Tensor:
    """Each picture [B,3,H,W] in [0,1] with hue, saturation, contrast and brightness moved."""
    angle = _between(pictures, -0.2, 0.2) * (2 * math.pi)
    mix = _colours(angle, _between(pictures, 0.5, 1.5))
    moved = torch.matmul(mix, pictures.flatten(2)).view_as(pictures)
    mean = moved.mean((2, 3), keepdim=True)
    contrast = _between(pictures, 0.5, 1.5)[:, None, None, None]
    brightness = _between(pictures, -32 / 255, 32 / 255)[:, None, None, None]
    return (moved - mean) * contrast + mean + brightness


def _between(pictures: Tensor, low: float, high: float) -> Tensor:
    """A random number for each picture."""
    return low + (high - low) * torch.rand(len(pictures), device=pictures.device)


def _colours(angle: Tensor, saturation: Tensor) -> Tensor:
    """Matrices [B,3,3] that turn colours about the line of greys, and draw them to it or away."""
    cos, sin = angle.cos()[:, None, None], angle.sin()[:, None, None]
    eye = torch.eye(3, device=angle.device)
    grey = torch.full_like(eye, 1 / 3)
    across = (eye.roll(1, 0) - eye.roll(-1, 0)) / math.sqrt(3)
    return grey + saturation[:, None, None] * (cos * (eye - grey) + sin * across)
