"""BiT's ResNet version 2: standardised convolutions, group norm (arXiv 1912.11370).

Modules have the names of the authors' arrays, as ``weights_by_name`` converts them, so that their
``.npz`` files load.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

HEAD = "head"
_BLOCKS: Mapping[int, tuple[int, ...]] = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
_STANDARD_EPSILON = 1e-10
_NORM_EPSILON = 1e-5


@dataclass(frozen=True)
class BitModel:
    """Shape of the network."""

    depth: Literal[50, 101, 152] = 50
    width: int = 1
    """Factor of all channels: 1, 3 or 4 as published."""
    classes: int = 5
    channels: int = 64
    """Of the first convolution, before the factor."""
    blocks: tuple[int, ...] = ()
    """Blocks of the stages, instead of those of the depth."""
    groups: int = 32
    """Groups of a norm."""
    zero_head: bool = True
    """Whether the last layer starts with zeros, as for a transfer."""
    small_stem: bool = False
    """Whether the first convolution is 3 x 3 and there is no pool, for small pictures."""

    @property
    def stages(self) -> tuple[int, ...]:
        """Blocks of the stages."""
        return self.blocks or _BLOCKS[self.depth]


class StandardisedConv2d(nn.Conv2d):
    """A convolution whose filters have mean 0 and variance 1."""

    def forward(self, x: Tensor) -> Tensor:
        """Convolve with the standardised weights, computed in 32 bits."""
        with torch.autocast(x.device.type, enabled=False):
            weight = standardise(self.weight)
        return functional.conv2d(x, weight.to(x.dtype), None, self.stride, self.padding)


def standardise(weight: Tensor) -> Tensor:
    """Return filters [out, in, h, w] with mean 0 and variance 1, each over all its weights."""
    variance, mean = torch.var_mean(weight, (1, 2, 3), correction=0, keepdim=True)
    return (weight - mean) * torch.rsqrt(variance + _STANDARD_EPSILON)


class BitBlock(nn.Module):
    """A bottleneck: norm and ReLU before each convolution, the stride in the middle one."""

    def __init__(self, before: int, after: int, stride: int, groups: int) -> None:
        super().__init__()
        middle = after // 4
        self.norm1 = nn.GroupNorm(groups, before, _NORM_EPSILON)
        self.conv1 = StandardisedConv2d(before, middle, 1, bias=False)
        self.norm2 = nn.GroupNorm(groups, middle, _NORM_EPSILON)
        self.conv2 = StandardisedConv2d(middle, middle, 3, stride, 1, bias=False)
        self.norm3 = nn.GroupNorm(groups, middle, _NORM_EPSILON)
        self.conv3 = StandardisedConv2d(middle, after, 1, bias=False)
        changes = stride > 1 or before != after
        self.project = StandardisedConv2d(before, after, 1, stride, bias=False) if changes else None

    def forward(self, x: Tensor) -> Tensor:
        """Compute the block."""
        active = functional.relu(self.norm1(x))
        shortcut = x if self.project is None else self.project(active)
        y = self.conv1(active)
        y = self.conv2(functional.relu(self.norm2(y)))
        y = self.conv3(functional.relu(self.norm3(y)))
        return y + shortcut  # type: ignore[no-any-return]


class Bit(nn.Module):
    """BiT; pictures float [B, 3, H, W] to logits [B, classes]."""

    def __init__(self, config: BitModel) -> None:
        super().__init__()
        self.config = config
        first = config.channels * config.width
        size, stride = (3, 1) if config.small_stem else (7, 2)
        self.root = StandardisedConv2d(3, first, size, stride, size // 2, bias=False)
        before, after = first, 4 * first
        for stage, count in enumerate(config.stages):
            blocks = []
            for block in range(count):
                step = 2 if stage and not block else 1
                blocks.append(BitBlock(before, after, step, config.groups))
                before = after
            setattr(self, f"block{stage + 1}", nn.Sequential(*blocks))
            after *= 2
        self.norm = nn.GroupNorm(config.groups, before, _NORM_EPSILON)
        self.head = nn.Linear(before, config.classes)
        self._initialise()

    def _initialise(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_in", nonlinearity="relu")
        if self.config.zero_head:
            nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, pictures: Tensor) -> Tensor:
        """Classify pictures."""
        x = self.root(pictures)
        if not self.config.small_stem:
            # padded with zeros, which may be greater than what is there: no ReLU came before
            x = functional.max_pool2d(functional.pad(x, (1, 1, 1, 1)), 3, 2)
        for stage in range(len(self.config.stages)):
            x = getattr(self, f"block{stage + 1}")(x)
        x = functional.relu(self.norm(x))
        return self.head(x.mean((2, 3)))  # type: ignore[no-any-return]


_PARTS = {"a": "1", "b": "2", "c": "3"}
_NAME = re.compile(
    r"resnet/block(?P<stage>\d)/unit(?P<unit>\d\d)/(?P<part>[abc])/"
    r"(?P<what>standardized_conv2d/kernel|group_norm/gamma|group_norm/beta"
    r"|proj/standardized_conv2d/kernel)"
)
_WHAT = {
    "standardized_conv2d/kernel": "conv{}.weight",
    "group_norm/gamma": "norm{}.weight",
    "group_norm/beta": "norm{}.bias",
    "proj/standardized_conv2d/kernel": "project.weight",
}
_OTHERS = {
    "resnet/root_block/standardized_conv2d/kernel": "root.weight",
    "resnet/group_norm/gamma": "norm.weight",
    "resnet/group_norm/beta": "norm.bias",
    "resnet/head/conv2d/kernel": "head.weight",
    "resnet/head/conv2d/bias": "head.bias",
}


def weights_by_name(arrays: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """Return the arrays of the authors' ``.npz`` under the names of this network.

    Kernels are turned from height, width, in, out to out, in, height, width; the head, there a
    convolution of 1 x 1, becomes a matrix. Weights that have this network's names already stay.
    """
    if not any(name.startswith("resnet/") for name in arrays):
        return arrays
    return {own: _turned(own, arrays[name]) for name in arrays if (own := own_name(name))}


def own_name(name: str) -> str | None:
    """Return this network's name of an array; None for one that it does not have."""
    match = _NAME.fullmatch(name)
    if match is None:
        return _OTHERS.get(name)
    inside = _WHAT[match["what"]].format(_PARTS[match["part"]])
    return f"block{match['stage']}.{int(match['unit']) - 1}.{inside}"


def _turned(name: str, array: Tensor) -> Tensor:
    if array.ndim != 4:
        return array.flatten()
    turned = array.permute(3, 2, 0, 1).contiguous()
    return turned.flatten(1) if name == "head.weight" else turned


class TransferRule(NamedTuple):
    """BiT's own settings for a data set."""

    resize: int
    side: int
    mixup: float
    steps: int
    warmup: int
    boundaries: tuple[int, ...]
    """Steps where the rate falls to a tenth."""


def hyper_rule(pixels: int, samples: int) -> TransferRule:
    """Return BiT's settings by the area of a data set's pictures and its size."""
    resize, side = (160, 128) if pixels < 96**2 else (512, 480)
    mixup = 0.1 if samples >= _RULE[0][0] else 0.0
    steps, falls, warmup = next(rule[1:] for rule in _RULE if samples < rule[0])
    return TransferRule(resize, side, mixup, steps, warmup, falls)


_RULE = (
    (20_000, 500, (200, 300, 400), 100),
    (500_000, 10_000, (3000, 6000, 9000), 500),
    (math.inf, 20_000, (6000, 12_000, 18_000), 500),
)
"""Samples below, steps, where the rate falls, warm-up."""
