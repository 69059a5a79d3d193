"""The network of the CRNN guide (upstream ``crnn_net.ShadowNet``), layer by layer.

Sizes in brackets are height x width x channels for the guide's 32 x 100 pictures:

    conv1 3x3 bias  [32x100x64]  pool 2x2     conv5 3x3       [4x25x512]
    conv2 3x3 bias  [16x50x128]  pool 2x2     conv6 3x3       [4x25x512]  pool 2x1
    conv3 3x3       [8x25x256]                conv7 2x2 / 2x1 [1x25x512]
    conv4 3x3       [8x25x256]   pool 2x1     2 BiLSTM(256), dropout, 37 classes without bias

Every convolution is followed by batch normalisation and ReLU, and then the pool. A column of the
last convolution is a time step: there is one for every four pixels of width.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn

from ascendify.zoo.config import require

HEIGHT = 32
"""Height of pictures in pixels: the pools and the last stride reduce it to one row."""
PIXELS_PER_STEP = 4
CONVOLUTIONS = 7


@dataclass(frozen=True)
class CrnnModel:
    """The sizes of the network; the defaults are the guide's."""

    width: int = 100
    """Width of pictures in pixels."""
    channels: tuple[int, ...] = (64, 128, 256, 256, 512, 512, 512)
    """Channels of the seven convolutions."""
    lstm: int = 256
    """Units per direction."""
    layers: int = 2
    classes: int = 37
    """Symbols and the blank, which is the last."""
    dropout: float = 0.5
    """Share of the LSTM's outputs that is dropped; between its layers there is no dropout."""
    batch_norm_momentum: float = 0.001
    """Weight of a new batch in the running statistics (TensorFlow writes this 0.999); runs of
    fewer than some 5,000 steps need 0.01 to 0.1."""
    batch_norm_epsilon: float = 1e-3
    output_deviation: float = 0.02
    """Standard deviation of the output layer's initial weights; with the guide's value a network
    outputs only blanks for long at first, and small networks for hundreds of steps."""
    split_bidirectional: bool = False
    """Whether each direction is an LSTM call of its own, for CANN versions whose LSTM has one
    direction; weights and results are the same."""

    def __post_init__(self) -> None:
        require(
            (
                (
                    "model.channels",
                    self.channels,
                    len(self.channels) == CONVOLUTIONS,
                    "seven numbers",
                ),
                ("model.channels", self.channels, min(self.channels, default=0) > 0, "above 0"),
                ("model.width", self.width, self.width >= PIXELS_PER_STEP, "at least 4"),
                ("model.lstm", self.lstm, self.lstm > 0, "above 0"),
                ("model.layers", self.layers, self.layers > 0, "above 0"),
                ("model.classes", self.classes, self.classes > 1, "at least 2"),
                ("model.dropout", self.dropout, 0 <= self.dropout <= 1, "from 0 to 1"),
            )
        )

    @property
    def steps(self) -> int:
        """Time steps of the output."""
        return self.width // PIXELS_PER_STEP

    @property
    def blank(self) -> int:
        """The class of the blank."""
        return self.classes - 1


