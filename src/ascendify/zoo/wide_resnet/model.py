"""WideResNet of any depth and width, for pictures of 32 pixels or so (arXiv 1605.07146)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from ascendify.zoo.config import require

HEAD = "fc"
_STAGES = 3
_FIRST = 16
"""Channels of the first convolution."""


@dataclass(frozen=True)
class WideResNetModel:
    """Shape of the network."""

    depth: int = 28
    """Convolutions on the longest way: 4 and a multiple of 6."""
    width: int = 10
    """Factor of the channels 16, 32 and 64."""
    classes: int = 10
    dropout: float = 0.0
    """Share of the values that are dropped between the convolutions of a block."""
    batch_norm_momentum: float = 0.1

    @property
    def blocks(self) -> int:
        """Blocks of each stage.

        Raises:
            UsageError: no number of blocks gives the depth.
        """
        blocks, rest = divmod(self.depth - 4, 2 * _STAGES)
        fits = not rest and blocks > 0
        require([("model.depth", self.depth, fits, "4 and a multiple of 6, such as 16, 28 or 40")])
        return blocks


class WideBlock(nn.Module):
    """Two convolutions, norm and ReLU before each; a shortcut from behind the first ReLU."""

    def __init__(self, before: int, after: int, stride: int, model: WideResNetModel) -> None:
        super().__init__()
        self.bn1 = nn.BatchNorm2d(before, momentum=model.batch_norm_momentum)
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after, momentum=model.batch_norm_momentum)
        self.dropout = nn.Dropout(model.dropout)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        changes = stride > 1 or before != after
        self.shortcut = nn.Conv2d(before, after, 1, stride, bias=False) if changes else None

    def forward(self, x: Tensor) -> Tensor:
        """Compute the block."""
        active = functional.relu(self.bn1(x))
        shortcut = x if self.shortcut is None else self.shortcut(active)
        y = functional.relu(self.bn2(self.conv1(active)))
        return self.conv2(self.dropout(y)) + shortcut  # type: ignore[no-any-return]


class WideResNet(nn.Module):
    """A WideResNet; pictures float [B, 3, H, W] to logits [B, classes]."""

    def __init__(self, config: WideResNetModel) -> None:
        super().__init__()
        self.config = config
        self.conv1 = nn.Conv2d(3, _FIRST, 3, 1, 1, bias=False)
        channels = _FIRST
        for stage in range(_STAGES):
            after = _FIRST * 2**stage * config.width
            blocks = []
            for block in range(config.blocks):
                stride = 2 if stage and not block else 1
                blocks.append(WideBlock(channels, after, stride, config))
                channels = after
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.norm = nn.BatchNorm2d(channels, momentum=config.batch_norm_momentum)
        self.fc = nn.Linear(channels, config.classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        nn.init.zeros_(self.fc.bias)

    def forward(self, pictures: Tensor) -> Tensor:
        """Classify pictures."""
        x = self.conv1(pictures)
        for stage in range(_STAGES):
            x = getattr(self, f"layer{stage + 1}")(x)
        x = functional.relu(self.norm(x))
        return self.fc(x.mean((2, 3)))  # type: ignore[no-any-return]
