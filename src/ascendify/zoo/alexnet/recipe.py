"""How AlexNet is trained: presets and log lines, as in the guide's log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from ascendify.errors import UsageError
from ascendify.zoo.alexnet.model import HEAD, AlexNet, AlexNetModel
from ascendify.zoo.classifiers.recipe import ClassifierRecipe, for_digits
from ascendify.zoo.classifiers.settings import (
    ClassLoss,
    PictureAugmentation,
    PictureData,
    TransferSettings,
)
from ascendify.zoo.classifiers.table import evaluation_table
from ascendify.zoo.config import LossScale, Optimizer, Schedule, Training
from ascendify.zoo.recipe import Batch, Progress

_BATCH = 1024
"""Over all devices of the guide."""
_EPOCH = 1_281_167 // _BATCH
_EPOCHS = 150
_DIGITS_EPOCH = 1437 // 64


@dataclass(frozen=True)
class AlexNetConfig:
    """All settings of AlexNet."""

    model: AlexNetModel = field(default_factory=AlexNetModel)
    data: PictureData = field(default_factory=PictureData)
    loss: ClassLoss = field(default_factory=ClassLoss)
    transfer: TransferSettings = field(default_factory=TransferSettings)
    train: Training = field(default_factory=Training)


_PICTURES = PictureData(
    mean=(121.0, 115.0, 100.0),
    deviation=(70.0, 68.0, 71.0),
    augmentation=PictureAugmentation(mirror=True),
)
GUIDE = AlexNetConfig(
    model=AlexNetModel(classes=1001),
    data=_PICTURES,
    loss=ClassLoss(smoothing=0.1),
    train=Training(
        steps=_EPOCHS * _EPOCH,
        batch=_BATCH,
        precision="fp16",
        optimizer=Optimizer(kind="sgd", lr=0.06, momentum=0.9, weight_decay=1e-4),
        schedule=Schedule(kind="epoch-cosine", warmup=5 * _EPOCH, every=_EPOCH),
        loss_scale=LossScale(kind="static"),
        evaluate_every=5 * _EPOCH,
        save_every=5 * _EPOCH,
        workers=16,
        channels_last=True,
    ),
)
"""For eight devices, 128 pictures each; here all on one."""
FAST = AlexNetConfig(
    model=AlexNetModel(classes=1001),
    data=_PICTURES,
    loss=ClassLoss(smoothing=0.1),
    train=Training(
        steps=90 * _EPOCH,
        batch=_BATCH,
        precision="bf16",
        optimizer=Optimizer(kind="sgd", lr=0.06, momentum=0.9, weight_decay=1e-4),
        schedule=Schedule(kind="epoch-cosine", warmup=5 * _EPOCH, every=_EPOCH),
        evaluate_every=5 * _EPOCH,
        workers=16,
        channels_last=True,
        compile=True,
        graph=True,
    ),
)
TINY = AlexNetConfig(
    model=AlexNetModel(
        classes=10,
        side=32,
        channels=(12, 24, 48, 32, 32),
        stem=3,
        stem_stride=1,
        hidden=128,
        keep=1.0,
        relu_logits=False,
    ),
    data=for_digits(PictureData(), 32),
    train=Training(
        steps=6 * _DIGITS_EPOCH,
        batch=64,
        optimizer=Optimizer(kind="sgd", lr=0.03, momentum=0.9, weight_decay=1e-4),
        schedule=Schedule(kind="epoch-cosine", warmup=_DIGITS_EPOCH, every=_DIGITS_EPOCH),
        log_every=_DIGITS_EPOCH,
        evaluate_batch=360,
        workers=0,
    ),
)


class AlexNetRecipe(ClassifierRecipe[AlexNetConfig]):
    """AlexNet with everything needed to train it."""

    name = "alexnet"
    head = HEAD

    @classmethod
    def presets(cls) -> Mapping[str, AlexNetConfig]:
        """Return presets: the guide's values, one fast GPU, a CPU."""
        return {"guide": GUIDE, "fast": FAST, "tiny": TINY}

    def network(self) -> AlexNet:
        """Create the network.

        Raises:
            UsageError: it is for pictures of another size than the data's.
        """
        side = self.config.data.side
        if {side, self.config.data.evaluate_side or side} != {self.config.model.side}:
            raise UsageError(
                f"model.side is {self.config.model.side}, and the data's is {side}",
                f"set model.side={side}; its full layers fit one size only",
            )
        return AlexNet(self.config.model)

    def groups(self, model: nn.Module) -> list[dict[str, Any]]:
        """Return one group: the guide decays everything, biases too."""
        trained = [p for p in model.parameters() if p.requires_grad]
        return [{"params": trained, "weight_decay": self.config.train.optimizer.weight_decay}]

    def loss(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the cross entropy, and the penalty that is in the guide's total loss."""
        return {**super().loss(model, batch), "l2": self.penalty(model)}

    def training_line(self, progress: Progress) -> str:
        """Format as the guide does; its batch time is that of all steps since the last line."""
        seconds = progress.seconds_per_step * self.config.train.log_every
        return (
            f"step:{progress.step:6d}  epoch:{progress.values['epoch']:5.1f}"
            f"  FPS:{progress.samples_per_second:7.1f}, loss:{progress.loss:6.3f},"
            f" total_loss:{progress.loss + progress.values['l2']:6.3f}  lr:{progress.lr:7.5f}"
            f"  batch_time:{seconds:3.6f}"
        )

    def evaluation_lines(self, step: int, values: Mapping[str, float]) -> Sequence[str]:
        """Format as the guide's table."""
        return evaluation_table(step, values)
