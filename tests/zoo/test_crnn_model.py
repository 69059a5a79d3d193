"""CRNN's network: every layer's size, the first weights, and the two ways through the LSTM."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional

from ascendify.errors import UsageError
from ascendify.zoo.crnn.ctc import ctc_loss
from ascendify.zoo.crnn.model import Crnn, CrnnModel

SMALL = CrnnModel(width=24, channels=(4, 6, 8, 8, 10, 10, 12), lstm=5, classes=7)


def build(config: CrnnModel, seed: int = 0) -> Crnn:
    torch.manual_seed(seed)
    return Crnn(config)


@pytest.fixture(scope="module")
def guide() -> Crnn:
    return build(CrnnModel())


def test_parameters_of_the_guide(guide: Crnn) -> None:
    assert sum(parameter.numel() for parameter in guide.parameters()) == 8_725_248
    biased = [m.bias is not None for m in guide.modules() if isinstance(m, nn.Conv2d)]
    assert biased == [True, True, False, False, False, False, False]
    assert guide.output.bias is None


@pytest.mark.parametrize(
    ("change", "message", "hint"),
    [
        ({"channels": (3, 4)}, "model.channels is (3, 4)", "it must be seven numbers"),
        ({"channels": (1, 2, 3, 4, 5, 6, 0)}, "model.channels is (1, 2, 3, 4, 5, 6, 0)",
         "it must be above 0"),
        ({"lstm": 0}, "model.lstm is 0", "it must be above 0"),
        ({"layers": 0}, "model.layers is 0", "it must be above 0"),
        ({"width": 3}, "model.width is 3", "it must be at least 4"),
        ({"classes": 1}, "model.classes is 1", "it must be at least 2"),
        ({"dropout": 1.5}, "model.dropout is 1.5", "it must be from 0 to 1"),
    ],
)  # fmt: skip
def test_sizes_that_cannot_be(change: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        replace(CrnnModel(), **change)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_every_layer_of_the_guide(guide: Crnn) -> None:
    """Height, width, channels, as the guide's own table has them."""
    sizes: list[tuple[int, ...]] = []
    kinds = (nn.Conv2d, nn.MaxPool2d, nn.LSTM, nn.Linear)

    def note(module: nn.Module, inputs: object, outputs: object) -> None:
        result = outputs[0] if isinstance(outputs, tuple) else outputs
        assert isinstance(result, torch.Tensor)
        sizes.append(tuple(result[0].permute(1, 2, 0).shape if result.ndim == 4 else result.shape))

    hooks = [m.register_forward_hook(note) for m in guide.modules() if isinstance(m, kinds)]
    with torch.no_grad():
        logits = guide.eval()(torch.zeros(2, 3, 32, 100))
    for hook in hooks:
        hook.remove()
    assert sizes == [
        (32, 100, 64),
        (16, 50, 64),
        (16, 50, 128),
        (8, 25, 128),
        (8, 25, 256),
        (8, 25, 256),
        (4, 25, 256),
        (4, 25, 512),
        (4, 25, 512),
        (2, 25, 512),
        (1, 25, 512),
        (25, 2, 512),
        (25, 2, 37),
    ]
    assert logits.shape == (25, 2, 37)


def test_the_guides_constants(guide: Crnn) -> None:
    norms = [module for module in guide.modules() if isinstance(module, nn.BatchNorm2d)]
    assert len(norms) == 7
    for norm in norms:  # TensorFlow's momentum is what is kept: 0.999
        assert (norm.momentum, norm.eps, norm.affine) == (0.001, 1e-3, True)
    assert guide.dropout.p == 0.5
    assert guide.rnn.dropout == 0
    assert guide.config.blank == 36


