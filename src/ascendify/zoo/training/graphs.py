"""Run a training step as one CUDA graph: the host starts one graph, not a thousand kernels.

A graph reads and writes the same memory at every replay. So each batch is copied to the memory of
the first, and everything that changes between steps is a tensor: the learning rate, the loss scale,
counts. Random numbers differ between replays, by the seed that is set before each.
"""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import Tensor

from ascendify.errors import UsageError
from ascendify.zoo.config import Training
from ascendify.zoo.device import TrainingDevice
from ascendify.zoo.recipe import Batch
from ascendify.zoo.training import optimizers

Step = Callable[[Batch], dict[str, Tensor]]

_WARM_UP = 3
"""Steps before the capture, in which kernels are compiled and memory is allocated."""


def validate(config: Training) -> None:
    """Refuse a step that cannot be captured.

    Raises:
        UsageError: the host would have to read whether a scaled step is bad.
    """
    kind, scale = config.optimizer.kind, config.loss_scale.kind
    if config.graph and scale != "none" and kind not in optimizers.FUSED:
        raise UsageError(
            f"train.graph=true does not work with train.loss_scale.kind={scale} and "
            f"train.optimizer.kind={kind}, which cannot skip a bad step on the device",
            f"set train.graph=false, or another optimizer: {', '.join(optimizers.FUSED)}",
        )


def is_supported(device: TrainingDevice) -> bool:
    """Whether steps can be captured on a device."""
    return device.torch.type == "cuda" and device.world == 1


class GraphedStep:
    """A step that is captured after a few calls; every call trains on its batch once."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._stream: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self._calls = 0
        self._batch: Batch = {}
        self._values: dict[str, Tensor] = {}
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, batch: Batch) -> dict[str, Tensor]:
        """Run the step; after the capture it returns the same tensors with new values."""
        if self._calls < _WARM_UP:
            return self._run(batch)
        if self._graph is None:
            self._capture(batch)
        for name, tensor in self._batch.items():
            tensor.copy_(batch[name])
        assert self._graph is not None  # noqa: S101 - for the type checker
        self._graph.replay()
        return self._values

    def _run(self, batch: Batch) -> dict[str, Tensor]:
        """Run on the capture's stream: gradients accumulate on the stream that created them."""
        self._calls += 1
        here = torch.cuda.current_stream()
        self._stream.wait_stream(here)
        with torch.cuda.stream(self._stream):
            values = self._step(batch)
        here.wait_stream(self._stream)
        return values

    def _capture(self, batch: Batch) -> None:
        self._batch = {name: tensor.clone() for name, tensor in batch.items()}
        graph = torch.cuda.CUDAGraph()
        # other threads may use the device meanwhile: those that pin the next batches do
        with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
            self._values = self._step(self._batch)
        self._graph = graph
