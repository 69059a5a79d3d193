"""Evaluate a model on the test samples; each counts once, for any batch size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ascendify.zoo import trained_model
from ascendify.zoo.device import TrainingDevice, open_device
from ascendify.zoo.recipe import Data, Recipe
from ascendify.zoo.runs import TrainingRun, check_source
from ascendify.zoo.training.loading import BatchSource, open_source
from ascendify.zoo.training.order import evaluation_batches


@dataclass(frozen=True)
class LoadedSamples:
    """Samples of a split, ready to be read in batches."""

    size: int
    source: BatchSource


@torch.no_grad()
def evaluate(
    recipe: Recipe[Any], model: nn.Module, test: LoadedSamples, device: TrainingDevice
) -> dict[str, float]:
    """Compute the metrics of a model, the same on every rank; ranks share the batches."""
    config = recipe.config.train
    batch = min(config.evaluate_batch or config.batch, test.size)
    metrics = recipe.metrics()
    shared = list(evaluation_batches(test.size, batch, device.rank, device.world))
    training = model.training
    model.eval()
    # compiled code is for training's batch shape: compiling again for evaluation takes too long
    with torch.compiler.set_stance("force_eager"):
        for part, samples in zip(shared, test.source.batches(part.indices for part in shared)):
            with device.autocast(config.precision):
                outputs = recipe.outputs(model, samples)
            metrics.update(outputs, samples, part.valid.to(device.torch))
    model.train(training)
    counts = device.gather(metrics.sums())
    return metrics.compute(torch.stack(counts).sum(0))


@dataclass(frozen=True)
class Evaluation:
    """The metrics of a checkpoint."""

    step: int
    values: Mapping[str, float]
    lines: Sequence[str]
    """The metrics as lines in the format of the network's guide."""


def evaluate_run(
    run: TrainingRun, device: str = "auto", checkpoint: str = "best", source: Path | None = None
) -> Evaluation | None:
    """Evaluate a checkpoint of a run; None on ranks other than the first.

    Args:
        run: The run.
        device: Where; see ``device.NAMES``.
        checkpoint: ``best``, ``last`` or a file.
        source: Another folder of data than the run's.
    """
    if source is not None:
        check_source(source)
    here = open_device(device)
    model = trained_model.load(run, checkpoint, here.torch)
    data: Data = model.recipe.data("test", source or run.source)
    workers = model.recipe.config.train.workers
    test = LoadedSamples(len(data), open_source(data, here, False, workers, seen=len(data)))
    values = evaluate(model.recipe, model.model, test, here)
    here.finish()
    if here.rank > 0:
        return None
    return Evaluation(model.step, values, model.recipe.evaluation_lines(model.step, values))
