"""What the training loop must know of a network: its model, data, loss and metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

import torch
from PIL import Image
from torch import Tensor, nn

from ascendify.zoo.config import Training
from ascendify.zoo.kernels import compile_in_place

Split = Literal["train", "test"]
Batch = dict[str, Tensor]
"""Tensors whose first dimension is the samples'; pictures are uint8, as they are stored."""


class Data(Protocol):
    """Samples by number; each is a dictionary of arrays, the same keys and shapes for all.

    What whoever gave them should know may stand in ``notes``, lines for the log.
    """

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Mapping[str, Any]: ...


class Config(Protocol):
    """The configuration of a network; it also has ``model`` and ``data``, of types of its own."""

    @property
    def train(self) -> Training:
        """What is the same for every network."""
        ...


@dataclass(frozen=True)
class Progress:
    """Where a run stands when a line is logged."""

    step: int
    """Steps done."""
    loss: float
    lr: float
    samples_per_second: float
    seconds_per_step: float
    values: Mapping[str, float]
    """What else the loss has told, by name."""


@dataclass(frozen=True)
class Prediction:
    """What a network makes of a picture."""

    text: str
    confidence: float
    """From 0 to 1."""
    pictures: Mapping[str, Image.Image]
    """To look at, by what they show: ``annotated`` always, others as a network has them."""


class Metrics(ABC):
    """Counts over an evaluation, summed over ranks before they are divided."""

    @abstractmethod
    def update(self, outputs: Any, batch: Batch, valid: Tensor) -> None:
        """Count a batch; ``valid`` says which samples are no padding."""

    @abstractmethod
    def sums(self) -> Tensor:
        """All counts, one float64 vector on the CPU; ranks add theirs up."""

    @abstractmethod
    def compute(self, sums: Tensor) -> dict[str, float]:
        """The metrics by name; always has ``samples``."""


C = TypeVar("C", bound=Config)


class Recipe(ABC, Generic[C]):
    """A network with everything that training it needs; holds no state but its configuration."""

    name: ClassVar[str]
    """As on the command line."""
    headline: ClassVar[str]
    """The metric by which one checkpoint is better than another; larger is better."""

    def __init__(self, config: C) -> None:
        self.config = config

    @classmethod
    @abstractmethod
    def presets(cls) -> Mapping[str, C]:
        """Whole configurations by name: where a run starts from. The first is the default."""

    @abstractmethod
    def model(self) -> nn.Module:
        """A fresh model; its numbers come from torch's global generator."""

    def compile(self, model: nn.Module) -> None:
        """Have those parts of a model compiled, in place, that gain by it; by default all."""
        compile_in_place(model)

    @abstractmethod
    def data(self, split: Split, source: Path | None) -> Data:
        """The samples of a split, from a folder of the user's, or rendered where None is given."""

    @abstractmethod
    def loss(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """``loss``, to be minimised, a mean over the batch; and what else is worth telling.

        The model is called once, as ``model(...)``: with several ranks it is wrapped, so its
        methods and attributes are not there.
        """

    def augment(self, batch: Batch) -> Batch:
        """A training batch changed at random, on its device; by default as it is."""
        return batch

    @abstractmethod
    def outputs(self, model: nn.Module, batch: Batch) -> Any:
        """What the metrics need of a batch."""

    @abstractmethod
    def metrics(self) -> Metrics:
        """A fresh count."""

    def extras(self) -> dict[str, Any]:
        """What a checkpoint keeps beside the weights, such as a charset: plain values, tensors."""
        return {}

    def floor(self) -> float:
        """The loss of a perfect model, which label smoothing lifts above zero."""
        return 0.0

    @abstractmethod
    def training_line(self, progress: Progress) -> str:
        """The line of the network's guide for a training step."""

    @abstractmethod
    def evaluation_lines(self, step: int, values: Mapping[str, float]) -> Sequence[str]:
        """The lines of the network's guide for an evaluation."""

    def example_inputs(self, samples: int) -> tuple[Tensor, ...]:
        """What the model is traced with for an export: float inputs as ``forward`` takes them."""
        raise NotImplementedError(f"{self.name} has no export")

    def legend(self) -> dict[str, Any]:
        """What one must know of inputs and outputs to use an exported file, by name.

        Texts or plain values; the file carries them, and ``extras`` beside them.
        """
        return {}

    def predict(
        self, model: nn.Module, pictures: Sequence[Path], extras: Mapping[str, Any]
    ) -> Sequence[Prediction]:
        """What a trained model, as ``trained.load`` has it, makes of the pictures of some files.

        Raises:
            UsageError: one cannot be read.
        """
        raise NotImplementedError(f"{self.name} has no prediction")

    def groups(self, model: nn.Module) -> list[dict[str, Any]]:
        """The optimizer's parameter groups."""
        decay = self.config.train.optimizer.weight_decay
        named = [p for p in model.parameters() if p.requires_grad]
        weights = [p for p in named if p.ndim >= 2]
        others = [p for p in named if p.ndim < 2]
        return [
            {"params": weights, "weight_decay": decay},
            {"params": others, "weight_decay": 0.0},
        ]


def generator(seed: int, *numbers: int) -> torch.Generator:
    """A generator on the CPU whose stream belongs to these numbers alone."""
    state = seed
    for number in numbers:
        state = (state * 6364136223846793005 + number + 1442695040888963407) % 2**63
    return torch.Generator().manual_seed(state)
