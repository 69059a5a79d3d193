"""When a run should stop early."""

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
        """Take in an evaluation; whether it is the best so far."""
        better = value > self.best
        self.best = value if better else self.best
        self.worse = 0 if better else self.worse + 1
        return better

    @property
    def stop(self) -> bool:
        """Whether to stop; never where no patience is set."""
        return self.patience is not None and self.worse >= self.patience

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"best": self.best, "worse": self.worse}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.best, self.worse = state["best"], state["worse"]


class PlateauStopping:
    """The rule of the CRNN guide, on the loss of every step.

    With p at 1 to begin with: where the loss has fallen by more than ``delta`` against that of p
    steps ago, p is 1 again, else it grows by one; past ``patience`` the run stops. As losses of
    single batches jump about, this stops most runs within a few hundred steps; hence it is no
    default.
    """

    def __init__(self, patience: int = 6, delta: float = 1e-3) -> None:
        self.patience = patience
        self.delta = delta
        self.counter = 1
        self.history: list[float] = [float("inf")]

    def update(self, loss: float) -> None:
        """Take in the loss of a step."""
        self.history = [*self.history[-self.patience - 1 :], loss]
        fallen = self.history[-1 - self.counter] - self.history[-1]
        self.counter = 1 if fallen > self.delta else self.counter + 1

    @property
    def stop(self) -> bool:
        """Whether to stop."""
        return self.counter > self.patience

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"counter": self.counter, "history": list(self.history)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.counter, self.history = state["counter"], list(state["history"])
