"""What the recipes of classifiers share; each adds its model, presets and log lines."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from ascendify.errors import UsageError
from ascendify.zoo import weights
from ascendify.zoo.augmentation import geometry
from ascendify.zoo.augmentation.operations import compile_policy
from ascendify.zoo.augmentation.tensors import AutoAugment
from ascendify.zoo.classifiers.metrics import ClassMetrics, ClassOutput, class_output
from ascendify.zoo.classifiers.predict import Seen, annotate, classify
from ascendify.zoo.classifiers.settings import ClassLoss, PictureData, TransferSettings
from ascendify.zoo.config import Training
from ascendify.zoo.recipe import Batch, Data, Metrics, Prediction, Recipe, Split
from ascendify.zoo.sets.photos import Cut
from ascendify.zoo.sets.pictures import FewPictures, SyntheticPictures, open_pictures


class ClassifierModel(Protocol):
    """Settings of a network that classifies."""

    @property
    def classes(self) -> int:
        """Number of classes."""
        ...


class ClassifierConfig(Protocol):
    """Settings of a classifier's training."""

    @property
    def model(self) -> ClassifierModel:
        """Shape of the network."""
        ...

    @property
    def data(self) -> PictureData:
        """Pictures."""
        ...

    @property
    def loss(self) -> ClassLoss:
        """The loss."""
        ...

    @property
    def transfer(self) -> TransferSettings:
        """First weights."""
        ...

    @property
    def train(self) -> Training:
        """Settings that every network has."""
        ...


C = TypeVar("C", bound=ClassifierConfig)


