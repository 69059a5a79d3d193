"""Typed settings of a training run; every value has a name on the command line.

A network's configuration is a frozen dataclass that holds three others: ``model``, ``data`` and
``train``. The last, :class:`Training`, is the same for every network and is defined here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Optional, Union

from ascendify.errors import UsageError

ScheduleKind = Literal[
    "constant", "cosine", "polynomial", "staircase", "piecewise", "one-cycle", "epoch-cosine"
]
Precision = Literal["fp32", "bf16", "fp16"]
DeviceName = Literal["auto", "cpu", "cuda", "npu", "emulated-npu"]


@dataclass(frozen=True)
class Schedule:
    """How the learning rate changes with the step; ``training.schedules`` has the formulas."""

    kind: ScheduleKind = "constant"
    warmup: int = 0
    """Steps of linear warm-up from 0; the schedule itself counts from step 0 nevertheless."""
    end: float = 0.0
    """The rate a polynomial ends at."""
    power: float = 1.0
    decay: float = 0.1
    """Factor of a staircase, applied every ``every`` steps."""
    every: int = 0
    """Steps of a stair, or of an epoch of a cosine that changes between epochs only."""
    boundaries: tuple[int, ...] = ()
    factors: tuple[float, ...] = ()
    """Factors of the base rate in a piecewise schedule; one more than the boundaries."""


@dataclass(frozen=True)
class LossScale:
    """Loss scale of fp16: none, a constant, or the guides' dynamic one (see ``scaling``)."""

    kind: Literal["none", "static", "dynamic"] = "none"
    value: Optional[float] = None
    """The constant, or the first dynamic scale; by default the guides' values, 512 and 2**32."""
    grow_every: int = 1000
    """Good steps in a row before the scale grows."""
    shrink_every: int = 2
    """Bad steps, in a row or not, before it shrinks."""
    grow: float = 2.0
    shrink: float = 0.5

    @property
    def start(self) -> float:
        """The scale of the first step."""
        if self.kind == "none":
            return 1.0
        return self.value or {"static": 512.0, "dynamic": 2.0**32}[self.kind]


@dataclass(frozen=True)
class Optimizer:
    """The optimizer and its hyperparameters."""

    kind: Literal["sgd", "adam", "adamw", "adadelta", "lars"] = "sgd"
    lr: float = 0.01
    momentum: float = 0.9
    nesterov: bool = False
    weight_decay: float = 0.0
    """For weights of two dimensions or more; most networks never decay biases and norms."""
    trust: float = 0.001
    """Of LARS: a layer's step to the size of its weights."""
    clip: Optional[float] = None
    """The largest norm of the gradients."""
    clip_each: bool = False
    """Whether ``clip`` limits each variable's gradient, as in slim, not the norm of all."""


@dataclass(frozen=True)
class Training:
    """Settings that every network has."""

    steps: int = 1000
    batch: int = 64
    """Samples per step and rank."""
    seed: int = 1
    precision: Precision = "fp32"
    optimizer: Optimizer = field(default_factory=Optimizer)
    schedule: Schedule = field(default_factory=Schedule)
    loss_scale: LossScale = field(default_factory=LossScale)
    ema: Optional[float] = None
    """Decay of a moving average of weights and buffers, which evaluation then uses."""
    patience: Optional[int] = None
    """Evaluations without a better headline metric before training stops."""
    plateau: Optional[int] = None
    """Steps without a lower loss before training stops: the CRNN guide's rule (there 6). It uses
    single batches, so it stops most runs far too early."""
    log_every: int = 100
    evaluate_every: int = 0
    """Steps between evaluations; 0: only at the end."""
    evaluate_batch: Optional[int] = None
    save_every: int = 0
    """Steps between checkpoints; 0: only at the end and where an evaluation is the best."""
    keep: int = 5
    resident: Union[bool, Literal["auto"]] = "auto"
    """Whether the whole data set is put on the device; auto: if it fits."""
    workers: int = 2
    """Processes that read data which is not resident."""
    channels_last: bool = False
    compile: bool = False
    graph: bool = False
    """Whether a step is captured once as a CUDA graph and replayed."""


def require(checks: Iterable[tuple[str, object, bool, str]]) -> None:
    """Refuse invalid settings.

    Args:
        checks: For each setting its name, its value, whether that is valid, and what it must be.

    Raises:
        UsageError: a value is not valid.
    """
    for name, value, fits, wanted in checks:
        if not fits:
            raise UsageError(f"{name} is {value}", f"it must be {wanted}")
