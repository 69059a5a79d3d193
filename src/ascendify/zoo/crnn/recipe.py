"""How CRNN is trained: its loss, metrics, log lines and presets, as in the guide."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Optional

import torch
from torch import Tensor, nn

from ascendify.errors import UsageError
from ascendify.zoo.config import Optimizer, Schedule, Training
from ascendify.zoo.crnn import digits
from ascendify.zoo.crnn.augment import Augmentation, augment
from ascendify.zoo.crnn.ctc import ctc_loss, impossible
from ascendify.zoo.crnn.digits import DigitStrings
from ascendify.zoo.crnn.model import HEIGHT, PIXELS_PER_STEP, Crnn, CrnnModel, normalise
from ascendify.zoo.crnn.predict import annotate, open_picture, read
from ascendify.zoo.kernels import compile_in_place
from ascendify.zoo.recipe import Batch, Data, Metrics, Prediction, Progress, Recipe, Split
from ascendify.zoo.records.datasets import CRNN_SHAPE
from ascendify.zoo.sets import crnn_records, rendered
from ascendify.zoo.text.charset import Charset
from ascendify.zoo.text.charset import crnn as crnn_charset
from ascendify.zoo.text.decoding import ctc_greedy
from ascendify.zoo.text.metrics import WordMetrics


@dataclass(frozen=True)
class CrnnData:
    """Rendered data for runs without a folder, and augmentation."""

    kind: Literal["words", "digits"] = "words"
    samples: int = 1_200_000
    test_samples: int = 20_000
    seed: int = 1
    words: Optional[str] = None
    """A file of words to draw, one per line; by default a dictionary or the shipped words."""
    fonts: tuple[str, ...] = ()
    """Folders of fonts; by default the system's; the shipped fonts are always used."""
    channel_order: Optional[Literal["RGB", "BGR"]] = None
    """Channel order of a folder's records; by default that of its manifest, else RGB."""
    augmentation: Augmentation = field(default_factory=Augmentation)

    @property
    def charset(self) -> Charset:
        """The character set; the blank is the last class."""
        if self.kind == "digits":
            return Charset((*digits.DIGITS, ""), null=len(digits.DIGITS))
        return crnn_charset()

    @property
    def longest(self) -> int:
        """Length of the longest label."""
        return digits.LONGEST if self.kind == "digits" else crnn_records.LABELS


@dataclass(frozen=True)
class CrnnConfig:
    """All settings of CRNN."""

    model: CrnnModel = field(default_factory=CrnnModel)
    data: CrnnData = field(default_factory=CrnnData)
    train: Training = field(default_factory=Training)


GUIDE = CrnnConfig(
    train=Training(
        steps=240_000,
        batch=64,
        optimizer=Optimizer(kind="sgd", lr=0.08, momentum=0.95, nesterov=True),
        schedule=Schedule(kind="cosine", warmup=8000),
        evaluate_every=20_000,
        evaluate_batch=512,
        save_every=5000,
    )
)
FAST = CrnnConfig(
    model=CrnnModel(batch_norm_momentum=0.1, output_deviation=0.2),
    data=CrnnData(augmentation=Augmentation(share=0.5)),
    train=Training(
        steps=7000,
        batch=2048,
        precision="bf16",
        optimizer=Optimizer(kind="adamw", lr=1.5e-3, weight_decay=0.01, clip=5.0),
        schedule=Schedule(kind="one-cycle", warmup=1000),
        evaluate_every=1000,
        resident=True,
        channels_last=True,
        compile=True,
        graph=True,
    ),
)
TINY = CrnnConfig(
    model=CrnnModel(
        width=64,
        channels=(16, 32, 64, 64, 64, 64, 64),
        lstm=48,
        layers=1,
        classes=11,
        dropout=0.0,
        output_deviation=0.2,
        batch_norm_momentum=0.05,
    ),
    data=CrnnData(kind="digits", samples=4096, test_samples=256),
    train=Training(
        steps=350,
        batch=32,
        optimizer=Optimizer(kind="adam", lr=3e-3, clip=5.0),
        schedule=Schedule(kind="cosine", warmup=50),
        log_every=50,
        evaluate_batch=256,
        resident=True,
        workers=0,
    ),
)


