"""Attention-OCR, read top to bottom: a tower of convolutions, four views, an attending decoder.

As in tensorflow/models, research/attention_ocr (Wojna et al., 2017): Inception-v3 up to Mixed_5d,
the maps of the views stacked along their height, and ``legacy_seq2seq.attention_decoder``.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Callable, Literal, NamedTuple, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional

from ascendify.zoo.attention_ocr.attention import Memory, wide
from ascendify.zoo.attention_ocr.pooling import Pool
from ascendify.zoo.config import require
from ascendify.zoo.kernels import has_kernels

MIXED = (64, 64, 96)
"""Channels of the branches 1x1, 5x5 and double 3x3 of a Mixed block; that of the pool varies."""


@dataclass(frozen=True)
class AttentionModel:
    """The sizes of the network; the defaults are the guide's."""

    views: int = 4
    height: int = 150
    width: int = 150
    """Of one view; a picture has the views side by side."""
    tower: Literal["inception-v3", "three-convolutions"] = "inception-v3"
    coordinates: bool = False
    """Whether each position's row and column in its view, one-hot, are features too."""
    classes: int = 134
    null: int = 133
    """The class that pads a text."""
    length: int = 37
    """Characters of a text, nulls included."""
    units: int = 256
    """Of the LSTM."""
    cell_clip: float = 10.0
    norm_momentum: float = 0.0003
    """Weight of a batch in the running statistics: 1 - decay. Short runs need 0.01 to 0.1."""
    fused: bool = True
    """Whether the attention is fused into single kernels where the device has them."""

    def __post_init__(self) -> None:
        least = 27 if self.tower == "inception-v3" else 1
        require(
            (
                ("model.views", self.views, self.views > 0, "above 0"),
                ("model.height", self.height, self.height >= least, f"at least {least}"),
                ("model.width", self.width, self.width >= least, f"at least {least}"),
                ("model.classes", self.classes, self.classes > 1, "at least 2"),
                ("model.null", self.null, 0 <= self.null < self.classes, "below model.classes"),
                ("model.length", self.length, self.length > 0, "above 0"),
                ("model.units", self.units, self.units > 0, "above 0"),
                ("model.cell_clip", self.cell_clip, self.cell_clip > 0, "above 0"),
            )
        )

    @property
    def map_size(self) -> tuple[int, int]:
        """Rows and columns that the tower makes of a view."""
        if self.tower == "inception-v3":
            return _inception_size(self.height), _inception_size(self.width)
        return -(-self.height // 4), -(-self.width // 4)


class Norm(nn.BatchNorm2d):
    """Batch normalisation as in slim: epsilon 1e-3, a shift and no scale.

    The scale is a constant 1, because the fast kernels need one.
    """

    def __init__(self, channels: int, momentum: float) -> None:
        super().__init__(channels, eps=1e-3, momentum=momentum)
        del self.weight
        self.register_buffer("weight", torch.ones(channels))


class Conv(nn.Sequential):
    """Convolution without bias, normalisation, ReLU."""

    def __init__(
        self, inputs: int, outputs: int, size: int, momentum: float, stride: int = 1, pad: int = 0
    ) -> None:
        convolution = nn.Conv2d(inputs, outputs, size, stride, pad, bias=False)
        he_normal(convolution.weight)
        super().__init__(convolution, Norm(outputs, momentum), nn.ReLU(inplace=True))


class Mixed(nn.Module):
    """Mixed_5b, 5c and 5d of Inception-v3: four branches side by side."""

    def __init__(self, inputs: int, pooled: int, momentum: float) -> None:
        super().__init__()
        one, five, three = MIXED
        self.one = Conv(inputs, one, 1, momentum)
        self.five = nn.Sequential(Conv(inputs, 48, 1, momentum), Conv(48, five, 5, momentum, pad=2))
        self.three = nn.Sequential(
            Conv(inputs, 64, 1, momentum),
            Conv(64, three, 3, momentum, pad=1),
            Conv(three, three, 3, momentum, pad=1),
        )
        # TensorFlow's mean at a border is over the pixels that are there, not over padding.
        self.pool = nn.Sequential(
            nn.AvgPool2d(3, 1, 1, count_include_pad=False), Conv(inputs, pooled, 1, momentum)
        )

    def forward(self, x: Tensor) -> Tensor:
        """The branches' channels, 1x1 first, pool last."""
        return torch.cat([self.one(x), self.five(x), self.three(x), self.pool(x)], 1)


def inception_v3(momentum: float) -> nn.Sequential:
    """Inception-v3 up to Mixed_5d: 150 pixels become 16; 288 channels."""
    tower = nn.Sequential()
    tower.add_module("conv_1a", Conv(3, 32, 3, momentum, stride=2))
    tower.add_module("conv_2a", Conv(32, 32, 3, momentum))
    tower.add_module("conv_2b", Conv(32, 64, 3, momentum, pad=1))
    tower.add_module("pool_3a", Pool())
    tower.add_module("conv_3b", Conv(64, 80, 1, momentum))
    tower.add_module("conv_4a", Conv(80, 192, 3, momentum))
    tower.add_module("pool_5a", Pool())
    tower.add_module("mixed_5b", Mixed(192, 32, momentum))
    tower.add_module("mixed_5c", Mixed(256, 64, momentum))
    tower.add_module("mixed_5d", Mixed(288, 64, momentum))
    return tower


def three_convolutions(momentum: float) -> nn.Sequential:
    """A tower for tests: a quarter of the size; 32 channels."""
    return nn.Sequential(
        Conv(3, 16, 3, momentum, stride=2, pad=1),
        Conv(16, 32, 3, momentum, stride=2, pad=1),
        Conv(32, 32, 3, momentum, pad=1),
    )


TOWERS = {
    "inception-v3": (inception_v3, 288),
    "three-convolutions": (three_convolutions, 32),
}


def split_views(images: Tensor, views: int) -> Tensor:
    """Pictures [B,C,H,views*W] as single views [B*views,C,H,W], those of a picture in a row."""
    batch, channels, height, width = images.shape
    apart = images.reshape(batch, channels, height, views, width // views)
    return apart.permute(0, 3, 1, 2, 4).reshape(batch * views, channels, height, width // views)


def coordinates(height: int, width: int, like: Tensor) -> Tensor:
    """One-hot row and column of every position, [H,W,H+W]."""
    rows = torch.eye(height, dtype=like.dtype, device=like.device)[:, None].expand(-1, width, -1)
    columns = torch.eye(width, dtype=like.dtype, device=like.device).expand(height, -1, -1)
    return torch.cat([rows, columns], 2)


class DecoderState(NamedTuple):
    """State between steps of the decoder: that of the LSTM, and the last context."""

    cell: Tensor
    """[B,units], of the wider type."""
    hidden: Tensor
    context: Tensor


class DecoderStep(NamedTuple):
    """A step of the decoder: LSTM, query, attention."""

    recurrent: Tensor
    """From [context; hidden] to the gates, [4*units,C+units]."""
    to_query: Tensor
    """From [cell; hidden] to the query, [C,2*units]."""
    query_bias: Tensor
    memory: Memory
    clip: float
    """The largest value of a cell."""

    def start(self, samples: int) -> DecoderState:
        """Return a state of zeros."""
        channels, like = len(self.query_bias), self.recurrent
        units = like.shape[1] - channels
        cell = like.new_zeros(samples, units, dtype=wide(like.dtype))
        return DecoderState(cell, like.new_zeros(samples, units), like.new_zeros(samples, channels))

    def next(self, inputs: Tensor, state: DecoderState) -> tuple[DecoderState, Tensor]:
        """Return the next state and the weights [B,P]; ``inputs`` are added to the gates."""
        before = torch.cat([state.context, state.hidden], 1)
        gates = torch.addmm(inputs, before, self.recurrent.t())
        cell, hidden = lstm(gates, state.cell, self.clip)
        both = torch.cat([cell.to(hidden.dtype), hidden], 1)
        query = torch.addmm(self.query_bias, both, self.to_query.t())
        context, weights = self.memory.attend(query)
        return DecoderState(cell, hidden, context), weights


def lstm(gates: Tensor, cell: Tensor, clip: float) -> tuple[Tensor, Tensor]:
    """Return the new cell, clipped, in the wider type, and the new output."""
    enter, new, keep, leave = gates.to(cell.dtype).chunk(4, 1)
    cell = torch.sigmoid(keep) * cell + torch.sigmoid(enter) * torch.tanh(new)
    cell = cell.clamp(-clip, clip)
    return cell, (torch.sigmoid(leave) * torch.tanh(cell)).to(gates.dtype)


def decode(
    inputs: Tensor,
    recurrent: Tensor,
    to_query: Tensor,
    query_bias: Tensor,
    memory: Tensor,
    features: Tensor,
    v: Tensor,
    clip: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Run all steps for known inputs [N,B,4*units]: outputs, contexts and weights, [N,B,...]."""
    steps = DecoderStep(recurrent, to_query, query_bias, Memory(features, memory, v), clip)
    state = steps.start(len(features))
    made = []
    for step_inputs in inputs:
        state, weights = steps.next(step_inputs, state)
        made.append((state.hidden, state.context, weights))
    hidden, contexts, maps = (torch.stack(part) for part in zip(*made))
    return hidden, contexts, maps


def decoding(keys: Tensor, fused: bool) -> Callable[..., tuple[Tensor, Tensor, Tensor]]:
    """Return ``decode``, or its fused version if it is requested and the device supports it."""
    if fused and has_kernels(keys):
        kernels = importlib.import_module(f"{__package__}.fused.decoder")
        return kernels.decode  # type: ignore[no-any-return]  # imported by name
    return decode


class AttentionDecoder(nn.Module):
    """``attention_decoder``: one LSTM step per character, each with attention over the positions.

    With e the one-hot character before (zeros for the first), a the context of the step before::

        x = input([e; a])        c, h = lstm(x, c, h)        query([c; h]) reads the context a
        o = output([h; a])       logits = logits(o)

    ``input`` and the LSTM's gates are both linear, so they are merged: a table has the
    contribution of each character to the gates, and one matrix product that of a and h. The gates
    are in TensorFlow's order: input, new value, forget, output.
    """

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
        self._initialise()

    def _initialise(self) -> None:
        """Initialise as upstream: orthogonal gates and logits, Glorot for the others."""
        for linear in (self.keys, self.input, self.query, self.output):
            nn.init.xavier_uniform_(linear.weight)
        bound = math.sqrt(3 / len(self.v))
        nn.init.uniform_(self.v, -bound, bound)
        for linear in (self.gates, self.logits):
            nn.init.orthogonal_(linear.weight)
        for linear in (self.input, self.gates, self.query, self.output, self.logits):
            nn.init.zeros_(linear.bias)
        with torch.no_grad():
            self.gates.bias[2 * self.config.units : 3 * self.config.units] = 1  # forget little

    def forward(self, features: Tensor, labels: Optional[Tensor] = None) -> tuple[Tensor, Tensor]:
        """Logits [B,N,classes] and weights [B,N,P] of features [B,P,C].

        With labels [B,N] every step gets the true previous character; without, the predicted one.
        """
        keys = self.keys(features)
        features = features.to(keys.dtype)
        table, recurrent = self._fold(keys.dtype)
        to_query, bias = self.query.weight.to(keys.dtype), self.query.bias.to(keys.dtype)
        clip = self.config.cell_clip
        if labels is None:
            memory = Memory(features, keys, self.v)
            return self._guess(
                DecoderStep(recurrent, to_query, bias, memory, clip), table, len(features)
            )
        none = torch.full_like(labels[:, :1], len(table) - 1)
        inputs = functional.embedding(torch.cat([none, labels[:, :-1]], 1).t(), table)
        run = decoding(keys, self.config.fused)
        hidden, contexts, maps = run(
            inputs, recurrent, to_query, bias, keys, features, self.v, clip
        )
        logits = self._read(torch.cat([hidden, contexts], 2))
        return logits.transpose(0, 1), maps.transpose(0, 1)

    def _guess(self, steps: DecoderStep, table: Tensor, samples: int) -> tuple[Tensor, Tensor]:
        """Decode with the likeliest character of each step as input of the next."""
        state = steps.start(samples)
        inputs = table[-1].expand(samples, -1)
        logits, maps = [], []
        for _ in range(self.config.length):
            state, weights = steps.next(inputs, state)
            found = self._read(torch.cat([state.hidden, state.context], 1))
            inputs = functional.embedding(found.argmax(1), table)
            logits.append(found)
            maps.append(weights)
        return torch.stack(logits, 1), torch.stack(maps, 1)

    def _fold(self, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Return what each character (last row: none) and [a; h] contribute to the gates."""
        classes, units = self.config.classes, self.config.units
        of_x, of_h = torch.split(self.gates.weight, [classes, units], 1)
        of_character, of_context = torch.split(self.input.weight, [classes, len(self.v)], 1)
        always = functional.linear(self.input.bias, of_x, self.gates.bias)
        none = of_character.new_zeros(1, classes)
        table = functional.linear(torch.cat([of_character.t(), none]), of_x, always)
        recurrent = torch.cat([(of_x @ of_context).to(dtype), of_h.to(dtype)], 1)
        return table.to(dtype), recurrent

    def _read(self, outputs: Tensor) -> Tensor:
        """Return logits, in the wider type, of [h; a]."""
        logits: Tensor = self.logits(self.output(outputs))
        return logits.to(wide(logits.dtype))


class AttentionOutput(NamedTuple):
    """Logits [B,N,classes], and the attention maps [B,N,views,H,W] of each character."""

    logits: Tensor
    maps: Tensor


class AttentionOCR(nn.Module):
    """The whole network."""

    def __init__(self, config: AttentionModel) -> None:
        super().__init__()
        self.config = config
        build, channels = TOWERS[config.tower]
        self.tower = build(config.norm_momentum)
        if config.coordinates:
            height, width = self.config.map_size
            channels += height + width
        self.decoder = AttentionDecoder(config, channels)

    def features(self, images: Tensor) -> Tensor:
        """Return features [B,P,C] of pictures [B,3,H,views*W]; views are stacked by rows."""
        maps: Tensor = self.tower(split_views(images, self.config.views)).permute(0, 2, 3, 1)
        if self.config.coordinates:
            height, width = maps.shape[1:3]
            where = coordinates(height, width, maps).expand(len(maps), -1, -1, -1)
            maps = torch.cat([maps, where], 3)
        return maps.reshape(len(images), -1, maps.shape[3])

    def forward(self, images: Tensor, labels: Optional[Tensor] = None) -> Tensor:
        """Logits [B,N,classes] of pictures in [-1.25, 1.25]; labels are for teacher forcing."""
        logits: Tensor = self.decoder(self.features(images), labels)[0]
        return logits

    def read(self, images: Tensor, labels: Optional[Tensor] = None) -> AttentionOutput:
        """Logits, and the attention maps of every character."""
        logits, weights = self.decoder(self.features(images), labels)
        batch, steps, _ = weights.shape
        maps = weights.reshape(batch, steps, self.config.views, *self.config.map_size)
        return AttentionOutput(logits, maps)


def normalise(images: Tensor) -> Tensor:
    """Convert pictures as stored, uint8 [B,H,W,3], to the network's input: float [B,3,H,W]."""
    return images.permute(0, 3, 1, 2).float().mul(2.5 / 255).sub(1.25)


def he_normal(weight: Tensor) -> None:
    """As slim's variance_scaling: a normal cut at two deviations, of variance 2 / fan in."""
    deviation = math.sqrt(1.3 * 2 / weight[0].numel())
    nn.init.trunc_normal_(weight, std=deviation, a=-2 * deviation, b=2 * deviation)


def _inception_size(pixels: int) -> int:
    """Return the side of a map of the Inception tower."""
    size = (pixels - 3) // 2 + 1  # 1a
    size = (size - 2 - 3) // 2 + 1  # 2a, pool 3a
    return (size - 2 - 3) // 2 + 1  # 4a, pool 5a
