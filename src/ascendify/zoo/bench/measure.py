"""Measure the training speed of a network, and of a plain one with the same weights and batches."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Callable

import torch
from torch import Tensor, nn

from ascendify.errors import UsageError
from ascendify.zoo import networks, settings
from ascendify.zoo.bench.plain import PLAIN, PlainNetwork
from ascendify.zoo.device import TrainingDevice, open_device
from ascendify.zoo.recipe import Batch, Recipe, generator
from ascendify.zoo.training import optimizers
from ascendify.zoo.training.loading import ResidentSource
from ascendify.zoo.training.loop import validate
from ascendify.zoo.training.order import SampleOrder
from ascendify.zoo.training.scaling import LossScaler
from ascendify.zoo.training.steps import Stepper

_BATCHES = 4
"""Number of batches used in turn, so that not one batch stays in a cache."""
_RESIDENT_BATCHES = 8
"""Batches in the data set of the loader."""
_SEED = 1
_TOLERANCE = {"fp32": 1e-4, "bf16": 2e-2, "fp16": 1e-2}
"""Largest relative difference of the two networks' losses, by precision."""


@dataclass(frozen=True)
class Rounds:
    """How long to measure."""

    warm_up: int = 20
    """Steps before the measurement, in which kernels are compiled."""
    rounds: int = 10
    steps: int = 10
    """Steps of a round; the median of the rounds counts."""


@dataclass(frozen=True)
class Figures:
    """Measurements of a network with one batch size."""

    network: str
    device: str
    precision: str
    batch: int
    plain: float
    """Seconds per step of the plain network."""
    zoo: float
    loaded: float
    """Seconds per step of the zoo's network with batches from the loader."""
    plain_loss: float
    zoo_loss: float
    """Losses of both before training, on the same batch."""

    @property
    def ratio(self) -> float:
        """Speed relative to the plain network."""
        return self.plain / self.zoo

    @property
    def busy(self) -> float:
        """Share of the time that the device computes steps, with batches from the loader."""
        return min(1.0, self.zoo / self.loaded)

    @property
    def apart(self) -> float:
        """Relative difference of the two losses."""
        return abs(self.plain_loss - self.zoo_loss) / abs(self.plain_loss)


def measure(
    network: str,
    preset: str,
    overrides: Sequence[str],
    batches: Sequence[int],
    rounds: Rounds,
    device: str,
) -> Iterator[Figures]:
    """Measure a network with each batch size; by default with the preset's.

    Raises:
        UsageError: the request is not valid, or the two networks' losses differ.
    """
    recipe = networks.find(network)
    if network not in PLAIN:
        others = f"try {', '.join(PLAIN)}"
        raise UsageError(f"{network} has no plain network to compare with", others)
    arguments = (*PLAIN[network].overrides, *overrides)
    config = settings.override(networks.preset(recipe, preset), arguments)
    validate(config.train)
    here = open_device(device)
    for batch in batches or (config.train.batch,):
        batch_config = settings.override(config, [f"train.batch={batch}"])
        found = bench(recipe(batch_config), here, rounds)
        yield found
        if not found.apart <= _TOLERANCE[found.precision]:
            raise UsageError(
                f"{network}, batch {batch}: the plain network's loss is {found.plain_loss:.6g} "
                f"and the zoo's {found.zoo_loss:.6g}, {found.apart:.1e} apart",
                f"{_TOLERANCE[found.precision]:g} at most is expected: they are not the same",
            )


def bench(recipe: Recipe[Any], device: TrainingDevice, rounds: Rounds) -> Figures:
    """Measure a network with its configuration, and the plain one in the same precision."""
    plain = PLAIN[recipe.name]
    torch.manual_seed(_SEED)
    weights = recipe.model().state_dict()
    batches = [_batch(recipe, plain, device, number) for number in range(_BATCHES)]
    plain_loss, zoo_loss = losses(recipe, plain, weights, device)
    step = _plain_step(recipe, plain, weights, device)
    plain_seconds = _time_step(lambda n: step(batches[n % _BATCHES]), device, rounds)
    stepper = _stepper(recipe, weights, device)
    rate = recipe.config.train.optimizer.lr
    zoo_seconds = _time_step(lambda n: stepper(batches[n % _BATCHES], rate), device, rounds)
    loaded_batches = _loaded_batches(recipe, plain, device, rounds)
    loaded_seconds = _time_step(lambda n: stepper(next(loaded_batches), rate), device, rounds)
    config = recipe.config.train
    return Figures(
        recipe.name, device.title, config.precision, config.batch,
        plain_seconds, zoo_seconds, loaded_seconds, plain_loss, zoo_loss,
    )  # fmt: skip


