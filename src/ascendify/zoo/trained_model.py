"""Load a trained model from the folder of its run, with the averaged weights if there are any."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ascendify.errors import UsageError
from ascendify.zoo.recipe import Recipe
from ascendify.zoo.runs import TrainingRun
from ascendify.zoo.training import checkpoints


@dataclass(frozen=True)
class TrainedModel:
    """A model in evaluation mode on its device."""

    recipe: Recipe[Any]
    model: nn.Module
    step: int
    """Steps it was trained for."""
    extras: dict[str, Any]
    """Values that its recipe saved with the weights."""


def load(
    run: TrainingRun, checkpoint: str = "best", device: torch.device | str = "cpu"
) -> TrainedModel:
    """Load a model of a run.

    Args:
        run: The run.
        checkpoint: ``best``, ``last``, or a file, of the run or any.
        device: The device to load the model to.
    """
    path = find(run, checkpoint)
    state = checkpoints.load(path, ("model", "ema", "extras"))
    recipe = run.recipe
    model = recipe.model()
    restore(model, state["model"] if state["ema"] is None else state["ema"]["model"], path)
    return TrainedModel(recipe, model.to(device).eval(), state["step"], state["extras"])


def find(run: TrainingRun, checkpoint: str) -> Path:
    """Find the file of a checkpoint.

    Raises:
        UsageError: there is none.
    """
    newest = checkpoints.latest(run.checkpoints)
    if newest is None:
        raise UsageError(f"{run.folder} has no checkpoint", "train it first")
    if checkpoint == "best":
        return checkpoints.best(run.checkpoints) or newest
    if checkpoint == "last":
        return newest
    for path in (run.checkpoints / checkpoint, Path(checkpoint)):
        if path.is_file():
            return path
    there = checkpoints.list_names(run.checkpoints)
    raise UsageError(f"{checkpoint}: no such checkpoint", f"there are {there}")


def restore(model: nn.Module, weights: dict[str, Any], path: Path) -> None:
    """Put weights into a model.

    Raises:
        UsageError: they are of another model.
    """
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        reason = textwrap.shorten(str(error).strip().splitlines()[-1], 120, placeholder=" ...")
        raise UsageError(f"{path} is of another model: {reason}", "take one of this run") from error