class Crnn(nn.Module):
    """Pictures [B, 3, 32, W] in -1 to 1 -> logits [W / 4, B, classes], always float32."""

    def __init__(self, config: CrnnModel) -> None:
        super().__init__()
        self.config = config
        c1, c2, c3, c4, c5, c6, c7 = config.channels
        self.cnn = nn.Sequential(
            self._stage(3, c1, bias=True),
            nn.MaxPool2d(2),
            self._stage(c1, c2, bias=True),
            nn.MaxPool2d(2),
            self._stage(c2, c3),
            self._stage(c3, c4),
            nn.MaxPool2d((2, 1)),
            self._stage(c4, c5),
            self._stage(c5, c6),
            nn.MaxPool2d((2, 1)),
            # TensorFlow's SAME: an even window leaves one column to pad, and it is the right one
            nn.ZeroPad2d((0, 1, 0, 0)),
            self._stage(c6, c7, kernel=2, stride=(2, 1), padding=0),
        )
        self.rnn = SplittableLstm(
            c7, config.lstm, config.layers, bidirectional=True, split=config.split_bidirectional
        )
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(2 * config.lstm, config.classes, bias=False)
        self.reset()

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the logits of every time step."""
        features = self.cnn(pictures)
        sequence = features.squeeze(2).permute(2, 0, 1)
        states, _ = self.rnn(sequence)
        logits: Tensor = self.output(self.dropout(states))
        return logits.float()

    @torch.no_grad()
    def reset(self) -> None:
        """Initialise the weights, with the distributions of the guide."""
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                he_normal_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        reset_lstm_(self.rnn)
        deviation = self.config.output_deviation
        nn.init.trunc_normal_(self.output.weight, std=deviation, a=-2 * deviation, b=2 * deviation)

    def _stage(
        self,
        inputs: int,
        outputs: int,
        bias: bool = False,
        kernel: int = 3,
        stride: tuple[int, int] = (1, 1),
        padding: int = 1,
    ) -> nn.Sequential:
        momentum, epsilon = self.config.batch_norm_momentum, self.config.batch_norm_epsilon
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=bias),
            nn.BatchNorm2d(outputs, eps=epsilon, momentum=momentum),
            nn.ReLU(inplace=True),
        )


def normalise(images: Tensor) -> Tensor:
    """Pictures uint8 [B, H, W, 3] -> [B, 3, H, W] in -1 to 1."""
    return images.permute(0, 3, 1, 2).float() / 127.5 - 1


class SplittableLstm(nn.LSTM):
    """An LSTM over [T, B, features] that can compute its directions in separate calls."""

    def __init__(
        self, inputs: int, units: int, layers: int, *, bidirectional: bool, split: bool
    ) -> None:
        super().__init__(inputs, units, layers, bidirectional=bidirectional)
        self.split = split

    def forward(  # type: ignore[override]  # no packed sequences, and no first state
        self, sequence: Tensor
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the last layer's outputs, and the last hidden and cell states of all layers."""
        if not self.split:
            outputs, last = super().forward(sequence)
            return outputs, last
        hidden, cells = [], []
        for layer in range(self.num_layers):
            directions = []
            for direction in range(1 + self.bidirectional):
                weights = tuple(self.all_weights[layer * (1 + self.bidirectional) + direction])
                turned = sequence.flip(0) if direction else sequence
                zeros = sequence.new_zeros(1, sequence.shape[1], self.hidden_size)
                outputs, h, c = torch.lstm(
                    turned, (zeros, zeros), weights, True, 1, 0.0, self.training, False, False
                )
                directions.append(outputs.flip(0) if direction else outputs)
                hidden.append(h)
                cells.append(c)
            sequence = torch.cat(directions, dim=2)
        return sequence, (torch.cat(hidden), torch.cat(cells))


def he_normal_(weight: Tensor) -> None:
    """TensorFlow 1's ``variance_scaling_initializer()``: normal, cut off at two deviations.

    The 1.3 is TensorFlow's: it corrects the variance for the cut-off.
    """
    deviation = sqrt(1.3 * 2.0 / weight[0].numel())
    nn.init.trunc_normal_(weight, std=deviation, a=-2 * deviation, b=2 * deviation)


def reset_lstm_(lstm: nn.LSTM) -> None:
    """Glorot-uniform kernels and a forget bias of 1, as TensorFlow's LSTM cells have them.

    TensorFlow's kernel is one matrix for the input and the state, so both parts share its bound.
    torch has two biases that are added: the 1 goes into one of them.
    """
    for input_weight, state_weight, input_bias, state_bias in lstm.all_weights:
        gates, inputs = input_weight.shape
        units = state_weight.shape[1]
        bound = sqrt(6.0 / (inputs + units + gates))
        nn.init.uniform_(input_weight, -bound, bound)
        nn.init.uniform_(state_weight, -bound, bound)
        nn.init.zeros_(input_bias)
        nn.init.zeros_(state_bias)
        input_bias[units : 2 * units] = 1.0  # torch's order of gates: input, forget, cell, output
