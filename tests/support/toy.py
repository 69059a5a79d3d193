"""A network that trains in a moment: a perceptron that tells which half of space a vector is in."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Optional, Union

import torch
from torch import Tensor, nn
from torch.nn import functional

from ascendify.errors import UsageError
from ascendify.zoo.config import Optimizer, Training
from ascendify.zoo.recipe import Batch, Data, Metrics, Progress, Recipe, Split, generator


@dataclass(frozen=True)
class Model:
    width: int = 16
    dropout: float = 0.0
    layers: tuple[int, ...] = ()
    norm: bool = False
    activation: Literal["relu", "tanh"] = "relu"


@dataclass(frozen=True)
class Samples:
    train: int = 64
    test: int = 21
    noise: Optional[float] = None
    cache: Union[bool, Literal["auto"]] = "auto"
    folder: Optional[Path] = None
    spoilt: int = -1
    """A sample whose numbers are none."""
    damaged: int = -1
    """A sample that cannot be read."""
    interrupted: int = -1
    """A sample whose reading ends with Ctrl-C."""


@dataclass(frozen=True)
class Config:
    model: Model = field(default_factory=Model)
    data: Samples = field(default_factory=Samples)
    train: Training = field(
        default_factory=lambda: Training(
            steps=12, batch=8, log_every=1, evaluate_every=4, optimizer=Optimizer(lr=0.05)
        )
    )


class Vectors:
    def __init__(self, size: int, split: Split, config: Samples) -> None:
        self._size = size
        self._split = split
        self._config = config

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> Mapping[str, Any]:
        if self._split == "train" and index == self._config.damaged:
            raise UsageError(f"sample {index} is damaged", "copy it again")
        if self._split == "train" and index == self._config.interrupted:
            os.kill(os.getpid(), signal.SIGINT)
        values = torch.randn(6, generator=generator(7, self._split == "test", index))
        label = int(values.sum() > 0)
        if self._split == "train" and index == self._config.spoilt:
            values[0] = float("nan")
        return {"values": values.numpy(), "label": label}


class Counts(Metrics):
    def __init__(self) -> None:
        self._sums = torch.zeros(3, dtype=torch.float64)

    def update(self, outputs: Tensor, batch: Batch, valid: Tensor) -> None:
        right = (outputs.argmax(1) == batch["label"]) & valid
        loss = functional.cross_entropy(outputs.float(), batch["label"], reduction="none")
        counts = torch.stack([valid.sum(), right.sum(), (loss * valid).sum()])
        self._sums += counts.cpu().double()

    def sums(self) -> Tensor:
        return self._sums

    def compute(self, sums: Tensor) -> dict[str, float]:
        samples, right, loss = sums.tolist()
        return {"samples": samples, "accuracy": right / samples, "loss": loss / samples}


class Toy(Recipe[Config]):
    name = "toy"
    headline = "accuracy"

    @classmethod
    def presets(cls) -> Mapping[str, Config]:
        return {"plain": Config(), "wide": Config(model=Model(width=32))}

    def model(self) -> nn.Module:
        wide = self.config.model.width
        return nn.Sequential(
            nn.Linear(6, wide),
            nn.BatchNorm1d(wide, momentum=0.5) if self.config.model.norm else nn.Identity(),
            nn.ReLU(),
            nn.Dropout(self.config.model.dropout),
            nn.Linear(wide, 2),
        )

    def data(self, split: Split, source: Path | None) -> Data:
        config = self.config.data
        return Vectors(config.train if split == "train" else config.test, split, config)

    def loss(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        logits = model(batch["values"])
        loss = functional.cross_entropy(logits.float(), batch["label"])
        return {"loss": loss, "accuracy": (logits.argmax(1) == batch["label"]).float().mean()}

    def outputs(self, model: nn.Module, batch: Batch) -> Any:
        return model(batch["values"])

    def metrics(self) -> Metrics:
        return Counts()

    def extras(self) -> dict[str, Any]:
        return {"names": ["below", "above"]}

    def training_line(self, progress: Progress) -> str:
        return f"step {progress.step}: loss {progress.loss:.6f} lr {progress.lr:g}"

    def evaluation_lines(self, step: int, values: Mapping[str, float]) -> Sequence[str]:
        return [f"step {step}: accuracy {values['accuracy']:.4f} of {values['samples']:.0f}"]
