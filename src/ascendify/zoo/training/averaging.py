"""A moving average of a model, which evaluation then uses.

torch's AveragedModel checks on the host whether it has averaged before, so it cannot be captured in
a CUDA graph, and its decay cannot depend on the count. The formula is the same.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn


class WeightAverage:
    """The average of weights and of buffers, BatchNorm's statistics among them.

    The decay is TensorFlow's with ``num_updates``: min(decay, (1 + n) / (10 + n)), n the updates
    before this one, so that the first steps do not influence it for thousands. The model must be
    on its device already.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        for module in self.model.modules():
            if isinstance(module, nn.RNNBase):
                module.flatten_parameters()  # or cuDNN warns: copied weights are scattered
        self.decay = decay
        pairs = list(zip(_tensors(self.model), _tensors(model)))
        floats = [pair for pair in pairs if pair[0].is_floating_point()]
        others = [pair for pair in pairs if not pair[0].is_floating_point()]
        self._averages, self._values = [a for a, _ in floats], [v for _, v in floats]
        self._copies, self._originals = [c for c, _ in others], [o for _, o in others]
        device = self._averages[0].device
        self.updates = torch.zeros((), dtype=torch.int64, device=device)

    @torch.no_grad()
    def update(self) -> None:
        """Add the current model to the average; integer buffers are copied."""
        n = self.updates.double()
        decay = ((1 + n) / (10 + n)).clamp(max=self.decay)
        change = torch._foreach_sub(self._values, self._averages)
        torch._foreach_mul_(change, (1 - decay).float())
        torch._foreach_add_(self._averages, change)
        if self._copies:
            torch._foreach_copy_(self._copies, self._originals)
        self.updates += 1

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint."""
        return {"model": self.model.state_dict(), "updates": self.updates}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint."""
        self.model.load_state_dict(state["model"])
        self.updates.copy_(state["updates"])


def _tensors(model: nn.Module) -> list[Tensor]:
    return list(itertools.chain(model.parameters(), model.buffers()))
