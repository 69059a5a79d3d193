"""Attention-OCR: its layers, its sizes, and its decoder against one that is written out."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

import numpy
import pytest

pytest.importorskip("torch")
import torch
from torch import Tensor, nn
from torch.nn import functional

from ascendify.errors import UsageError
from ascendify.zoo.attention_ocr.model import (
    AttentionDecoder,
    AttentionModel,
    AttentionOCR,
    Norm,
    lstm,
    normalise,
    split_views,
)
from support.interpreters import preloaded, tensorflow_python, user_environment

GUIDE = AttentionModel()
SMALL = AttentionModel(
    views=2, height=24, width=24, tower="three-convolutions", classes=11, null=10, length=4, units=8
)


def test_every_layer_of_the_tower() -> None:
    shapes = {}
    view = torch.zeros(1, 3, 150, 150)
    for name, layer in AttentionOCR(GUIDE).eval().tower.named_children():
        view = layer(view)
        shapes[name] = tuple(view.shape[1:])
    assert shapes == {
        "conv_1a": (32, 74, 74),
        "conv_2a": (32, 72, 72),
        "conv_2b": (64, 72, 72),
        "pool_3a": (64, 35, 35),
        "conv_3b": (80, 35, 35),
        "conv_4a": (192, 33, 33),
        "pool_5a": (192, 16, 16),
        "mixed_5b": (256, 16, 16),
        "mixed_5c": (288, 16, 16),
        "mixed_5d": (288, 16, 16),
    }


COUNTS = {
    "tower": 989_344,
    "decoder.keys": 288 * 288,
    "decoder.v": 288,
    "decoder.input": (134 + 288) * 134 + 134,
    "decoder.gates": (134 + 256) * 1024 + 1024,
    "decoder.query": 512 * 288 + 288,
    "decoder.output": (256 + 288) * 256 + 256,
    "decoder.logits": 256 * 134 + 134,
}


def test_parameters_of_every_part() -> None:
    parameters = dict(AttentionOCR(GUIDE).named_parameters())
    found = {
        part: sum(p.numel() for name, p in parameters.items() if f"{name}.".startswith(f"{part}."))
        for part in COUNTS
    }
    assert found == COUNTS
    assert sum(p.numel() for p in parameters.values()) == sum(COUNTS.values())


@pytest.mark.parametrize("coordinates", [False, True])
def test_logits_and_maps_of_the_guides_pictures(coordinates: bool) -> None:
    model = AttentionOCR(AttentionModel(coordinates=coordinates)).eval()
    images, labels = torch.randn(1, 3, 150, 600), torch.zeros(1, 37, dtype=torch.long)
    with torch.no_grad():
        assert model(images, labels).shape == (1, 37, 134)
        assert model.features(images).shape == (1, 1024, 320 if coordinates else 288)
        reading = model.read(images)
    assert reading.logits.shape == (1, 37, 134)
    assert reading.maps.shape == (1, 37, 4, 16, 16)
    torch.testing.assert_close(reading.maps.sum((2, 3, 4)), torch.ones(1, 37))


def test_views_stand_side_by_side_and_their_features_one_below_another() -> None:
    images = torch.arange(2 * 3 * 2 * 4.0).reshape(2, 3, 2, 4)
    apart = split_views(images, 2)
    torch.testing.assert_close(apart[0], images[0, :, :, :2], rtol=0, atol=0)
    torch.testing.assert_close(apart[1], images[0, :, :, 2:], rtol=0, atol=0)
    torch.testing.assert_close(apart[2], images[1, :, :, :2], rtol=0, atol=0)

    model = AttentionOCR(SMALL).eval()
    pictures = torch.randn(2, 3, 24, 48)
    maps = [model.tower(view) for view in pictures.chunk(2, 3)]
    stacked = torch.cat(maps, 2).flatten(2).transpose(1, 2)
    torch.testing.assert_close(model.features(pictures), stacked)


def test_coordinates_are_the_row_and_the_column_in_the_view() -> None:
    model = AttentionOCR(replace(SMALL, coordinates=True)).eval()
    features = model.features(torch.randn(1, 3, 24, 48))
    assert features.shape == (1, 72, 32 + 12)
    where = features[0, :, 32:].reshape(2, 6, 6, 12)
    for view, row, column in ((0, 0, 0), (0, 2, 5), (1, 5, 3)):
        assert where[view, row, column].nonzero().flatten().tolist() == [row, 6 + column]


def test_pictures_are_centred_as_upstream() -> None:
    levels = torch.tensor([0, 51, 255], dtype=torch.uint8).reshape(1, 1, 1, 3)
    torch.testing.assert_close(normalise(levels).flatten(), (torch.tensor([0, 0.2, 1]) - 0.5) * 2.5)


def test_normalisation_has_no_scale_and_slims_epsilon() -> None:
    norm = Norm(3, 0.1)
    assert [name for name, _ in norm.named_parameters()] == ["bias"]
    assert norm.eps == 1e-3
    x = torch.randn(4, 3, 5, 5)
    mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3), correction=0)
    wanted = (x - mean[:, None, None]) / (variance[:, None, None] + 1e-3).sqrt()
    torch.testing.assert_close(norm(x), wanted, rtol=1e-4, atol=1e-5)


def test_the_mean_at_a_border_is_over_the_pixels_that_are_there() -> None:
    pool = AttentionOCR(GUIDE).tower.get_submodule("mixed_5b.pool.0")
    torch.testing.assert_close(pool(torch.ones(1, 1, 4, 4)), torch.ones(1, 1, 4, 4))


def test_the_guides_constants() -> None:
    assert (GUIDE.views, GUIDE.height, GUIDE.width) == (4, 150, 150)
    assert (GUIDE.classes, GUIDE.null, GUIDE.length, GUIDE.units) == (134, 133, 37, 256)
    assert (GUIDE.cell_clip, GUIDE.coordinates, GUIDE.tower) == (10, False, "inception-v3")
    norms = [module for module in AttentionOCR(GUIDE).modules() if isinstance(module, Norm)]
    assert len(norms) == 5 + 3 * 7
    assert {norm.momentum for norm in norms} == {0.0003}  # slim writes it as a decay of 0.9997


def stage(conv: nn.Module, x: Tensor, stride: int = 1, pad: int = 0) -> Tensor:
    """Convolution, normalisation without a scale, ReLU, from the weights alone."""
    weights = conv.state_dict()
    x = functional.conv2d(x, weights["0.weight"], None, stride, pad)
    mean, variance, shift = (
        weights[f"1.{name}"][:, None, None] for name in ("running_mean", "running_var", "bias")
    )
    return torch.relu((x - mean) / torch.sqrt(variance + 1e-3) + shift)


def written_out(tower: nn.Module, x: Tensor) -> Tensor:
    """Inception-v3 up to Mixed_5d."""
    part = tower.get_submodule
    x = stage(part("conv_1a"), x, stride=2)
    x = stage(part("conv_2a"), x)
    x = stage(part("conv_2b"), x, pad=1)
    x = stage(part("conv_3b"), functional.max_pool2d(x, 3, 2))
    x = functional.max_pool2d(stage(part("conv_4a"), x), 3, 2)
    for name in ("mixed_5b", "mixed_5c", "mixed_5d"):
        pixels = torch.ones_like(x[:, :1])
        around = functional.avg_pool2d(x, 3, 1, 1) / functional.avg_pool2d(pixels, 3, 1, 1)
        three = stage(part(f"{name}.three.1"), stage(part(f"{name}.three.0"), x), pad=1)
        branches = [
            stage(part(f"{name}.one"), x),
            stage(part(f"{name}.five.1"), stage(part(f"{name}.five.0"), x), pad=2),
            stage(part(f"{name}.three.2"), three, pad=1),
            stage(part(f"{name}.pool.1"), around),
        ]
        x = torch.cat(branches, 1)
    return x


def test_the_tower_is_the_one_written_out() -> None:
    torch.manual_seed(6)
    tower = AttentionOCR(GUIDE).double().eval().tower
    with torch.no_grad():
        for name, value in tower.state_dict().items():
            if name.endswith(("bias", "running_mean")):
                value.normal_(std=0.3)
            elif name.endswith("running_var"):
                value.uniform_(0.5, 2)
        view = torch.randn(1, 3, 60, 55, dtype=torch.float64)
        torch.testing.assert_close(tower(view), written_out(tower, view))


def test_initial_values_of_the_tower() -> None:
    """slim's variance scaling: a variance of 2 / fan in, cut at two deviations of the uncut."""
    torch.manual_seed(5)
    convolutions = [m for m in AttentionOCR(GUIDE).modules() if isinstance(m, nn.Conv2d)]
    assert len(convolutions) == 26
    for convolution in convolutions:
        assert convolution.bias is None
        deviation = (2 / convolution.weight[0].numel()) ** 0.5
        assert convolution.weight.std().item() == pytest.approx(deviation, rel=0.08)
        assert convolution.weight.abs().max() <= 2 * 1.3**0.5 * deviation


