"""How WideResNet is trained with AutoAugment: presets and log lines, as in the guide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ascendify.zoo.classifiers.recipe import ClassifierRecipe, for_digits
from ascendify.zoo.classifiers.settings import (
    CIFAR_DEVIATION,
    CIFAR_MEAN,
    ClassLoss,
    PictureAugmentation,
    PictureData,
    TransferSettings,
)
from ascendify.zoo.classifiers.table import evaluation_table
from ascendify.zoo.config import Optimizer, Schedule, Training
from ascendify.zoo.recipe import Progress
from ascendify.zoo.wide_resnet.model import HEAD, WideResNet, WideResNetModel

_EPOCH = 50_000 // 128
"""Steps of an epoch of CIFAR-10 in the guide."""
_DIGITS_EPOCH = 1437 // 64


@dataclass(frozen=True)
class WideResNetConfig:
    """All settings of WideResNet."""

    model: WideResNetModel = field(default_factory=WideResNetModel)
    data: PictureData = field(default_factory=PictureData)
    loss: ClassLoss = field(default_factory=ClassLoss)
    transfer: TransferSettings = field(default_factory=TransferSettings)
    train: Training = field(default_factory=Training)


_CIFAR = PictureData(
    side=32,
    short_side=32,
    mean=CIFAR_MEAN,
    deviation=CIFAR_DEVIATION,
    augmentation=PictureAugmentation(
        mirror=True, padding=4, policy="cifar10", convention="upstream", cutout=16
    ),
)
GUIDE = WideResNetConfig(
    model=WideResNetModel(dropout=0.3),
    data=_CIFAR,
    train=Training(
        steps=200 * _EPOCH,
        batch=128,
        optimizer=Optimizer(kind="sgd", lr=0.1, momentum=0.9, weight_decay=5e-4),
        schedule=Schedule(
            kind="piecewise",
            boundaries=(60 * _EPOCH, 120 * _EPOCH, 160 * _EPOCH),
            factors=(1.0, 0.2, 0.04, 0.008),
        ),
        evaluate_every=_EPOCH,
        evaluate_batch=1000,
    ),
)
FAST = WideResNetConfig(
    data=replace(_CIFAR, augmentation=replace(_CIFAR.augmentation, convention="paper")),
    train=Training(
        steps=60 * _EPOCH,
        batch=128,
        precision="bf16",
        optimizer=Optimizer(kind="sgd", lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4),
        schedule=Schedule(kind="cosine", warmup=_EPOCH),
        evaluate_every=5 * _EPOCH,
        evaluate_batch=1000,
        resident=True,
        channels_last=True,
        compile=True,
        graph=True,
    ),
)
TINY = WideResNetConfig(
    model=WideResNetModel(depth=10, width=1),
    data=replace(
        for_digits(PictureData(), 16),
        augmentation=PictureAugmentation(policy="cifar10", cutout=4, padding=1),
    ),
    train=Training(
        steps=5 * _DIGITS_EPOCH,
        batch=64,
        optimizer=Optimizer(kind="sgd", lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4),
        schedule=Schedule(kind="cosine", warmup=_DIGITS_EPOCH // 2),
        log_every=_DIGITS_EPOCH,
        evaluate_batch=360,
        workers=0,
    ),
)


class WideResNetRecipe(ClassifierRecipe[WideResNetConfig]):
    """WideResNet with everything needed to train it."""

    name = "wide-resnet"
    head = HEAD

    @classmethod
    def presets(cls) -> Mapping[str, WideResNetConfig]:
        """Return presets: the guide's values, one fast GPU, a CPU."""
        return {"guide": GUIDE, "fast": FAST, "tiny": TINY}

    def network(self) -> WideResNet:
        """Create the network."""
        return WideResNet(self.config.model)

    def training_line(self, progress: Progress) -> str:
        """Format the loss; the guide's line is printed once an epoch, with the evaluation."""
        return (
            f"epoch {progress.values['epoch']:6.2f} step {progress.step:6d}"
            f" loss {progress.loss:.4f} lr {progress.lr:.5f}"
            f" {progress.samples_per_second:.0f} pictures/s"
        )

    def evaluation_lines(self, step: int, values: Mapping[str, float]) -> Sequence[str]:
        """Format as the guide does, then as a table."""
        line = f"val_loss {values['loss']:.4f} - val_acc {values['top1']:.4f}"
        return (line, *evaluation_table(step, values))
