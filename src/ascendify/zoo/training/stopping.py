"""Rules for stopping a run early."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class EarlyStopping:
    """Stop after so many evaluations without a better value; larger is better."""

    def __init__(self, patience: int | None) -> None:
        self.patience = patience
        self.best = float("-inf")
        self.worse = 0

    def update(self, value: float) -> bool:
        """Record an evaluation, and return whether it is the best so far."""
        better = value > self.best
        self.best = value if better else self.best
        self.worse = 0 if better else self.worse + 1
        return better

    @property
    def stop(self) -> bool:
        """Whether to stop; never if no patience is set."""
        return self.patience is not None and self.worse >= self.patience

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint."""
        return {"best": self.best, "worse": self.worse}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint."""
        self.best, self.worse = state["best"], state["worse"]


class PlateauStopping:
    """The rule of the CRNN guide, on the loss of every step.

    ``counter`` starts at 1. If the loss is lower by more than ``delta`` than ``counter`` steps ago,
    ``counter`` is reset to 1, else it grows by one; above ``patience`` the run stops. Losses of
    single batches vary, so this stops most runs within a few hundred steps; it is off by default.
    """

    def __init__(self, patience: int = 6, delta: float = 1e-3) -> None:
        self.patience = patience
        self.delta = delta
        self.counter = 1
        self.history: list[float] = [float("inf")]

    def update(self, loss: float) -> None:
        """Record the loss of a step."""
        self.history = [*self.history[-self.patience - 1 :], loss]
        fallen = self.history[-1 - self.counter] - self.history[-1]
        self.counter = 1 if fallen > self.delta else self.counter + 1

    @property
    def stop(self) -> bool:
        """Whether to stop."""
        return self.counter > self.patience

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint."""
        return {"counter": self.counter, "history": list(self.history)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint."""
        self.counter, self.history = state["counter"], list(state["history"])
