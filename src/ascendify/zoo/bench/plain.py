"""Plain PyTorch versions of the networks, eager and without fused kernels, for comparison.

``nn.LSTM`` and ``F.ctc_loss`` for CRNN; for Attention-OCR a Python loop over the decoder's steps.
Parameters have the names of the zoo's, so that both can start from the same weights.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from ascendify.zoo.attention_ocr.model import TOWERS, AttentionModel, coordinates
from ascendify.zoo.attention_ocr.model import normalise as attention_normalised
from ascendify.zoo.crnn.model import HEIGHT, CrnnModel
from ascendify.zoo.crnn.model import normalise as crnn_normalised
from ascendify.zoo.recipe import Batch


class PlainCrnn(nn.Module):
    """Pictures [B, 3, 32, 100] -> logits [25, B, classes]."""

    def __init__(self, config: CrnnModel) -> None:
        super().__init__()

        def stage(inputs: int, outputs: int, bias: bool = False) -> nn.Sequential:
            return nn.Sequential(
                nn.Conv2d(inputs, outputs, 3, padding=1, bias=bias),
                nn.BatchNorm2d(outputs, eps=1e-3, momentum=config.batch_norm_momentum),
                nn.ReLU(),
            )

        c1, c2, c3, c4, c5, c6, c7 = config.channels
        last = nn.Sequential(
            nn.Conv2d(c6, c7, 2, stride=(2, 1), bias=False),
            nn.BatchNorm2d(c7, eps=1e-3, momentum=config.batch_norm_momentum),
            nn.ReLU(),
        )
        self.cnn = nn.Sequential(
            stage(3, c1, bias=True), nn.MaxPool2d(2), stage(c1, c2, bias=True), nn.MaxPool2d(2),
            stage(c2, c3), stage(c3, c4), nn.MaxPool2d((2, 1)), stage(c4, c5), stage(c5, c6),
            nn.MaxPool2d((2, 1)), nn.ZeroPad2d((0, 1, 0, 0)), last,
        )  # fmt: skip
        self.rnn = nn.LSTM(c7, config.lstm, config.layers, bidirectional=True)
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(2 * config.lstm, config.classes, bias=False)

    def forward(self, pictures: Tensor) -> Tensor:
        """The logits of every time step."""
        sequence = self.cnn(pictures).squeeze(2).permute(2, 0, 1)
        logits: Tensor = self.output(self.dropout(self.rnn(sequence)[0]))
        return logits


def crnn_loss(model: nn.Module, batch: Batch, config: Any) -> Tensor:
    """The mean over the batch of ``F.ctc_loss``."""
    logits = model(crnn_normalised(batch["images"]))
    lengths = batch["lengths"]
    losses = functional.ctc_loss(
        logits.float().log_softmax(2), batch["labels"], torch.full_like(lengths, len(logits)),
        lengths, blank=config.model.blank, reduction="none", zero_infinity=True,
    )  # fmt: skip
    return losses.mean()


def crnn_batch(config: Any, samples: int, draws: torch.Generator) -> Batch:
    """Noise, and labels of which each can be aligned."""
    model, longest = config.model, config.data.longest
    shape = (samples, HEIGHT, model.width, 3)
    lengths = torch.randint(1, min(longest, model.steps // 2) + 1, (samples,), generator=draws)
    labels = torch.randint(0, model.blank, (samples, longest), generator=draws)
    labels[torch.arange(longest) >= lengths[:, None]] = model.blank
    return {"images": _noise(shape, draws), "labels": labels, "lengths": lengths}


class PlainDecoder(nn.Module):
    """The decoder of Attention-OCR as a loop over steps, with plain autograd."""

    def __init__(self, config: AttentionModel, features: int) -> None:
        super().__init__()
        self.config = config
        classes, units = config.classes, config.units
        self.keys = nn.Linear(features, features, bias=False)
        self.v = nn.Parameter(torch.empty(features))
        self.input = nn.Linear(classes + features, classes)
        self.gates = nn.Linear(classes + units, 4 * units)
        self.query = nn.Linear(2 * units, features)
        self.output = nn.Linear(units + features, units)
        self.logits = nn.Linear(units, classes)

    def forward(self, features: Tensor, labels: Tensor) -> Tensor:
        """Logits [B, N, classes] of features [B, P, C], with true characters as inputs."""
        samples, _, channels = features.shape
        config = self.config
        keys = self.keys(features)
        cell = features.new_zeros(samples, config.units)
        hidden = features.new_zeros(samples, config.units)
        context = features.new_zeros(samples, channels)
        character = features.new_zeros(samples, config.classes)
        found = []
        for step in range(config.length):
            x = self.input(torch.cat([character, context], 1))
            enter, new, keep, leave = self.gates(torch.cat([x, hidden], 1)).chunk(4, 1)
            cell = torch.sigmoid(keep) * cell + torch.sigmoid(enter) * torch.tanh(new)
            cell = cell.clamp(-config.cell_clip, config.cell_clip)
            hidden = torch.sigmoid(leave) * torch.tanh(cell)
            query = self.query(torch.cat([cell, hidden], 1))
            scores = torch.tanh(keys + query[:, None]) @ self.v
            weights = torch.softmax(scores, 1)
            context = (weights[:, None] @ features)[:, 0]
            found.append(self.logits(self.output(torch.cat([hidden, context], 1))))
            character = functional.one_hot(labels[:, step], config.classes).to(features.dtype)
        return torch.stack(found, 1)


class PlainAttentionOcr(nn.Module):
    """Pictures [B, 3, 150, 600] and labels [B, 37] -> logits [B, 37, 134]."""

    def __init__(self, config: AttentionModel) -> None:
        super().__init__()
        self.config = config
        tower, channels = TOWERS[config.tower]
        self.tower = tower(config.norm_momentum)
        if config.coordinates:
            channels += sum(config.map_size)
        self.decoder = PlainDecoder(config, channels)

    def forward(self, images: Tensor, labels: Tensor) -> Tensor:
        """The logits, the true character as input of every step."""
        views = torch.cat(images.chunk(self.config.views, 3), 0)
        maps = self.tower(views)
        if self.config.coordinates:
            where = coordinates(maps.shape[2], maps.shape[3], maps).permute(2, 0, 1)
            maps = torch.cat([maps, where.expand(len(maps), -1, -1, -1)], 1)
        stacked = torch.cat(maps.chunk(self.config.views, 0), 2)
        found: Tensor = self.decoder(stacked.flatten(2).transpose(1, 2), labels)
        return found


def attention_loss(model: nn.Module, batch: Batch, config: Any) -> Tensor:
    """Cross-entropy with label smoothing, summed over the steps, averaged over the batch; L2."""
    labels = batch["labels"]
    logits = model(attention_normalised(batch["images"]), labels)
    losses = functional.cross_entropy(
        logits.float().transpose(1, 2), labels, label_smoothing=config.loss.smoothing,
        reduction="none",
    )  # fmt: skip
    decayed = [p for name, p in model.named_parameters() if p.ndim == 4 or ".logits." in name]
    l2 = torch.stack([p.square().sum() for p in decayed]).sum()
    found: Tensor = losses.sum(1).mean() + config.loss.l2 / 2 * l2
    return found


def attention_batch(config: Any, samples: int, draws: torch.Generator) -> Batch:
    """Noise, and texts of every length, nulls behind them."""
    model = config.model
    shape = (samples, model.height, model.views * model.width, 3)
    lengths = torch.randint(1, model.length + 1, (samples, 1), generator=draws)
    labels = torch.randint(0, model.null, (samples, model.length), generator=draws)
    labels[torch.arange(model.length) >= lengths] = model.null
    return {"images": _noise(shape, draws), "labels": labels}


def _noise(shape: tuple[int, ...], draws: torch.Generator) -> Tensor:
    return torch.randint(0, 256, shape, dtype=torch.uint8, generator=draws)


class PlainNetwork(NamedTuple):
    """A plain network: its model, loss and batches."""

    model: Callable[[Any], nn.Module]
    loss: Callable[[nn.Module, Batch, Any], Tensor]
    batch: Callable[[Any, int, torch.Generator], Batch]
    overrides: tuple[str, ...]
    """Settings with which the zoo's network computes the same."""


PLAIN = {
    "crnn": PlainNetwork(
        PlainCrnn,
        crnn_loss,
        crnn_batch,
        ("train.optimizer.clip=none", "data.augmentation.share=0"),
    ),
    "attention-ocr": PlainNetwork(
        PlainAttentionOcr,
        attention_loss,
        attention_batch,
        ("train.optimizer.clip=none", "data.augment=false"),
    ),
}
"""By network name; ``model`` takes the ``model`` group of the configuration."""
