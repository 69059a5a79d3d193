"""LARS with the momentum of TensorFlow's: the rate and the trust are in what is accumulated.

torch's SGD multiplies the accumulated gradients with the rate; here each gradient is multiplied
with its step's rate and trust, and then accumulated, as ``tf.contrib.opt.LARSOptimizer`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Optional

import torch
from torch import Tensor
from torch.optim import Optimizer


class Lars(Optimizer):
    """Layer-wise adaptive rates; groups without weight decay are trained by plain momentum."""

    def __init__(
        self,
        groups: Iterable[dict[str, Any]],
        lr: float | Tensor,
        momentum: float = 0.9,
        trust: float = 0.001,
        epsilon: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "trust": trust,
            "epsilon": epsilon,
            "nesterov": nesterov,
            "weight_decay": 0.0,
        }
        super().__init__(groups, defaults)

    @torch.no_grad()
    def step(self, closure: Optional[Callable[[], float]] = None) -> Optional[float]:  # type: ignore[override]
        """Change the weights by their gradients; nothing is read back from the device."""
        loss = None if closure is None else closure()
        for group in self.param_groups:
            weights = [p for p in group["params"] if p.grad is not None]
            for weight in weights:
                self._step(weight, group)
        return loss

    def _step(self, weight: Tensor, group: dict[str, Any]) -> None:
        decay, momentum = group["weight_decay"], group["momentum"]
        gradient: Tensor = weight.grad  # type: ignore[assignment] # those without are left out
        rate: Any = group["lr"]
        if decay:
            norm, slope = weight.norm(), gradient.norm()
            trusted = group["trust"] * norm / (slope + decay * norm + group["epsilon"])
            rate = rate * torch.where((norm > 0) & (slope > 0), trusted, torch.ones_like(norm))
            gradient = gradient + decay * weight
        state = self.state[weight]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(weight)
        moved = gradient * rate
        buffer = state["momentum_buffer"].mul_(momentum).add_(moved)
        weight.sub_(moved + momentum * buffer if group["nesterov"] else buffer)
