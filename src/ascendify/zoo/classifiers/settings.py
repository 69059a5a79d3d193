"""Settings that all classifiers share: data, augmentation, loss, first weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Optional

Normalisation = tuple[float, float, float]
"""A value for red, green and blue, of colours from 0 to 255."""

IMAGENET_MEAN = (123.68, 116.78, 103.94)
"""As the ResNet-50 guide subtracts it; there it divides by nothing."""
CIFAR_MEAN = (125.3, 123.0, 113.9)
CIFAR_DEVIATION = (63.0, 62.1, 66.7)
"""Over the pixels of CIFAR-10's training pictures, and the same for the test."""


@dataclass(frozen=True)
class PictureAugmentation:
    """Random changes of training pictures on the device; nothing by default."""

    mirror: bool = False
    padding: int = 0
    """Black pixels around a picture before its size is cut out of it anywhere."""
    policy: Literal["none", "cifar10", "imagenet", "svhn"] = "none"
    """AutoAugment's policy."""
    convention: Literal["paper", "upstream"] = "paper"
    """What a magnitude of the policy means; see ``augmentation.operations``."""
    cutout: int = 0
    """Pixels of the side of a square that is hidden."""
    mixup: float = 0.0
    """Parameter of the beta distribution of the shares in which two pictures are mixed."""


@dataclass(frozen=True)
class PictureData:
    """Pictures for a classifier."""

    side: int = 224
    """Pixels of the side of the network's input."""
    evaluate_side: Optional[int] = None
    """The same in evaluations, if it is another."""
    short_side: int = 256
    """Pixels of a photo's shorter side before the middle is cut out, in evaluations."""
    least_area: float = 0.05
    """Share of a photo that a training cut has at least."""
    squash: bool = False
    """Whether photos are made square first; a training cut is then a window of the square."""
    per_class: int = 0
    """Training pictures of each class; 0: all."""
    mean: Normalisation = IMAGENET_MEAN
    deviation: Normalisation = (1.0, 1.0, 1.0)
    seed: int = 1
    synthetic: int = 0
    """Number of made-up samples, to measure speed; 0: real ones."""
    augmentation: PictureAugmentation = field(default_factory=PictureAugmentation)


@dataclass(frozen=True)
class ClassLoss:
    """The loss of a classifier."""

    smoothing: float = 0.0
    """Share of a label that is spread over all classes."""


@dataclass(frozen=True)
class TransferSettings:
    """The weights that a training starts with, and which of them it changes."""

    init: Optional[str] = None
    """A checkpoint: a file or run of this tool, of torchvision or timm, or BiT's .npz."""
    exclude: tuple[str, ...] = ()
    """Parts that start anew all the same; ``head`` is the last layer."""
    train: Literal["all", "head"] = "all"
    """Whether all weights are trained, or those of the last layer only."""