def written_out(model: Crnn, pictures: Tensor) -> Tensor:
    """The guide's network without dropout, from the weights alone."""
    weights = {
        name.replace("cnn.", ""): value for name, value in model.state_dict(keep_vars=True).items()
    }

    def conv(x: Tensor, at: int, stride: tuple[int, int] = (1, 1), pad: int = 1) -> Tensor:
        x = functional.conv2d(
            x, weights[f"{at}.0.weight"], weights.get(f"{at}.0.bias"), stride, pad
        )
        mean, variance, scale, shift = (
            weights[f"{at}.1.{name}"][:, None, None]
            for name in ("running_mean", "running_var", "weight", "bias")
        )
        return torch.relu((x - mean) / torch.sqrt(variance + 1e-3) * scale + shift)

    x = functional.max_pool2d(conv(pictures, 0), (2, 2), (2, 2))
    x = functional.max_pool2d(conv(x, 2), (2, 2), (2, 2))
    x = functional.max_pool2d(conv(conv(x, 4), 5), (2, 1), (2, 1))
    x = functional.max_pool2d(conv(conv(x, 7), 8), (2, 1), (2, 1))
    x = torch.cat([x, torch.zeros_like(x[:, :, :, :1])], dim=3)  # TensorFlow's SAME: on the right
    columns = [column[:, :, 0] for column in conv(x, 11, (2, 1), 0).unbind(3)]
    for layer in range(model.config.layers):
        ways = []
        for direction in ("", "_reverse"):
            turned = columns[::-1] if direction else columns
            outputs = lstm(weights, f"l{layer}{direction}", turned)
            ways.append(outputs[::-1] if direction else outputs)
        columns = [torch.cat(both, dim=1) for both in zip(*ways)]
    return torch.stack([column @ weights["output.weight"].t() for column in columns])


def lstm(weights: dict[str, Tensor], name: str, inputs: list[Tensor]) -> list[Tensor]:
    cell = hidden = inputs[0].new_zeros(len(inputs[0]), weights[f"rnn.weight_hh_{name}"].shape[1])
    outputs = []
    for x in inputs:
        gates = x @ weights[f"rnn.weight_ih_{name}"].t() + weights[f"rnn.bias_ih_{name}"]
        gates = gates + hidden @ weights[f"rnn.weight_hh_{name}"].t()
        i, f, g, o = (gates + weights[f"rnn.bias_hh_{name}"]).chunk(4, 1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        hidden = torch.sigmoid(o) * torch.tanh(cell)
        outputs.append(hidden)
    return outputs


def test_the_network_is_the_one_written_out() -> None:
    model = build(SMALL, seed=4).double().eval()
    with torch.no_grad():  # nothing is zero or one any more
        for name, value in model.state_dict().items():
            if value.is_floating_point():
                noise = torch.randn_like(value) * 0.3
                value.add_(noise.abs() if "running_var" in name else noise)
    pictures = torch.rand(2, 3, 32, 24, dtype=torch.float64) * 2 - 1
    with torch.no_grad():
        torch.testing.assert_close(
            model(pictures), written_out(model, pictures).float(), rtol=1e-5, atol=1e-6
        )


def test_dropout_is_between_the_lstm_and_the_classes_and_nowhere_else() -> None:
    model = build(replace(SMALL, dropout=1.0)).train()
    assert not model(torch.rand(2, 3, 32, 24)).any()
    seen: list[Tensor] = []
    for module in (model.rnn, model.output):
        module.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    model(torch.rand(2, 3, 32, 24))
    assert seen[0].any()
    assert not seen[1].any()
    assert model.eval()(torch.rand(2, 3, 32, 24)).any()


@pytest.mark.parametrize("width", [16, 24, 64, 98, 100])
def test_a_step_is_four_pixels(width: int) -> None:
    config = replace(SMALL, width=width)
    logits = build(config)(torch.zeros(2, 3, 32, width))
    assert logits.shape == (config.steps, 2, 7)


def test_first_weights(guide: Crnn) -> None:
    for conv in (m for m in guide.modules() if isinstance(m, nn.Conv2d)):
        deviation = math.sqrt(2 / conv.weight[0].numel())
        assert conv.weight.std().item() == pytest.approx(deviation, rel=0.08)
        assert conv.weight.abs().max() <= 2 * math.sqrt(1.3) * deviation
        assert conv.bias is None or not conv.bias.any()
    for weights in guide.rnn.all_weights:
        input_weight, state_weight, input_bias, state_bias = weights
        bound = math.sqrt(6 / (512 + 256 + 1024))
        for weight in (input_weight, state_weight):
            assert 0.99 * bound < weight.abs().max() <= bound
        both = input_bias + state_bias
        assert both[256:512].eq(1).all()
        assert not both[:256].any()
        assert not both[512:].any()
    assert guide.output.weight.abs().max() <= 0.04
    assert guide.output.weight.std().item() == pytest.approx(0.88 * 0.02, rel=0.05)


@pytest.mark.parametrize("training", [True, False])
def test_one_direction_at_a_time_gives_the_same(training: bool) -> None:
    together = build(replace(SMALL, dropout=0.0), seed=1).train(training)
    split = build(replace(SMALL, dropout=0.0, split_bidirectional=True), seed=2).train(training)
    assert list(together.state_dict()) == list(split.state_dict())
    split.load_state_dict(together.state_dict())
    pictures = torch.rand(3, 3, 32, 24) * 2 - 1
    ours, theirs = together(pictures), split(pictures)
    torch.testing.assert_close(ours, theirs)
    torch.autograd.backward(ours.square().sum())
    torch.autograd.backward(theirs.square().sum())
    for one, other in zip(together.parameters(), split.parameters()):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-5)