def test_initial_values_of_the_decoder() -> None:
    torch.manual_seed(5)
    decoder = AttentionOCR(GUIDE).decoder
    for linear in (decoder.keys, decoder.input, decoder.query, decoder.output):
        bound = (6 / sum(linear.weight.shape)) ** 0.5  # Glorot's, TensorFlow's default
        assert 0.99 * bound < linear.weight.abs().max() <= bound
        assert linear.bias is None or not linear.bias.any()
    bound = (6 / (288 + 288)) ** 0.5
    assert 0.97 * bound < decoder.v.abs().max() <= bound
    assert not decoder.logits.bias.any()
    gates, logits = decoder.gates.weight, decoder.logits.weight  # 1024 x 390 and 134 x 256
    torch.testing.assert_close(gates.t() @ gates, torch.eye(390), rtol=0, atol=1e-5)
    torch.testing.assert_close(logits @ logits.t(), torch.eye(134), rtol=0, atol=1e-5)
    enter, new, keep, leave = decoder.gates.bias.chunk(4)
    assert (keep == 1).all()
    assert not torch.cat([enter, new, leave]).any()


def test_the_cell_is_clipped_before_it_is_used() -> None:
    gates = torch.tensor([[9.0, 9.0, 9.0, 9.0]]).double()  # all open
    cell, hidden = lstm(gates, torch.tensor([[9.99]]).double(), clip=10.0)
    assert cell.item() == 10
    assert hidden.item() == pytest.approx(torch.sigmoid(torch.tensor(9.0)).item(), abs=1e-6)
    cell, _ = lstm(-gates.abs() * torch.tensor([-1.0, 1, -1, 1]), torch.tensor([[-50.0]]), 10.0)
    assert cell.item() == -10


