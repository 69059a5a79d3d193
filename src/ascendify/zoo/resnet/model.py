"""ResNet of 18 to 200 layers, version 1.5 and 2, for photos and for small pictures.

Version 1.5 has the parameter names of torchvision, whose checkpoints (and timm's) load by name.
Version 2 normalises before each convolution, as TensorFlow's official network does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

_TRUNCATED = 0.87962566103423978
"""Standard deviation of a normal distribution cut off at two standard deviations."""
_BLOCKS: Mapping[int, tuple[int, ...]] = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 24, 36, 3),
}
_LAST_BASIC = 34
"""The deepest network of basic blocks; deeper ones have bottlenecks."""
HEAD = "fc"
"""Name of the last layer, which a transfer to other classes replaces."""

Norm = Callable[[int], nn.Module]


@dataclass(frozen=True)
class ResNetModel:
    """Shape of the network."""

    depth: Literal[18, 34, 50, 101, 152, 200] = 50
    version: Literal["v1.5", "v2"] = "v1.5"
    stem: Literal["imagenet", "cifar"] = "imagenet"
    """imagenet: 7 x 7 with stride 2 and a pool; cifar: 3 x 3, for pictures of 32 pixels or so."""
    classes: int = 1001
    """ImageNet's thousand and, first, a background, as in the guide's records."""
    width: int = 64
    """Channels of the first stage."""
    blocks: tuple[int, ...] = ()
    """Blocks of the stages, instead of those of the depth."""
    same_pooling: bool = True
    """Whether the first pool pads as TensorFlow's SAME, else as torchvision's."""
    batch_norm_momentum: float = 0.003
    batch_norm_epsilon: float = 1e-5

    @property
    def stages(self) -> tuple[int, ...]:
        """Blocks of the stages."""
        return self.blocks or _BLOCKS[self.depth]

    @property
    def bottleneck(self) -> bool:
        """Whether blocks have three convolutions."""
        return self.depth > _LAST_BASIC


def convolution(before: int, after: int, size: int, stride: int = 1) -> nn.Conv2d:
    """A convolution that keeps the size of a picture, but for its stride."""
    return nn.Conv2d(before, after, size, stride, size // 2, bias=False)


class BasicBlock(nn.Module):
    """Two convolutions and a shortcut."""

    expansion = 1

    def __init__(self, before: int, width: int, stride: int, norm: Norm) -> None:
        super().__init__()
        self.conv1 = convolution(before, width, 3, stride)
        self.bn1 = norm(width)
        self.conv2 = convolution(width, width, 3)
        self.bn2 = norm(width)
        self.downsample = _projection(before, width, stride, norm)

    def forward(self, x: Tensor) -> Tensor:
        """Compute the block."""
        y = functional.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return functional.relu(y + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(nn.Module):
    """Three convolutions, the stride in the middle one (v1.5), and a shortcut."""

    expansion = 4

    def __init__(self, before: int, width: int, stride: int, norm: Norm) -> None:
        super().__init__()
        after = width * self.expansion
        self.conv1 = convolution(before, width, 1)
        self.bn1 = norm(width)
        self.conv2 = convolution(width, width, 3, stride)
        self.bn2 = norm(width)
        self.conv3 = convolution(width, after, 1)
        self.bn3 = norm(after)
        self.downsample = _projection(before, after, stride, norm)

    def forward(self, x: Tensor) -> Tensor:
        """Compute the block."""
        y = functional.relu(self.bn1(self.conv1(x)))
        y = functional.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return functional.relu(y + (x if self.downsample is None else self.downsample(x)))


class PreActivatedBlock(nn.Module):
    """Two convolutions of version 2: norm and ReLU before each; the shortcut starts behind them."""

    expansion = 1

    def __init__(self, before: int, width: int, stride: int, norm: Norm) -> None:
        super().__init__()
        self.bn1 = norm(before)
        self.conv1 = convolution(before, width, 3, stride)
        self.bn2 = norm(width)
        self.conv2 = convolution(width, width, 3)
        project = stride > 1 or before != width
        self.downsample = convolution(before, width, 1, stride) if project else None

    def forward(self, x: Tensor) -> Tensor:
        """Compute the block."""
        active = functional.relu(self.bn1(x))
        shortcut = x if self.downsample is None else self.downsample(active)
        y = self.conv1(active)
        return self.conv2(functional.relu(self.bn2(y))) + shortcut  # type: ignore[no-any-return]


class PreActivatedBottleneck(nn.Module):
    """Three convolutions of version 2."""

    expansion = 4

    def __init__(self, before: int, width: int, stride: int, norm: Norm) -> None:
        super().__init__()
        after = width * self.expansion
        self.bn1 = norm(before)
        self.conv1 = convolution(before, width, 1)
        self.bn2 = norm(width)
        self.conv2 = convolution(width, width, 3, stride)
        self.bn3 = norm(width)
        self.conv3 = convolution(width, after, 1)
        project = stride > 1 or before != after
        self.downsample = convolution(before, after, 1, stride) if project else None

    def forward(self, x: Tensor) -> Tensor:
        """Compute the block."""
        active = functional.relu(self.bn1(x))
        shortcut = x if self.downsample is None else self.downsample(active)
        y = functional.relu(self.bn2(self.conv1(active)))
        y = functional.relu(self.bn3(self.conv2(y)))
        return self.conv3(y) + shortcut  # type: ignore[no-any-return]


_KINDS: Mapping[tuple[str, bool], Any] = {
    ("v1.5", False): BasicBlock,
    ("v1.5", True): Bottleneck,
    ("v2", False): PreActivatedBlock,
    ("v2", True): PreActivatedBottleneck,
}


def _projection(before: int, after: int, stride: int, norm: Norm) -> nn.Module | None:
    """A shortcut that changes the shape, where the block does."""
    if stride == 1 and before == after:
        return None
    return nn.Sequential(convolution(before, after, 1, stride), norm(after))


class ResNet(nn.Module):
    """A ResNet; pictures float [B, 3, H, W] to logits [B, classes]."""

    def __init__(self, config: ResNetModel) -> None:
        super().__init__()
        self.config = config
        norm: Norm = partial(
            nn.BatchNorm2d, eps=config.batch_norm_epsilon, momentum=config.batch_norm_momentum
        )
        small = config.stem == "cifar"
        self.conv1 = convolution(3, config.width, 3 if small else 7, 1 if small else 2)
        first = config.version == "v1.5"
        self.bn1 = norm(config.width) if first else nn.Identity()
        channels = config.width
        for number, count in enumerate(config.stages):
            kind = _KINDS[config.version, config.bottleneck]
            width = config.width * 2**number
            blocks: list[nn.Module] = []
            for block in range(count):
                stride = 2 if number and not block else 1
                blocks.append(kind(channels, width, stride, norm))
                channels = width * kind.expansion
            setattr(self, f"layer{number + 1}", nn.Sequential(*blocks))
        self.norm = nn.Identity() if first else norm(channels)
        self.fc = nn.Linear(channels, config.classes)
        initialise(self)

    @property
    def layers(self) -> Sequence[nn.Module]:
        """The stages."""
        return [getattr(self, f"layer{n + 1}") for n in range(len(self.config.stages))]

    def forward(self, pictures: Tensor) -> Tensor:
        """Classify pictures."""
        x = self.conv1(pictures)
        if self.config.version == "v1.5":
            x = functional.relu(self.bn1(x))
        if self.config.stem == "imagenet":
            x = self._pool(x)
        for layer in self.layers:
            x = layer(x)
        if self.config.version == "v2":
            x = functional.relu(self.norm(x))
        return self.fc(x.mean((2, 3)))  # type: ignore[no-any-return]

    def _pool(self, x: Tensor) -> Tensor:
        if not self.config.same_pooling:
            return functional.max_pool2d(x, 3, 2, 1)
        height, width = (_same_padding(side) for side in x.shape[2:])
        padded = functional.pad(x, (*width, *height), value=-math.inf)
        return functional.max_pool2d(padded, 3, 2)


def _same_padding(side: int) -> tuple[int, int]:
    """Padding of a pool of 3 with stride 2 at both ends of a side; one more at the end, as SAME."""
    whole = max((-(-side // 2) - 1) * 2 + 3 - side, 0)
    return whole // 2, whole - whole // 2


@torch.no_grad()
def initialise(model: nn.Module) -> None:
    """Draw weights as TensorFlow's network does: truncated normal, glorot for the last layer."""
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            deviation = 1 / math.sqrt(module.weight[0].numel())
            truncated_normal(module.weight, deviation)
        elif isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)


def truncated_normal(weight: Tensor, deviation: float) -> None:
    """Draw from a normal distribution without its tails, so that the deviation is as given."""
    whole = deviation / _TRUNCATED
    nn.init.trunc_normal_(weight, std=whole, a=-2 * whole, b=2 * whole)