class ClassifierRecipe(Recipe[C]):
    """A network that says what a picture shows, with everything needed to train it."""

    headline = "top1"
    head: ClassVar[str]
    """Name of the last layer's module."""

    @abstractmethod
    def network(self) -> nn.Module:
        """Create the network with its first weights."""

    def model(self) -> nn.Module:
        """Create the network; only its last layer can be trained if the settings say so."""
        model = self.network()
        if self.config.transfer.train == "head":
            for name, parameter in model.named_parameters():
                parameter.requires_grad_(name.startswith(f"{self.head}."))
        return model

    def warm_start(self, model: nn.Module) -> None:
        """Put the weights of another training into a model that begins.

        Raises:
            UsageError: they do not fit.
        """
        transfer = self.config.transfer
        if transfer.init is None:
            return
        found = self.own_names(weights.read(Path(transfer.init)))
        exclude = [self.head if part == "head" else part for part in transfer.exclude]
        weights.load(model, found, exclude, transfer.init)

    def own_names(self, found: weights.Weights) -> weights.Weights:
        """Return weights of other tools under this network's names; by default as they are."""
        return found

    # --- data

    def data(self, split: Split, source: Path | None) -> Data:
        """Open pictures of a folder, or scanned digits, or made-up ones to measure speed.

        Raises:
            UsageError: they have more classes than the model.
        """
        wanted = self.config.data
        classes = self.config.model.classes
        if wanted.synthetic:
            names = tuple(map(str, range(classes)))
            return SyntheticPictures(wanted.synthetic, wanted.side, names, wanted.seed)
        side = wanted.side if split == "train" else wanted.evaluate_side or wanted.side
        cut = Cut(side, max(wanted.short_side, side), wanted.least_area, wanted.squash)
        pictures = open_pictures(source, split, cut, wanted.seed)
        if len(pictures.classes) > classes:
            shown = "the digits" if source is None else f"--data {source}"
            raise UsageError(
                f"{shown} has {len(pictures.classes)} classes, and the model {classes}",
                f"--num-classes {len(pictures.classes)}",
            )
        if wanted.per_class and split == "train":
            return FewPictures(pictures, wanted.per_class, wanted.seed)
        return pictures

    def augment(self, batch: Batch) -> Batch:
        """Change pictures at random as the settings say; Cutout and mixup come in ``loss``."""
        wanted = self.config.data.augmentation
        pictures = batch["images"]
        if wanted.padding:
            pictures = geometry.crop_padded(pictures, wanted.padding)
        if wanted.mirror:
            pictures = geometry.mirror(pictures)
        if wanted.policy != "none":
            side = pictures.shape[1]
            table = compile_policy(wanted.policy, side, wanted.convention)
            pictures = AutoAugment(table, side)(pictures)
        return {**batch, "images": pictures}

    def inputs(self, pictures: Tensor) -> Tensor:
        """Return pictures uint8 [B, H, W, 3] as the network takes them, normalised."""
        data = self.config.data
        mean, deviation = (
            torch.tensor(values, device=pictures.device).view(3, 1, 1)
            for values in (data.mean, data.deviation)
        )
        planes = (pictures.permute(0, 3, 1, 2).float() - mean) / deviation
        if planes.shape[2] in (data.side, data.evaluate_side):
            return planes
        # pictures of a set with one size, which is not the network's
        return functional.interpolate(planes, (data.side, data.side), mode="bilinear")

    # --- training

    def loss(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the mean cross entropy with smoothed labels; of mixed pictures, with both."""
        wanted = self.config.data.augmentation
        pictures, labels = self.inputs(batch["images"]), batch["labels"]
        if wanted.cutout and model.training:
            pictures = geometry.cut_out(pictures, wanted.cutout)
        if not (wanted.mixup and model.training):
            return {"loss": self._cross_entropy(model(pictures), labels)}
        share = _beta(wanted.mixup, pictures.device)
        other = labels.flip(0)
        logits = model(torch.lerp(pictures.flip(0), pictures, share))
        first, second = (self._cross_entropy(logits, each) for each in (labels, other))
        return {"loss": torch.lerp(second, first, share)}

    def _cross_entropy(self, logits: Tensor, labels: Tensor) -> Tensor:
        smoothing = self.config.loss.smoothing
        return functional.cross_entropy(logits.float(), labels, label_smoothing=smoothing)

    def penalty(self, model: nn.Module) -> Tensor:
        """Return what weight decay adds to the loss, for the log: half the squares of weights."""
        with torch.no_grad():
            parts = [
                group["weight_decay"]
                / 2
                * torch.stack(torch._foreach_norm(group["params"])).square()
                for group in self.groups(model)
                if group["params"]
            ]
        return torch.cat(parts).sum()

    def floor(self) -> float:
        """Return the loss of a perfect model: the entropy of smoothed labels."""
        classes, smoothing = self.config.model.classes, self.config.loss.smoothing
        spread = torch.full((classes,), smoothing / classes, dtype=torch.float64)
        spread[0] += 1 - smoothing
        return float(torch.special.entr(spread).sum())

    # --- evaluation

    def outputs(self, model: nn.Module, batch: Batch) -> ClassOutput:
        """Return the logits and losses of a batch."""
        return class_output(model(self.inputs(batch["images"])), batch["labels"])

    def metrics(self) -> Metrics:
        """Create metrics that have counted nothing yet."""
        return ClassMetrics()

    def predict(
        self, model: nn.Module, pictures: Sequence[Path], extras: Mapping[str, Any]
    ) -> Sequence[Prediction]:
        """Say what pictures show; the five likeliest classes are drawn beside each."""
        wanted = self.config.data
        side = wanted.evaluate_side or wanted.side
        cut = Cut(side, max(wanted.short_side, side), 1.0, wanted.squash)
        device = next(model.parameters()).device
        known = extras["classes"]
        names = [*known, *map(str, range(len(known), self.config.model.classes))]

        def logits(batch: Tensor) -> Tensor:
            return model(self.inputs(batch.to(device)))  # type: ignore[no-any-return]

        seen: list[Seen] = classify(pictures, cut, logits, names)
        return [
            Prediction(each.best[0].name, each.best[0].probability, {"annotated": annotate(each)})
            for each in seen
        ]

    def example_inputs(self, samples: int) -> tuple[Tensor, ...]:
        """Return pictures of zeros."""
        side = self.config.data.evaluate_side or self.config.data.side
        return (torch.zeros(samples, 3, side, side),)

    def legend(self) -> dict[str, Any]:
        """Describe how pictures become inputs, and outputs a class."""
        data = self.config.data
        side = data.evaluate_side or data.side
        return {
            "images": f"float32 [pictures, 3, {side}, {side}]; red, green, blue; the middle of the"
            f" picture, its short side {max(data.short_side, side)} pixels",
            "normalisation": {
                "of": "pixels from 0 to 255",
                "minus": list(data.mean),
                "divided by": list(data.deviation),
            },
            "logits": "float32 [pictures, classes], before the softmax",
            "decoding": "classes[the greatest]",
        }


def for_digits(data: PictureData, side: int) -> PictureData:
    """Return settings for the scanned digits: small, grey, and never mirrored."""
    grey = (127.5, 127.5, 127.5)
    return replace(data, side=side, short_side=side, mean=grey, deviation=grey)


def _beta(parameter: float, device: torch.device) -> Tensor:
    """Draw the share of the first picture, from a beta distribution, on the device."""
    end = torch.tensor(parameter, device=device)
    drawn: Tensor = torch.distributions.Beta(end, end, validate_args=False).sample()
    return drawn