class CrnnRecipe(Recipe[CrnnConfig]):
    """CRNN with everything needed to train it."""

    name = "crnn"
    headline = "full_sequence"

    @classmethod
    def presets(cls) -> Mapping[str, CrnnConfig]:
        """Return presets: the guide's values, one fast GPU, a CPU."""
        return {"guide": GUIDE, "fast": FAST, "tiny": TINY}

    def model(self) -> Crnn:
        """Create the network."""
        return Crnn(self.config.model)

    def compile(self, model: nn.Module) -> None:
        """Compile the convolutions; cuDNN has the LSTM, and the loss has a kernel of its own."""
        assert isinstance(model, Crnn)  # noqa: S101 - for the type checker
        compile_in_place(model.cnn)

    def data(self, split: Split, source: Path | None) -> Data:
        """Open words of the guide's record files, or rendered words or digits.

        Raises:
            UsageError: they do not fit the model, or cannot be read.
        """
        data, model = self.config.data, self.config.model
        size = data.samples if split == "train" else data.test_samples
        if source is None and data.kind == "digits":
            self._fit(model.width)
            return DigitStrings(split, size, data.seed, model.width)
        if data.kind == "digits":
            raise UsageError(
                f"data.kind is digits, which are drawn and not read from {source}",
                "leave --data out, or begin with the preset guide or fast",
            )
        self._fit(CRNN_SHAPE[1])
        if source is not None:
            return crnn_records.read_crnn(source, split, data.channel_order)
        return rendered.open_words(
            split,
            size,
            data.seed,
            font_folders=tuple(map(Path, data.fonts)),
            word_file=None if data.words is None else Path(data.words),
        )

    def _fit(self, width: int) -> None:
        """Refuse data whose pictures or characters do not fit the model."""
        model, classes = self.config.model, len(self.config.data.charset)
        for name, wanted, found in (
            ("model.width", model.width, width),
            ("model.classes", model.classes, classes),
        ):
            if wanted != found:
                raise UsageError(
                    f"{name} is {wanted}, and the data's is {found}",
                    f"set {name}={found}, or begin with the preset guide or fast",
                )
        longest = self.config.data.longest
        if model.steps < longest:
            raise UsageError(
                f"model.width={model.width} gives {model.steps} time steps,"
                f" too few for labels of {longest} characters",
                f"set model.width={PIXELS_PER_STEP * longest} or more",
            )

    def loss(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the mean negative log-likelihood of the samples, not divided by lengths.

        ``impossible`` is the number of labels too long for the time steps; their loss is 0.
        """
        logits = model(normalise(batch["images"]))
        labels, lengths = batch["labels"], batch["lengths"]
        losses = ctc_loss(logits, labels, lengths, self.config.model.blank)
        left_out = impossible(labels, lengths, len(logits))
        return {"loss": losses.mean(), "impossible": left_out.sum().float()}

    def augment(self, batch: Batch) -> Batch:
        """Change pictures at random, as far as the settings allow."""
        settings = self.config.data.augmentation
        if not settings.share:
            return batch
        return {**batch, "images": augment(batch["images"], settings)}

    def outputs(self, model: nn.Module, batch: Batch) -> CrnnOutput:
        """Return the decoded text, merged and as the guide decodes in training, and the losses."""
        blank = self.config.model.blank
        logits = model(normalise(batch["images"]))
        return CrnnOutput(
            ctc_greedy(logits, blank).classes,
            ctc_greedy(logits, blank, merge_repeated=False).classes,
            ctc_loss(logits, batch["labels"], batch["lengths"], blank),
        )

    def metrics(self) -> CrnnMetrics:
        """Create metrics that have counted nothing yet."""
        return CrnnMetrics(self.config.model.blank)

    def extras(self) -> dict[str, Any]:
        """Return the characters by class, so that a checkpoint can be used without its data."""
        return {"characters": list(self.config.data.charset.symbols)}

    def training_line(self, progress: Progress) -> str:
        """Format as the guide does; its epoch is a step, its step_per_sec is seconds per step."""
        return (
            f"Epoch_Train: {progress.step:d} cost= {progress.loss:9f}, lr= {progress.lr:9f},"
            f" FPS: {progress.samples_per_second:4f},"
            f" step_per_sec: {progress.seconds_per_step:6f}"
        )

    def evaluation_lines(self, step: int, values: Mapping[str, float]) -> Sequence[str]:
        """Format as the guide does in training, where nothing is merged, then as its evaluation.

        The last line is ours: the number of words, and their distance from the labels.
        """
        return (
            f"Epoch_Val: {step:d} cost= {values['loss']:9f}"
            f" seq distance= {values['seq_distance_unmerged']:9f}"
            f" train accuracy= {values['per_char_unmerged']:9f}, time= {time.time()}",
            f"Mean test per char accuracy is {values['per_char']:5f}",
            f"Mean test full sequence accuracy is {values['full_sequence']:5f}",
            f"of {values['samples']:.0f} words; seq distance= {values['seq_distance']:9f},"
            f" character error rate= {values['cer']:9f}",
        )

    def predict(
        self, model: nn.Module, pictures: Sequence[Path], extras: Mapping[str, Any]
    ) -> Sequence[Prediction]:
        """Read words; the picture ``annotated`` shows the character of every time step."""
        assert isinstance(model, Crnn)  # noqa: S101 - for the type checker
        opened = [open_picture(path, self.config.model.width) for path in pictures]
        found = read(model, opened, extras["characters"])
        return [
            Prediction(word.text, word.confidence, {"annotated": annotate(each, word)})
            for each, word in zip(opened, found)
        ]

    def example_inputs(self, samples: int) -> tuple[Tensor, ...]:
        """Return pictures of zeros."""
        return (torch.zeros(samples, 3, HEIGHT, self.config.model.width),)

    def legend(self) -> dict[str, Any]:
        """Describe how pictures become inputs, and outputs a word."""
        model = self.config.model
        return {
            "images": "float32 [pictures, 3, height, width]; red, green, blue; the whole picture "
            f"stretched to {HEIGHT} x {model.width} (height x width)",
            "normalisation": {"of": "pixels from 0 to 255", "times": 1 / 127.5, "plus": -1.0},
            "logits": "float32 [steps from left to right, pictures, classes], before the softmax",
            "decoding": "CTC: the best class of every step; of a class that follows itself one; "
            f"without the blank, class {model.blank}; characters[class]",
        }


class CrnnOutput(NamedTuple):
    """The decoded texts of a batch, and its losses."""

    merged: Tensor
    """Classes [B, T], with the blank after each text."""
    unmerged: Tensor
    """The same without merging repeated classes."""
    losses: Tensor
    """[B]."""


class CrnnMetrics(Metrics):
    """Word metrics of merged and unmerged texts, and the mean loss."""

    def __init__(self, blank: int) -> None:
        self._merged = WordMetrics(blank)
        self._unmerged = WordMetrics(blank)
        self._loss = torch.zeros((), dtype=torch.float64)

    def update(self, outputs: CrnnOutput, batch: Batch, valid: Tensor) -> None:
        """Count a batch."""
        self._merged.update(outputs.merged, batch, valid)
        self._unmerged.update(outputs.unmerged, batch, valid)
        self._loss += (outputs.losses.double() * valid).sum().cpu()

    def sums(self) -> Tensor:
        """Return the counts of both, and the sum of the losses."""
        return torch.cat([self._merged.sums(), self._unmerged.sums(), self._loss[None]])

    def compute(self, sums: Tensor) -> dict[str, float]:
        """Compute the metrics of ``WordMetrics``, those of the guide in training, and the loss."""
        columns = WordMetrics.columns
        merged, unmerged, loss = sums[:columns], sums[columns:-1], sums[-1]
        values = self._merged.compute(merged)
        guide = self._unmerged.compute(unmerged)
        return {
            **values,
            "per_char_unmerged": guide["per_char"],
            "seq_distance_unmerged": guide["seq_distance"],
            "loss": loss.item() / max(values["samples"], 1),
        }