def test_evaluation_does_not_depend_on_the_other_samples() -> None:
    model = build(SMALL)
    pictures = torch.rand(8, 3, 32, 24) * 2 - 1
    model(pictures)  # running statistics are no longer the first ones
    model.eval()
    with torch.no_grad():
        together = model(pictures)
        alone = torch.cat([model(picture[None]) for picture in pictures], dim=1)
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-6)


def test_loss_of_fixed_seeds() -> None:
    """A number that was right once; if it moves, the network or its first weights moved."""
    model = build(SMALL, seed=3).eval()
    pictures = torch.linspace(-1, 1, 2 * 3 * 32 * 24).view(2, 3, 32, 24)
    labels, lengths = torch.tensor([[0, 1, 1], [5, 6, 6]]), torch.tensor([3, 1])
    with torch.no_grad():
        losses = ctc_loss(model(pictures), labels, lengths, 6)
    assert losses.tolist() == pytest.approx([8.339975, 8.631443], rel=1e-4)


def test_learns_one_batch_by_heart() -> None:
    torch.manual_seed(0)
    model = Crnn(replace(SMALL, dropout=0.0, channels=(8,) * 7, lstm=16))
    pictures = torch.rand(8, 3, 32, 24) * 2 - 1
    labels, lengths = torch.randint(0, 6, (8, 3)), torch.tensor([0, 1, 1, 2, 2, 3, 3, 3])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(200):
        optimizer.zero_grad()
        loss = ctc_loss(model(pictures), labels, lengths, 6).mean()
        torch.autograd.backward(loss)
        optimizer.step()
    assert loss.item() < 0.05


def test_bfloat16_is_near() -> None:
    model = build(replace(SMALL, dropout=0.0))
    pictures = torch.rand(4, 3, 32, 24) * 2 - 1
    labels, lengths = torch.randint(0, 6, (4, 3)), torch.tensor([1, 2, 3, 3])
    exact = ctc_loss(model(pictures), labels, lengths, 6).mean()
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(pictures)
        near = ctc_loss(logits, labels, lengths, 6).mean()
    torch.autograd.backward(near)
    assert logits.dtype == torch.float32
    assert near.item() == pytest.approx(exact.item(), rel=0.02)
