"""Which samples a step trains on: a pure function, so that resuming needs only the step.

Epoch ``e`` is a permutation that belongs to the seed and ``e``. Its global batches follow each
other in it, and the ranks divide each among them, so that two ranks with batches of ``B`` train on
the same samples as one with ``2B``. Samples after the last whole batch of an epoch are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from ascendify.errors import UsageError
from ascendify.zoo.recipe import generator


class SampleOrder:
    """The order of training samples."""

    def __init__(self, size: int, batch: int, seed: int, rank: int = 0, world: int = 1) -> None:
        self.size = size
        self.rank = rank
        self.world = world
        self.seed = seed
        self.whole = batch * world
        """Samples of a step, over all ranks."""
        self.steps_per_epoch = size // self.whole
        if batch < 1 or self.steps_per_epoch < 1:
            raise UsageError(
                f"a step takes {self.whole} samples (train.batch={batch}, "
                f"{world} rank{'s' * (world > 1)}), and the training set has {size}",
                f"set train.batch from 1 to {size // world}" if size >= world else "add data",
            )
        self._epoch = -1
        self._permutation = torch.empty(0, dtype=torch.int64)

    def indices(self, step: int) -> Tensor:
        """Return the samples of this rank in a step; the first step is 0."""
        epoch, position = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:
            source = generator(self.seed, epoch)
            self._permutation = torch.randperm(self.size, generator=source)
            self._epoch = epoch
        first = position * self.whole
        return self._permutation[first + self.rank : first + self.whole : self.world]

    def numbers(self, step: int) -> Tensor:
        """Return the samples of a step, and in each number how often all were seen before it.

        Data whose samples are drawn anew in every epoch read them by these numbers.
        """
        return self.indices(step) + step // self.steps_per_epoch * self.size


@dataclass(frozen=True)
class EvaluationBatch:
    """A batch of an evaluation."""

    indices: Tensor
    valid: Tensor
    """Which are samples; the others repeat the last one, so that all batches have one size."""


def evaluation_batches(
    size: int, batch: int, rank: int = 0, world: int = 1
) -> Iterator[EvaluationBatch]:
    """Yield this rank's batches of an evaluation, which uses every sample once."""
    for first in range(rank * batch, size, batch * world):
        wanted = torch.arange(first, first + batch)
        yield EvaluationBatch(wanted.clamp(max=size - 1), wanted < size)
