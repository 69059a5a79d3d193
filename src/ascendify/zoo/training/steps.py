"""One optimisation step: from a batch on the device to changed weights, without a wait.

Nothing is read back to the host, so a step can be queued while the one before still runs, or be
captured as a graph. Whether losses are finite is recorded on the device, and checked later.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ascendify.zoo.device import TrainingDevice
from ascendify.zoo.recipe import Batch, Recipe
from ascendify.zoo.training import graphs, optimizers
from ascendify.zoo.training.averaging import WeightAverage
from ascendify.zoo.training.graphs import GraphedStep, Step
from ascendify.zoo.training.scaling import LossScaler


class Stepper:
    """Trains a model, step by step."""

    def __init__(
        self,
        recipe: Recipe[Any],
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        scaler: LossScaler,
        average: WeightAverage | None,
        device: TrainingDevice,
    ) -> None:
        self.recipe = recipe
        self.model = model
        self.optimizer = optimizer
        self.scaler = scaler
        self.average = average
        self._device = device
        self._parameters = [p for p in model.parameters() if p.requires_grad]
        self._still_finite = torch.ones((), dtype=torch.int64, device=device.torch)
        self.finite_steps = torch.zeros((), dtype=torch.int64, device=device.torch)
        """Steps of this process before the first whose loss was NaN or infinite."""
        self._step: Step = self.step
        if recipe.config.train.graph and graphs.is_supported(device):
            self._step = GraphedStep(self.step)

    def __call__(self, batch: Batch, lr: float) -> dict[str, Tensor]:
        """Train on a batch with a learning rate; return the values of the recipe's loss."""
        optimizers.set_rate(self.optimizer, lr)
        return self._step(batch)

    def step(self, batch: Batch) -> dict[str, Tensor]:
        """Do all work of the step on the device."""
        config = self.recipe.config.train
        self.optimizer.zero_grad(set_to_none=True)
        with self._device.autocast(config.precision):
            values = self.recipe.loss(self.model, self.recipe.augment(batch))
        self.scaler.scale_loss(values["loss"]).backward()  # type: ignore[no-untyped-call]
        # with several ranks the gradients are means over all ranks here, so all agree on ``bad``
        bad = self.scaler.unscale(self._parameters)
        optimizers.clip(self._parameters, config.optimizer)
        self.scaler.step(self.optimizer, bad)
        self._count_finite_steps(values["loss"].detach(), bad)
        self.scaler.update(bad)
        if self.average is not None:
            self.average.update()
        return {name: value.detach() for name, value in values.items()}

    @torch.no_grad()
    def _count_finite_steps(self, loss: Tensor, bad: Tensor) -> None:
        """Count steps while losses are finite, or a dynamic scale can still be lowered."""
        finite_steps = torch.isfinite(loss)
        if self.scaler.config.kind == "dynamic":
            finite_steps |= bad & (self.scaler.scale > 1)
        self._still_finite *= finite_steps
        self.finite_steps += self._still_finite
