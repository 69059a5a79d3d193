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
    """Top-1 and top-5 accuracy, and the mean loss."""

    def __init__(self) -> None:
        self._sums = torch.zeros(4, dtype=torch.float64)

    def update(self, outputs: ClassOutput, batch: Batch, valid: Tensor) -> None:
        """Count a batch."""
        labels = batch["labels"][valid]
        logits = outputs.logits[valid].float()
        # as TensorFlow's in_top_k: what is as likely as the fifth counts as one of five
        ahead = (logits > logits.gather(1, labels[:, None])).sum(1)
        counted = (logits.argmax(1) == labels, ahead < _FIVE, outputs.losses[valid], valid)
        self._sums += torch.stack([each.double().sum() for each in counted]).cpu()

    def sums(self) -> Tensor:
        """Return all counts as one vector."""
        return self._sums

    def compute(self, sums: Tensor) -> dict[str, float]:
        """Compute top-1 and top-5 accuracy and the mean loss."""
        samples = sums[3].item()
        top1, top5, loss = (sums[:3] / max(samples, 1)).tolist()
        return {"top1": top1, "top5": top5, "loss": loss, "samples": samples}


def class_output(logits: Tensor, labels: Tensor) -> ClassOutput:
    """Return what the metrics need of a batch."""
    return ClassOutput(logits, functional.cross_entropy(logits.float(), labels, reduction="none"))