def naive(
    decoder: AttentionDecoder, features: Tensor, labels: Optional[Tensor]
) -> tuple[Tensor, Tensor]:
    """The decoder as the paper's code has it, step by step."""
    config = decoder.config
    keys = decoder.keys(features)
    cell = features.new_zeros(len(features), config.units)
    hidden, context = cell, features.new_zeros(len(features), features.shape[2])
    character = features.new_zeros(len(features), config.classes)
    logits, maps = [], []
    for step in range(config.length):
        x = decoder.input(torch.cat([character, context], 1))
        i, j, f, o = decoder.gates(torch.cat([x, hidden], 1)).chunk(4, 1)
        cell = (torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(j)).clamp(
            -config.cell_clip, config.cell_clip
        )
        hidden = torch.sigmoid(o) * torch.tanh(cell)
        query = decoder.query(torch.cat([cell, hidden], 1))
        scores = (decoder.v * torch.tanh(keys + query[:, None])).sum(2)
        weights = torch.softmax(scores, 1)
        context = (weights[:, :, None] * features).sum(1)
        found = decoder.logits(decoder.output(torch.cat([hidden, context], 1)))
        known = found.argmax(1) if labels is None else labels[:, step]
        character = functional.one_hot(known, config.classes).to(features.dtype)
        logits.append(found)
        maps.append(weights)
    return torch.stack(logits, 1), torch.stack(maps, 1)


def random_decoder(config: AttentionModel, features: int) -> AttentionDecoder:
    """Weights large enough that nothing is almost linear, and cells meet their clip."""
    torch.manual_seed(7)
    decoder = AttentionDecoder(config, features).double()
    with torch.no_grad():
        for parameter in decoder.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.7)
    return decoder


@pytest.mark.parametrize("reported", [True, False], ids=["teacher forcing", "greedy"])
@pytest.mark.parametrize("clip", [10.0, 0.5])
def test_the_decoder_is_the_one_written_out(reported: bool, clip: float) -> None:
    decoder = random_decoder(replace(SMALL, length=6, cell_clip=clip), 5)
    features = torch.randn(3, 9, 5, dtype=torch.float64, requires_grad=True)
    labels = torch.randint(0, 11, (3, 6)) if reported else None
    inputs = [features, *decoder.parameters()]
    mine, theirs = decoder(features, labels), naive(decoder, features, labels)
    torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-10)
    factors = torch.randn_like(mine[0])
    torch.testing.assert_close(
        torch.autograd.grad((mine[0] * factors).sum(), inputs),
        torch.autograd.grad((theirs[0] * factors).sum(), inputs),
        rtol=1e-9,
        atol=1e-9,
    )


