"""Recipe: what the training loop needs of a network, its model, data, loss and metrics."""

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
"""Tensors whose first dimension is the sample; pictures are uint8, as stored."""


class Data(Protocol):
    """Samples by number; each is a dictionary of arrays, the same keys and shapes for all.

    An optional attribute ``notes`` has lines for the log that the user should see; ``classes`` the
    names of the labels, which are saved with the weights as an extra of that name. Where an
    optional ``varies`` is true, samples are drawn anew in every epoch: a number past the last
    sample is one of a later epoch.
    """

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Mapping[str, Any]: ...


def varies(data: Data) -> bool:
    """Whether samples are drawn anew in every epoch."""
    return bool(getattr(data, "varies", False))


class Config(Protocol):
    """The configuration of a network; it also has ``model`` and ``data``, of types of its own."""

    @property
    def train(self) -> Training:
        """Settings that every network has."""
        ...


@dataclass(frozen=True)
class Progress:
    """The state of a run when a line is logged."""

    step: int
    """Steps done."""
    loss: float
    lr: float
    samples_per_second: float
    seconds_per_step: float
    values: Mapping[str, float]
    """Other values that the loss returned, by name, and ``epoch``: how often all were seen."""


@dataclass(frozen=True)
class Prediction:
    """What a network read in a picture."""

    text: str
    confidence: float
    """From 0 to 1."""
    pictures: Mapping[str, Image.Image]
    """Pictures for people by kind: always ``annotated``, others depend on the network."""


class Metrics(ABC):
    """Counts over an evaluation, summed over ranks before they are divided."""

    @abstractmethod
    def update(self, outputs: Any, batch: Batch, valid: Tensor) -> None:
        """Count a batch; ``valid`` marks the samples that are not padding."""

    @abstractmethod
    def sums(self) -> Tensor:
        """Return all counts as one float64 vector on the CPU, to be summed over the ranks."""

    @abstractmethod
    def compute(self, sums: Tensor) -> dict[str, float]:
        """Compute the metrics by name, always including ``samples``."""


C = TypeVar("C", bound=Config)


class Recipe(ABC, Generic[C]):
    """A network with everything needed to train it; its only state is the configuration."""

    name: ClassVar[str]
    """As on the command line."""
    headline: ClassVar[str]
    """The metric by which one checkpoint is better than another; larger is better."""

    def __init__(self, config: C) -> None:
        self.config = config

    @classmethod
    @abstractmethod
    def presets(cls) -> Mapping[str, C]:
        """Return complete configurations by name, to start a run from; the first is the default."""

    @abstractmethod
    def model(self) -> nn.Module:
        """Create a model, initialised from torch's global generator."""

    def compile(self, model: nn.Module) -> None:
        """Compile, in place, the parts of a model that become faster; by default all."""
        compile_in_place(model)

    @abstractmethod
    def data(self, split: Split, source: Path | None) -> Data:
        """Return the samples of a split, from the user's folder, or rendered if it is None."""

    @abstractmethod
    def loss(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return ``loss``, a mean over the batch to be minimised, and other values to log.

        Call the model once, as ``model(...)``: with several ranks it is wrapped, and its methods
        and attributes are not available.
        """

    def augment(self, batch: Batch) -> Batch:
        """Change a training batch at random, on its device; by default not at all."""
        return batch

    @abstractmethod
    def outputs(self, model: nn.Module, batch: Batch) -> Any:
        """Return what the metrics need of a batch."""

    @abstractmethod
    def metrics(self) -> Metrics:
        """Create metrics that have counted nothing yet."""

    def warm_start(self, model: nn.Module) -> None:
        """Put weights of another training into a model that begins; by default none."""

    def extras(self) -> dict[str, Any]:
        """Return plain values and tensors to save with the weights, such as a charset."""
        return {}

    def floor(self) -> float:
        """Return the loss of a perfect model; above zero with label smoothing."""
        return 0.0

    @abstractmethod
    def training_line(self, progress: Progress) -> str:
        """Format the log line of a training step as the network's guide does."""

    @abstractmethod
    def evaluation_lines(self, step: int, values: Mapping[str, float]) -> Sequence[str]:
        """Format the log lines of an evaluation as the network's guide does."""

    def example_inputs(self, samples: int) -> tuple[Tensor, ...]:
        """Return inputs to trace the model with for an export, as ``forward`` takes them."""
        raise NotImplementedError(f"{self.name} has no export")

    def legend(self) -> dict[str, Any]:
        """Describe inputs and outputs for users of an exported file, by name.

        Texts or plain values; the file has them in its metadata, together with ``extras``.
        """
        return {}

    def predict(
        self, model: nn.Module, pictures: Sequence[Path], extras: Mapping[str, Any]
    ) -> Sequence[Prediction]:
        """Read picture files with a model from ``trained_model.load``.

        Raises:
            UsageError: one cannot be read.
        """
        raise NotImplementedError(f"{self.name} has no prediction")

    def groups(self, model: nn.Module) -> list[dict[str, Any]]:
        """Return the optimizer's parameter groups."""
        decay = self.config.train.optimizer.weight_decay
        named = [p for p in model.parameters() if p.requires_grad]
        weights = [p for p in named if p.ndim >= 2]
        others = [p for p in named if p.ndim < 2]
        return [
            {"params": weights, "weight_decay": decay},
            {"params": others, "weight_decay": 0.0},
        ]


def generator(seed: int, *numbers: int) -> torch.Generator:
    """Create a generator on the CPU whose stream depends on these numbers alone."""
    state = seed
    for number in numbers:
        state = (state * 6364136223846793005 + number + 1442695040888963407) % 2**63
    return torch.Generator().manual_seed(state)
