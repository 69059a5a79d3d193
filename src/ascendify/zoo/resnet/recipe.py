"""How ResNet is trained: presets and log lines, as in the ResNet-50 guide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

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
from ascendify.zoo.config import LossScale, Optimizer, Schedule, Training
from ascendify.zoo.recipe import Batch, Progress
from ascendify.zoo.resnet.model import HEAD, ResNet, ResNetModel
from ascendify.zoo.weights import Weights

_EPOCH = 1_281_167 / 256
"""Steps of an epoch of ImageNet in the guide."""
_DIGITS_EPOCH = 1437 // 64


@dataclass(frozen=True)
class ResNetConfig:
    """All settings of ResNet."""

    model: ResNetModel = field(default_factory=ResNetModel)
    data: PictureData = field(default_factory=PictureData)
    loss: ClassLoss = field(default_factory=ClassLoss)
    transfer: TransferSettings = field(default_factory=TransferSettings)
    train: Training = field(default_factory=Training)


def _steps(*epochs: int) -> tuple[int, ...]:
    """Return steps of the guide's schedule; it cuts off what is no whole step."""
    return tuple(int(_EPOCH * each) for each in epochs)


GUIDE = ResNetConfig(
    data=PictureData(augmentation=PictureAugmentation(mirror=True)),
    train=Training(
        steps=_steps(90)[0],
        batch=256,
        precision="fp16",
        optimizer=Optimizer(kind="sgd", lr=0.128, momentum=0.9, weight_decay=1e-4),
        schedule=Schedule(
            kind="piecewise",
            warmup=_steps(5)[0],
            boundaries=_steps(30, 60, 80),
            factors=(1.0, 0.1, 0.01, 0.001),
        ),
        loss_scale=LossScale(kind="static", value=512.0),
        evaluate_every=_steps(1)[0],
        save_every=115_200,
        workers=16,
        channels_last=True,
    ),
)
"""Its last boundary, epoch 90, is the end. ``train.optimizer.lr`` is 0.128 for a batch of 256 over
all ranks, and grows with it."""
FAST = ResNetConfig(
    model=ResNetModel(stem="cifar", classes=10, batch_norm_momentum=0.1),
    data=PictureData(
        side=32,
        short_side=32,
        mean=CIFAR_MEAN,
        deviation=CIFAR_DEVIATION,
        augmentation=PictureAugmentation(mirror=True, padding=4),
    ),
    loss=ClassLoss(smoothing=0.1),
    train=Training(
        steps=3880,
        batch=512,
        precision="bf16",
        optimizer=Optimizer(kind="sgd", lr=0.2, momentum=0.9, nesterov=True, weight_decay=5e-4),
        schedule=Schedule(kind="one-cycle", warmup=970),
        evaluate_every=970,
        evaluate_batch=1000,
        resident=True,
        channels_last=True,
        compile=True,
        graph=True,
    ),
)
TRANSFER = ResNetConfig(
    model=ResNetModel(classes=10, same_pooling=False, batch_norm_momentum=0.1),
    data=PictureData(
        least_area=0.25,
        mean=(123.675, 116.28, 103.53),
        deviation=(58.395, 57.12, 57.375),
        augmentation=PictureAugmentation(mirror=True),
    ),
    loss=ClassLoss(smoothing=0.1),
    train=Training(
        steps=2000,
        batch=64,
        optimizer=Optimizer(kind="sgd", lr=0.01, momentum=0.9, weight_decay=1e-4),
        schedule=Schedule(kind="cosine", warmup=100),
        log_every=50,
        evaluate_every=200,
        workers=8,
        channels_last=True,
    ),
)
TINY = ResNetConfig(
    model=ResNetModel(
        *(50, "v1.5", "cifar"), classes=10, width=8, blocks=(1, 1, 1, 1), batch_norm_momentum=0.1
    ),
    data=for_digits(PictureData(), 16),
    train=Training(
        steps=4 * _DIGITS_EPOCH,
        batch=64,
        optimizer=Optimizer(kind="sgd", lr=0.1, momentum=0.9, weight_decay=1e-4),
        schedule=Schedule(
            kind="piecewise",
            warmup=_DIGITS_EPOCH // 2,
            boundaries=(2 * _DIGITS_EPOCH, 3 * _DIGITS_EPOCH),
            factors=(1.0, 0.1, 0.01),
        ),
        log_every=_DIGITS_EPOCH,
        evaluate_batch=360,
        workers=0,
    ),
)


class ResNetRecipe(ClassifierRecipe[ResNetConfig]):
    """ResNet with everything needed to train it."""

    name = "resnet50"
    head = HEAD

    @classmethod
    def presets(cls) -> Mapping[str, ResNetConfig]:
        """Return presets: the guide's values, CIFAR-10 on one fast GPU, own classes, a CPU."""
        return {"guide": GUIDE, "fast": FAST, "transfer": TRANSFER, "tiny": TINY}

    def network(self) -> ResNet:
        """Create the network."""
        return ResNet(self.config.model)

    def own_names(self, found: Weights) -> Weights:
        """Return timm's weights of version 2 under this network's names."""
        return {_own_name(name): _flat(name, value) for name, value in found.items()}

    def groups(self, model: nn.Module) -> list[dict[str, Any]]:
        """Return groups of which all but the norms are decayed, biases too, as in the guide."""
        decay = self.config.train.optimizer.weight_decay
        kinds: dict[bool, list[Any]] = {True: [], False: []}
        for module in model.modules():
            is_norm = isinstance(module, nn.BatchNorm2d)
            own = (p for p in module.parameters(recurse=False) if p.requires_grad)
            kinds[is_norm].extend(own)
        return [
            {"params": params, "weight_decay": 0.0 if is_norm else decay}
            for is_norm, params in kinds.items()
            if params
        ]

    def loss(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the cross entropy, and the penalty that the guide logs as a part of it."""
        return {**super().loss(model, batch), "l2": self.penalty(model)}

    def training_line(self, progress: Progress) -> str:
        """Format as the guide's Estimator does, whose loss contains the penalty."""
        seconds = progress.seconds_per_step * self.config.train.log_every
        total = progress.loss + progress.values["l2"]
        return f"INFO:tensorflow:loss = {total:.7g}, step = {progress.step} ({seconds:.3f} sec)"

    def evaluation_lines(self, step: int, values: Mapping[str, float]) -> Sequence[str]:
        """Format as a table."""
        return evaluation_table(step, values)


_STAGE = re.compile(r"stages\.(\d)\.blocks\.(\d+)\.")


def _own_name(name: str) -> str:
    """Return this network's name of a weight of timm's ``resnetv2``; others stay."""
    if not name.startswith(("stages.", "stem.", "head.")):
        return name
    inside = _STAGE.sub(lambda found: f"layer{int(found[1]) + 1}.{found[2]}.", name)
    for theirs, own in (("norm", "bn"), ("downsample.conv.", "downsample.")):
        inside = inside.replace(theirs, own)
    return inside.replace("stem.conv.", "conv1.").replace("head.fc.", f"{HEAD}.")


def _flat(name: str, value: Any) -> Any:
    """Return the weights of a head that is a convolution of 1 x 1 as a matrix."""
    return value.flatten(1) if name == "head.fc.weight" else value
