"""The networks as one writes them first in PyTorch, to measure against: eager, nothing fused.

``nn.LSTM`` and ``F.ctc_loss`` for CRNN; for Attention-OCR a Python loop over the decoder's steps.
Parameters have the names of the zoo's, so that both can start from the same weights.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from ascendify.zoo.attention_ocr.model import Model as AttentionModel
from ascendify.zoo.attention_ocr.model import inception_v3
from ascendify.zoo.crnn.model import CrnnModel


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


def plain_crnn_loss(logits: Tensor, labels: Tensor, lengths: Tensor, blank: int) -> Tensor:
    """The mean over the batch of ``F.ctc_loss``."""
    steps, samples, _ = logits.shape
    return functional.ctc_loss(
        logits.float().log_softmax(2), labels, torch.full_like(lengths, steps), lengths,
        blank=blank, reduction="none", zero_infinity=True,
    ).sum() / samples  # fmt: skip


class PlainDecoder(nn.Module):
    """The decoder of Attention-OCR, a step at a time, autograd remembering everything."""

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
        """Logits [B, N, classes] of features [B, P, C], the true character told at every step."""
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
            scores = (self.v * torch.tanh(keys + query[:, None])).sum(2)
            weights = torch.softmax(scores, 1)
            context = (weights[:, :, None] * features).sum(1)
            found.append(self.logits(self.output(torch.cat([hidden, context], 1))))
            character = functional.one_hot(labels[:, step], config.classes).to(features.dtype)
        return torch.stack(found, 1)


class PlainAttentionOcr(nn.Module):
    """Pictures [B, 3, 150, 600] and labels [B, 37] -> logits [B, 37, 134]."""

    def __init__(self, config: AttentionModel) -> None:
        super().__init__()
        self.config = config
        self.tower = inception_v3(config.norm_momentum)
        self.decoder = PlainDecoder(config, 288)

    def forward(self, images: Tensor, labels: Tensor) -> Tensor:
        """The logits, the true character told at every step."""
        views = torch.cat(images.chunk(self.config.views, 3), 0)
        maps = self.tower(views)
        stacked = torch.cat(maps.chunk(self.config.views, 0), 2)
        found: Tensor = self.decoder(stacked.flatten(2).transpose(1, 2), labels)
        return found


def plain_attention_loss(logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    """Cross-entropy with label smoothing, summed over the steps, averaged over the batch."""
    loss = functional.cross_entropy(
        logits.float().transpose(1, 2), labels, label_smoothing=smoothing, reduction="none"
    )
    return loss.sum(1).mean()