def losses(
    recipe: Recipe[Any], plain: PlainNetwork, weights: dict[str, Tensor], device: TrainingDevice
) -> tuple[float, float]:
    """Return the losses of both networks on one batch, without dropout, which differs in each."""
    config = recipe.config
    batch = _batch(recipe, plain, device, _BATCHES)
    models = _load_both(recipe, plain, weights, device)
    for model in models:
        for module in model.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
    with torch.no_grad(), device.autocast(config.train.precision):
        plain_loss = plain.loss(models[0], batch, config)
        zoo_loss = recipe.loss(models[1], batch)["loss"]
    return float(plain_loss), float(zoo_loss)


def _load_both(
    recipe: Recipe[Any], plain: PlainNetwork, weights: dict[str, Tensor], device: TrainingDevice
) -> tuple[nn.Module, nn.Module]:
    models = plain.model(recipe.config.model), recipe.model()
    for model in models:
        model.load_state_dict(weights)
        model.to(device.torch).train()
    return models


def _plain_step(
    recipe: Recipe[Any], plain: PlainNetwork, weights: dict[str, Tensor], device: TrainingDevice
) -> Callable[[Batch], None]:
    config = recipe.config.train
    model = _load_both(recipe, plain, weights, device)[0]
    kinds: dict[str, Any] = {
        "sgd": torch.optim.SGD,
        "adam": torch.optim.Adam,
        "adamw": torch.optim.AdamW,
        "adadelta": torch.optim.Adadelta,
    }
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = kinds[config.optimizer.kind](trained, lr=config.optimizer.lr)

    def step(batch: Batch) -> None:
        optimizer.zero_grad()
        with device.autocast(config.precision):
            loss = plain.loss(model, batch, recipe.config)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return step


def _stepper(recipe: Recipe[Any], weights: dict[str, Tensor], device: TrainingDevice) -> Stepper:
    config = recipe.config.train
    model = recipe.model()
    model.load_state_dict(weights)
    model.to(device.torch)
    if config.channels_last:
        model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if config.compile:
        recipe.compile(model)
    groups = recipe.groups(model)
    optimizer = optimizers.build(config.optimizer, groups, capturable=config.graph)
    scaler = LossScaler(config.loss_scale, device.torch)
    return Stepper(recipe, model.train(), optimizer, scaler, None, device)


def _batch(recipe: Recipe[Any], plain: PlainNetwork, device: TrainingDevice, number: int) -> Batch:
    made = plain.batch(recipe.config, recipe.config.train.batch, generator(_SEED, number))
    return {name: tensor.to(device.torch) for name, tensor in made.items()}


class _Made:
    """A data set of noise, with the interface of ``Data``."""

    def __init__(self, samples: Batch) -> None:
        self._samples = {name: tensor.numpy() for name, tensor in samples.items()}

    def __len__(self) -> int:
        return len(next(iter(self._samples.values())))

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {name: values[index] for name, values in self._samples.items()}


def _loaded_batches(
    recipe: Recipe[Any], plain: PlainNetwork, device: TrainingDevice, rounds: Rounds
) -> Any:
    """Return batches as the training loop gets them, from a resident data set."""
    batch = recipe.config.train.batch
    size = batch * _RESIDENT_BATCHES
    source = ResidentSource(_Made(plain.batch(recipe.config, size, generator(_SEED))), device)
    order = SampleOrder(size, batch, _SEED, 0, 1)
    steps = rounds.warm_up + rounds.rounds * rounds.steps
    return source.batches(order.indices(step) for step in range(steps))


def _time_step(step: Callable[[int], object], device: TrainingDevice, rounds: Rounds) -> float:
    """Return the seconds per step of the median round."""
    for number in range(rounds.warm_up):
        step(number)
    found = []
    for _ in range(rounds.rounds):
        device.synchronise()
        began = time.perf_counter()
        for number in range(rounds.steps):
            step(number)
        device.synchronise()
        found.append((time.perf_counter() - began) / rounds.steps)
    return statistics.median(found)
