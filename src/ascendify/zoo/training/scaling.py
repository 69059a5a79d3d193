"""Loss scaling with the rules of the guides' ``ExponentialUpdateLossScaleManager``.

Good steps must follow each other for the scale to grow; bad steps add up, in a row or not, for it
to shrink; both counts start again when the scale is set. It never falls below 1 and never grows
to infinity. ``torch.amp.GradScaler`` shrinks at every bad step, hence this one.

The state is tensors on the device and no number is read back, so a step can be captured as a CUDA
graph. A bad step must change no weight: fused optimizers get ``found_inf`` and skip the step on the
device; for the others ``step`` reads ``bad`` on the host, which waits for the device and cannot be
captured.

Ranks agree on bad steps without communication: an infinity in one rank's gradients is in the sum
of all ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor
from torch.optim import Optimizer

from ascendify.zoo.config import LossScale

State = dict[str, Tensor]


class LossScaler:
    """Keeps gradients of 16 bits in range: none, a constant, or the dynamic scale."""

    def __init__(self, config: LossScale, device: torch.device | str = "cpu") -> None:
        self.config = config
        self.scale = torch.tensor(config.start, dtype=torch.float32, device=device)
        self.good = torch.zeros((), dtype=torch.int32, device=device)
        self.bad = torch.zeros((), dtype=torch.int32, device=device)

    def scale_loss(self, loss: Tensor) -> Tensor:
        """Return the scaled loss for the backward pass."""
        return loss if self.config.kind == "none" else loss.float() * self.scale

    @torch.no_grad()
    def unscale(self, parameters: Iterable[Tensor]) -> Tensor:
        """Divide the gradients by the scale; return whether any is NaN or infinite."""
        grads = [p.grad for p in parameters if p.grad is not None]
        found = torch.zeros((), dtype=torch.float32, device=self.scale.device)
        if self.config.kind != "none" and grads:
            inverse = self.scale.double().reciprocal().float()
            # as GradScaler: one pass, and on an NPU the overflow register is checked too
            torch._amp_foreach_non_finite_check_and_unscale_(grads, found, inverse)
        return found > 0

    def step(self, optimizer: Optimizer, bad: Tensor) -> None:
        """Step the optimizer unless the step is bad; ``bad`` is the result of ``unscale``."""
        if self.config.kind == "none":
            optimizer.step()
        elif optimizer.defaults.get("fused"):
            optimizer.found_inf = bad.float()  # type: ignore[attr-defined] # as GradScaler does
            optimizer.step()
            del optimizer.found_inf  # type: ignore[attr-defined] # the same
        elif not bad:
            optimizer.step()

    @torch.no_grad()
    def update(self, bad: Tensor) -> None:
        """Count a step and set the scale for the next."""
        if self.config.kind != "dynamic":
            return
        good_steps = self.good + 1
        bad_steps = self.bad + 1
        grow = ~bad & (good_steps >= self.config.grow_every)
        shrink = bad & (bad_steps >= self.config.shrink_every)
        larger = self.scale * self.config.grow
        larger = torch.where(torch.isfinite(larger), larger, self.scale)
        smaller = (self.scale * self.config.shrink).clamp(min=1.0)
        self.good.copy_(torch.where(bad | grow, 0, good_steps))
        self.bad.copy_(torch.where(grow | shrink, 0, torch.where(bad, bad_steps, self.bad)))
        self.scale.copy_(torch.where(grow, larger, torch.where(shrink, smaller, self.scale)))

    def state_dict(self) -> State:
        """Return the state for a checkpoint; empty for a scale that never changes."""
        return {name: tensor.cpu().clone() for name, tensor in self._state().items()}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        """Restore the state of a checkpoint; start anew if it had no dynamic scale."""
        for name, tensor in self._state().items():
            tensor.copy_(state.get(name, tensor))

    def _state(self) -> State:
        if self.config.kind != "dynamic":
            return {}
        return {"scale": self.scale, "good": self.good, "bad": self.bad}
