"""The list of networks, which needs no PyTorch, and loading the recipe of one by its name."""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ascendify.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from ascendify.zoo.recipe import Recipe


@dataclass(frozen=True)
class Network:
    """An entry of the list of networks; a test compares it with the recipe."""

    name: str
    title: str
    recipe: str
    """``package.module:Class``."""
    parameters: int
    """Number of parameters of the first preset's model."""
    presets: Mapping[str, str]
    """Purpose of each preset of the recipe."""


NETWORKS = (
    Network(
        "crnn",
        "CRNN: a word in a picture, read with CTC",
        "ascendify.zoo.crnn.recipe:CrnnRecipe",
        8_725_248,
        {
            "guide": "the values of the guide: batch 64, 240,000 steps",
            "fast": "one GPU, large batches, minutes",
            "tiny": "a CPU, under a minute",
        },
    ),
    Network(
        "attention-ocr",
        "Attention-OCR: a street name in four views, read with attention",
        "ascendify.zoo.attention_ocr.recipe:AttentionOcrRecipe",
        1_851_344,
        {
            "guide": "the values of the guide: batch 32, a million steps",
            "fast": "one GPU, large batches",
            "tiny": "a CPU, under a minute",
        },
    ),
    Network(
        "resnet50",
        "ResNet: what a picture shows; 18 to 200 layers",
        "ascendify.zoo.resnet.recipe:ResNetRecipe",
        25_559_081,
        {
            "guide": "the values of the guide: ImageNet, batch 256, 90 epochs",
            "fast": "CIFAR-10 on one GPU, minutes",
            "transfer": "your pictures, from trained weights (--init)",
            "tiny": "a CPU, scanned digits, under a minute",
        },
    ),
    Network(
        "alexnet",
        "AlexNet: what a picture shows",
        "ascendify.zoo.alexnet.recipe:AlexNetRecipe",
        61_270_185,
        {
            "guide": "the values of the guide: ImageNet, batch 1,024, 150 epochs",
            "fast": "ImageNet on one GPU",
            "tiny": "a CPU, scanned digits, under a minute",
        },
    ),
    Network(
        "wide-resnet",
        "WideResNet with AutoAugment: what a small picture shows",
        "ascendify.zoo.wide_resnet.recipe:WideResNetRecipe",
        36_479_194,
        {
            "guide": "the values of the guide: CIFAR-10, batch 128, 200 epochs",
            "fast": "CIFAR-10 on one GPU",
            "tiny": "a CPU, scanned digits, under a minute",
        },
    ),
    Network(
        "bit",
        "BiT: trained on much, fine-tuned on few pictures",
        "ascendify.zoo.bit.recipe:BitRecipe",
        23_510_597,
        {
            "guide": "the values of the guide: the last layer only, on published weights",
            "full": "all weights, by BiT's rule for small sets",
            "tiny": "a CPU, scanned digits, under a minute",
        },
    ),
)
_BY_NAME = {network.name: network for network in NETWORKS}


def find(name: str) -> type[Recipe[Any]]:
    """Return the recipe of a listed network, or the user's own: ``package.module:Class``.

    Raises:
        UsageError: there is none.
    """
    if ":" in name:
        return _load(name)
    if name not in _BY_NAME:
        others = f"ascendify zoo list shows them: {', '.join(_BY_NAME)}"
        raise UsageError(f"unknown network {name}", did_you_mean(name, _BY_NAME, others))
    return _load(_BY_NAME[name].recipe)


def preset(recipe: type[Recipe[Any]], name: str | None) -> Any:
    """Return a preset of a recipe by its name; by default the first.

    Raises:
        UsageError: there is no such preset.
    """
    presets = recipe.presets()
    if name is None:
        return next(iter(presets.values()))
    if name not in presets:
        hint = did_you_mean(name, presets, f"it is one of {', '.join(presets)}")
        raise UsageError(f"{recipe.name} has no preset {name}", hint)
    return presets[name]


def _load(path: str) -> type[Recipe[Any]]:
    """Import a recipe's class; like ``python -m``, also from the current folder."""
    from ascendify.zoo.recipe import Recipe  # noqa: PLC0415 (a list of networks needs no PyTorch)

    module, _, name = path.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise UsageError(f"{path} is not package.module:Class", "such as my.module:Recipe")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        hint = "start in the folder that holds it, or set PYTHONPATH"
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            message = f"{_line(error)}{path} needs a module {error.name}, which is not there"
            raise UsageError(message, "install it, or " + hint) from error
        message = f"there is no module {error.name}, where {path} should be"
        raise UsageError(message, hint) from error
    except (Exception, SystemExit) as error:
        if module.startswith(f"{__package__}."):
            raise
        raise UsageError(
            f"{module} cannot be imported: {_line(error)}{type(error).__name__}: {error}",
            f"python -c 'import {module}' shows more",
        ) from error
    if not (isinstance(found, type) and issubclass(found, Recipe)):
        raise UsageError(
            f"{path} is not a recipe", "name a class that derives from ascendify.zoo.recipe.Recipe"
        )
    if inspect.isabstract(found):
        lacks = ", ".join(sorted(found.__abstractmethods__))
        raise UsageError(f"{path} has no {lacks}", "give the class these methods")
    return found


def _line(error: BaseException) -> str:
    """Return where an error was raised, as ``file:line: ``."""
    places = traceback.extract_tb(error.__traceback__)
    return f"{places[-1].filename}:{places[-1].lineno}: " if places else ""
