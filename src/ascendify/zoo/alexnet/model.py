"""AlexNet as the guide has it: no groups, no local normalisation, a ReLU behind the logits too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from ascendify.zoo.config import require

HEAD = "fc3"
_CHANNELS = (96, 192, 384, 256, 256)
_SCALE = 1 / 3
"""Of the guide's ``custom`` initial weights."""


@dataclass(frozen=True)
class AlexNetModel:
    """Shape of the network."""

    classes: int = 1000
    side: int = 224
    """Pixels of the side of pictures, which decides how large the first full layer is."""
    channels: tuple[int, ...] = _CHANNELS
    """Of the five convolutions."""
    stem: int = 11
    """Pixels of the first convolution's side, and its stride below."""
    stem_stride: int = 4
    hidden: int = 4096
    keep: float = 0.65
    """Share of the values of the full layers that dropout keeps."""
    relu_logits: bool = True
    """Whether there is a ReLU behind the logits, as in the guide."""
    init: Literal["he", "xavier", "custom"] = "he"

    @property
    def last_side(self) -> int:
        """Side of what the convolutions give to the first full layer.

        Raises:
            UsageError: nothing is left of pictures of this side.
        """
        side = (self.side + 2 * 2 - self.stem) // self.stem_stride + 1
        for _ in range(3):
            side = (side - 3) // 2 + 1
        require([("model.side", self.side, side > 0, "larger: nothing is left after the pools")])
        return side


class AlexNet(nn.Module):
    """AlexNet; pictures float [B, 3, H, W] to logits [B, classes]."""

    def __init__(self, config: AlexNetModel) -> None:
        super().__init__()
        self.config = config
        a, b, c, d, e = config.channels
        self.features = nn.Sequential(
            *(nn.Conv2d(3, a, config.stem, config.stem_stride, 2), nn.ReLU(), nn.MaxPool2d(3, 2)),
            *(nn.Conv2d(a, b, 5, 1, 2), nn.ReLU(), nn.MaxPool2d(3, 2)),
            *(nn.Conv2d(b, c, 3, 1, 1), nn.ReLU()),
            *(nn.Conv2d(c, d, 3, 1, 1), nn.ReLU()),
            *(nn.Conv2d(d, e, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(3, 2)),
        )
        self.fc1 = nn.Linear(e * config.last_side**2, config.hidden)
        self.fc2 = nn.Linear(config.hidden, config.hidden)
        self.fc3 = nn.Linear(config.hidden, config.classes)
        self.dropout = nn.Dropout(1 - config.keep)
        for module in self.modules():
            if isinstance(module, (nn.Conv2d, nn.Linear)):
                _initialise(module, config.init)

    def forward(self, pictures: Tensor) -> Tensor:
        """Classify pictures."""
        x = self.features(pictures).flatten(1)
        x = self.dropout(self.fc1(x).relu())
        x = self.dropout(self.fc2(x).relu())
        logits: Tensor = self.fc3(x)
        return logits.relu() if self.config.relu_logits else logits


@torch.no_grad()
def _initialise(layer: nn.Conv2d | nn.Linear, kind: str) -> None:
    """Draw a layer's weights uniformly, as wide as the kind says; biases are zero."""
    weight = layer.weight
    before, after = weight[0].numel(), weight.shape[0] * weight[0][0].numel()
    scale, mean = {
        "he": (2.0, before),
        "xavier": (1.0, (before + after) / 2),
        "custom": (_SCALE, before),
    }[kind]
    limit = math.sqrt(3 * scale / mean)
    weight.uniform_(-limit, limit)
    if layer.bias is not None:
        layer.bias.zero_()