def test_a_text_that_it_reads_itself_can_be_reported_to_it() -> None:
    decoder = random_decoder(SMALL, 5)
    features = torch.randn(3, 9, 5, dtype=torch.float64)
    guessed, _ = decoder(features)
    reported, _ = decoder(features, guessed.argmax(2))
    torch.testing.assert_close(reported, guessed)


def test_a_label_is_reported_only_to_the_steps_after_it() -> None:
    decoder = random_decoder(SMALL, 5)
    features = torch.randn(1, 9, 5, dtype=torch.float64)
    first, other = torch.tensor([[1, 2, 3, 4]]), torch.tensor([[1, 2, 5, 9]])
    one, two = decoder(features, first)[0], decoder(features, other)[0]
    same = (one == two).all(2)[0].tolist()
    assert same == [True, True, True, False]


def test_it_learns_one_batch_by_heart() -> None:
    torch.manual_seed(1)
    model = AttentionOCR(replace(SMALL, units=32, norm_momentum=0.1))
    images, labels = torch.randn(4, 3, 24, 48), torch.randint(0, 11, (4, 4))
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(60):
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(images, labels).flatten(0, 1), labels.flatten())
        torch.autograd.backward(loss)
        optimizer.step()
    model.eval()
    assert model(images).argmax(2).tolist() == labels.tolist()


@pytest.mark.parametrize("reported", [True, False], ids=["teacher forcing", "greedy"])
def test_bfloat16_goes_the_same_way(reported: bool) -> None:
    torch.manual_seed(2)
    model = AttentionOCR(SMALL)
    images = torch.randn(2, 3, 24, 48)
    labels = torch.randint(0, 11, (2, 4)) if reported else None
    exact = model(images, labels)
    with torch.autocast("cpu", torch.bfloat16):
        rounded = model(images, labels)
    assert rounded.dtype == torch.float32
    torch.autograd.backward(rounded.sum())
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())
    if reported:
        torch.testing.assert_close(rounded, exact, rtol=0.1, atol=0.1)


def test_channels_last_changes_nothing() -> None:
    torch.manual_seed(2)
    model = AttentionOCR(SMALL).eval()
    images = torch.randn(2, 3, 24, 48)
    plain = model(images)
    for parameter in model.tower.parameters():
        if parameter.ndim == 4:
            parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)
    torch.testing.assert_close(model(images.to(memory_format=torch.channels_last)), plain)


DECODER = """
import sys
import numpy as np
import tensorflow as tf
from tensorflow.contrib.legacy_seq2seq import attention_decoder

given = np.load(sys.argv[1])
features, labels, reported = given["features"], given["labels"], bool(given["reported"])
classes, units, steps = len(given["logits.bias"]), len(given["output.bias"]), labels.shape[1]
rows = np.eye(classes, dtype=np.float32)
softmax_w, softmax_b = tf.constant(given["logits.weight"].T), tf.constant(given["logits.bias"])

def following(previous, step):  # as upstream's get_input
    if step == 0:
        return tf.zeros([features.shape[0], classes])
    if reported:
        return tf.constant(rows[labels[:, step - 1]])
    return tf.one_hot(tf.argmax(tf.matmul(previous, softmax_w) + softmax_b, 1), classes)

cell = tf.contrib.rnn.LSTMCell(units, use_peepholes=False, cell_clip=float(given["clip"]),
                               state_is_tuple=True)
first = [tf.zeros([features.shape[0], classes])] + [None] * (steps - 1)
outputs, _ = attention_decoder(first, cell.zero_state(features.shape[0], tf.float32),
                               tf.constant(features), cell, loop_function=following)
logits = tf.stack([tf.matmul(o, softmax_w) + softmax_b for o in outputs], 1)

forget = np.zeros(4 * units, np.float32)
forget[2 * units : 3 * units] = 1  # TensorFlow adds it itself
values = {
    "attention_decoder/AttnW_0": given["keys.weight"].T[None, None],
    "attention_decoder/AttnV_0": given["v"],
    "attention_decoder/kernel": given["input.weight"].T,
    "attention_decoder/bias": given["input.bias"],
    "attention_decoder/lstm_cell/kernel": given["gates.weight"].T,
    "attention_decoder/lstm_cell/bias": given["gates.bias"] - forget,
    "attention_decoder/Attention_0/kernel": given["query.weight"].T,
    "attention_decoder/Attention_0/bias": given["query.bias"],
    "attention_decoder/AttnOutputProjection/kernel": given["output.weight"].T,
    "attention_decoder/AttnOutputProjection/bias": given["output.bias"],
}
variables = {v.op.name: v for v in tf.global_variables()}
assert set(variables) == set(values), set(variables) ^ set(values)
with tf.Session() as session:
    for name, value in values.items():
        variables[name].load(value, session)
    np.save(sys.argv[2], session.run(logits))
"""


