"""How BiT is transferred: presets and log lines, as in the guide, and BiT's own rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ascendify.zoo.bit.model import HEAD, Bit, BitModel, hyper_rule, weights_by_name
from ascendify.zoo.classifiers.recipe import ClassifierRecipe, for_digits
from ascendify.zoo.classifiers.settings import (
    ClassLoss,
    PictureAugmentation,
    PictureData,
    TransferSettings,
)
from ascendify.zoo.classifiers.table import evaluation_table
from ascendify.zoo.config import Optimizer, Schedule, Training
from ascendify.zoo.recipe import Progress
from ascendify.zoo.weights import Weights

_HALF = (127.5, 127.5, 127.5)
_BASE_BATCH, _BASE_RATE = 512, 0.003
"""BiT's rate is for this batch; others in proportion."""
_DIGITS_EPOCH = 1437 // 64


@dataclass(frozen=True)
class BitConfig:
    """All settings of BiT."""

    model: BitModel = field(default_factory=BitModel)
    data: PictureData = field(default_factory=PictureData)
    loss: ClassLoss = field(default_factory=ClassLoss)
    transfer: TransferSettings = field(default_factory=TransferSettings)
    train: Training = field(default_factory=Training)


def _rate(batch: int) -> float:
    return _BASE_RATE * batch / _BASE_BATCH


_FLOWERS = PictureData(
    side=224,
    evaluate_side=384,
    short_side=384,
    squash=True,
    mean=_HALF,
    deviation=_HALF,
    augmentation=PictureAugmentation(mirror=True),
)
GUIDE = BitConfig(
    data=_FLOWERS,
    transfer=TransferSettings(exclude=("head",), train="head"),
    train=Training(
        steps=150,
        batch=64,
        optimizer=Optimizer(kind="sgd", lr=_rate(64), momentum=0.9),
        schedule=Schedule(
            kind="piecewise", boundaries=(200, 300, 400), factors=(1.0, 0.1, 0.01, 0.001)
        ),
        patience=2,
        log_every=10,
        evaluate_every=10,
        workers=8,
        channels_last=True,
    ),
)
"""The guide trains the last layer only, on frozen published weights (``--init``)."""
_RULE = hyper_rule(pixels=32 * 32, samples=3000)
FULL = BitConfig(
    data=replace(_FLOWERS, side=_RULE.side, evaluate_side=_RULE.side, short_side=_RULE.resize),
    transfer=TransferSettings(exclude=("head",)),
    train=Training(
        steps=_RULE.steps,
        batch=128,
        precision="bf16",
        optimizer=Optimizer(kind="sgd", lr=_rate(_BASE_BATCH), momentum=0.9),
        schedule=Schedule(
            kind="piecewise",
            warmup=_RULE.warmup,
            boundaries=_RULE.boundaries,
            factors=(1.0, 0.1, 0.01, 0.001),
        ),
        log_every=50,
        evaluate_every=100,
        workers=8,
        channels_last=True,
    ),
)
TINY = BitConfig(
    model=BitModel(classes=10, channels=8, blocks=(1, 1, 1, 1), groups=8, small_stem=True),
    data=for_digits(PictureData(), 16),
    train=Training(
        steps=100,
        batch=64,
        optimizer=Optimizer(kind="sgd", lr=0.05, momentum=0.9),
        schedule=Schedule(kind="cosine", warmup=10),
        log_every=_DIGITS_EPOCH,
        evaluate_batch=360,
        workers=0,
    ),
)


class BitRecipe(ClassifierRecipe[BitConfig]):
    """BiT with everything needed to transfer it."""

    name = "bit"
    head = HEAD

    @classmethod
    def presets(cls) -> Mapping[str, BitConfig]:
        """Return presets: the guide's values, all weights by BiT's rule, a CPU."""
        return {"guide": GUIDE, "full": FULL, "tiny": TINY}

    def network(self) -> Bit:
        """Create the network."""
        return Bit(self.config.model)

    def own_names(self, found: Weights) -> Weights:
        """Return the authors' arrays under this network's names."""
        return weights_by_name(found)

    def training_line(self, progress: Progress) -> str:
        """Format as the guide does."""
        seconds = progress.seconds_per_step * self.config.train.log_every
        return (
            f"step:{progress.step:d} ,loss: {progress.loss:f} ,time:{seconds:f}"
            f" imgs/s: {progress.samples_per_second:.2f}"
        )

    def evaluation_lines(self, step: int, values: Mapping[str, float]) -> Sequence[str]:
        """Format as the guide's Keras does, then as a table."""
        line = f"val_loss: {values['loss']:.4f} - val_accuracy: {values['top1']:.4f}"
        return (line, *evaluation_table(step, values))
