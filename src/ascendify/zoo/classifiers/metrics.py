"""Accuracy of classifiers: the share of pictures whose class is the best or among the best five."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from ascendify.zoo.recipe import Batch, Metrics

_FIVE = 5


class ClassOutput(NamedTuple):
    """What a network says of a batch."""

    logits: Tensor
    """[B, classes]."""
    losses: Tensor
    """[B], without label smoothing."""


class ClassMetrics(Metrics):
    """Top-1, top-5, mean loss, and how often each class was taken for each other."""

    def __init__(self, classes: int) -> None:
        self._classes = classes
        self._right = torch.zeros(2, dtype=torch.float64)
        self._loss = torch.zeros((), dtype=torch.float64)
        self._confusion = torch.zeros(classes, classes, dtype=torch.float64)

    def update(self, outputs: ClassOutput, batch: Batch, valid: Tensor) -> None:
        """Count a batch."""
        labels = batch["labels"][valid]
        logits = outputs.logits[valid].float()
        # as TensorFlow's in_top_k: what is as likely as the fifth counts as one of five
        ahead = (logits > logits.gather(1, labels[:, None])).sum(1)
        best = logits.argmax(1)
        self._right += torch.stack([best == labels, ahead < _FIVE]).double().sum(1).cpu()
        self._loss += outputs.losses[valid].double().sum().cpu()
        pairs = (labels * self._classes + best).cpu()
        counts = torch.bincount(pairs, minlength=self._classes**2)
        self._confusion += counts.view_as(self._confusion)

    def sums(self) -> Tensor:
        """Return all counts as one vector."""
        return torch.cat([self._right, self._loss[None], self._confusion.flatten()])

    def compute(self, sums: Tensor) -> dict[str, float]:
        """Compute top-1 and top-5 accuracy and the mean loss."""
        samples = sums[3:].sum().item()
        top1, top5, loss = (sums[:3] / max(samples, 1)).tolist()
        return {"top1": top1, "top5": top5, "loss": loss, "samples": samples}

    def confusion(self, sums: Tensor) -> Tensor:
        """Return how many pictures of each class (row) were taken for each (column)."""
        return sums[3:].view(self._classes, self._classes)


def class_output(logits: Tensor, labels: Tensor) -> ClassOutput:
    """Return what the metrics need of a batch."""
    return ClassOutput(logits, functional.cross_entropy(logits.float(), labels, reduction="none"))