def save(folder: Path, **arrays: numpy.ndarray[Any, Any]) -> None:
    numpy.savez(folder / "given.npz", allow_pickle=False, **arrays)


def run_tensorflow(script: str, folder: Path) -> Tensor:
    """What a script for TensorFlow 1.15 makes of the folder's ``given.npz``."""
    python = preloaded(tensorflow_python("tf1"), "tf1")
    (folder / "script.py").write_text(script)
    ended = subprocess.run(
        [python, "script.py", "given.npz", "found.npy"],
        cwd=folder,
        env=user_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    return torch.from_numpy(numpy.load(folder / "found.npy"))


@pytest.mark.parametrize("reported", [True, False], ids=["teacher forcing", "greedy"])
def test_logits_are_those_of_tensorflows_attention_decoder(reported: bool, tmp_path: Path) -> None:
    decoder = random_decoder(replace(SMALL, length=9, cell_clip=1.0), 20).float()
    features, labels = torch.randn(3, 30, 20), torch.randint(0, 11, (3, 9))
    weights = {name: value.numpy() for name, value in decoder.state_dict().items()}
    save(
        tmp_path,
        features=features.numpy(),
        labels=labels.numpy(),
        reported=numpy.array(reported),
        clip=numpy.array(1.0),
        **weights,
    )
    found = run_tensorflow(DECODER, tmp_path)
    with torch.no_grad():
        mine, _ = decoder(features, labels if reported else None)
    torch.testing.assert_close(mine, found, rtol=1e-4, atol=1e-4)


TOWER = """
import sys
import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim
from tensorflow.contrib.slim.nets import inception

given = np.load(sys.argv[1])
norm = {"decay": 0.9997, "epsilon": 0.001, "is_training": False}
with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm, normalizer_params=norm):
    net, _ = inception.inception_v3_base(tf.constant(given["view"]), final_endpoint="Mixed_5d")
variables = [v for v in tf.global_variables() if v.op.name.startswith("InceptionV3/")]
with tf.Session() as session:
    for number, variable in enumerate(variables):  # both have the order of the layers
        variable.load(given[str(number)], session)
    np.save(sys.argv[2], session.run(net))
"""


def test_features_are_those_of_slims_inception_v3(tmp_path: Path) -> None:
    torch.manual_seed(3)
    tower = AttentionOCR(GUIDE).eval().tower
    values = []
    for convolution, norm in zip(
        [m for m in tower.modules() if isinstance(m, nn.Conv2d)],
        [m for m in tower.modules() if isinstance(m, Norm)],
    ):
        assert norm.running_mean is not None
        assert norm.running_var is not None
        nn.init.normal_(norm.bias, std=0.3)
        nn.init.normal_(norm.running_mean, std=0.3)
        nn.init.uniform_(norm.running_var, 0.5, 2)
        weight = convolution.weight.permute(2, 3, 1, 0)
        values += [weight, norm.bias, norm.running_mean, norm.running_var]
    view = torch.randn(2, 3, 150, 150)
    arrays = {str(number): value.detach().numpy() for number, value in enumerate(values)}
    save(tmp_path, view=view.permute(0, 2, 3, 1).numpy(), **arrays)
    found = run_tensorflow(TOWER, tmp_path).permute(0, 3, 1, 2)
    with torch.no_grad():
        torch.testing.assert_close(tower(view), found, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("setting", "value", "reported"),
    [
        ("units", 0, "above 0"),
        ("length", 0, "above 0"),
        ("views", 0, "above 0"),
        ("height", 26, "at least 27"),
        ("null", 134, "below model.classes"),
        ("cell_clip", 0.0, "above 0"),
    ],
)
def test_sizes_that_cannot_be_are_reported(setting: str, value: float, reported: str) -> None:
    with pytest.raises(UsageError, match=f"model.{setting} is {value}") as error:
        AttentionModel(**{setting: value})  # type: ignore[arg-type]  # which field is the table's business
    assert reported in error.value.hint
