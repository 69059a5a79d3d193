"""CRNN is the guide's: with the same weights, TensorFlow gives the same logits and loss."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from ascendify.zoo.crnn.ctc import ctc_loss
from ascendify.zoo.crnn.model import Crnn, CrnnModel
from support.interpreters import user_environment

CONFIG = CrnnModel(width=28, channels=(4, 6, 8, 8, 10, 10, 12), lstm=5, classes=7)

# the layers of upstream's crnn_net.ShadowNet and the loss of the guide, with weights from a file
SCRIPT = """
import sys
import numpy as np
import tensorflow as tf

tf = tf.compat.v1
tf.disable_v2_behavior()
given = np.load(sys.argv[1])


def conv(x, n, strides=(1, 1)):
    x = tf.nn.conv2d(x, given[f"kernel{n}"], [1, *strides, 1], "SAME")
    if f"bias{n}" in given:
        x = x + given[f"bias{n}"]
    mean, variance, scale, offset = given[f"bn{n}"]
    return tf.nn.relu(tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3))


def pool(x, *size):
    return tf.nn.max_pool(x, [1, *size, 1], [1, *size, 1], "VALID")


x = tf.constant(given["pictures"])
x = pool(conv(x, 0), 2, 2)
x = pool(conv(x, 1), 2, 2)
x = pool(conv(conv(x, 2), 3), 2, 1)
x = pool(conv(conv(x, 4), 5), 2, 1)
x = tf.squeeze(conv(x, 6, (2, 1)), 1)
for layer in range(2):
    cells = [tf.nn.rnn_cell.LSTMCell(5, forget_bias=1.0) for _ in range(2)]
    with tf.variable_scope(f"layer{layer}"):
        x = tf.concat(tf.nn.bidirectional_dynamic_rnn(*cells, x, dtype=tf.float32)[0], 2)
logits = tf.transpose(tf.einsum("btd,dc->btc", x, tf.constant(given["output"])), [1, 0, 2])
losses = tf.nn.ctc_loss_v2(
    labels=tf.constant(given["labels"]),
    logits=logits,
    label_length=tf.constant(given["lengths"]),
    logit_length=[7] * 3,
    blank_index=6,
)
cost = tf.reduce_mean(losses)
gradient = tf.gradients(cost, logits)[0]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for variable in tf.global_variables():
        layer = variable.name.split("/")[0][-1]
        direction = "reverse" if "/bw/" in variable.name else "forward"
        kind = "kernel" if "kernel" in variable.name else "bias"
        variable.load(given[f"{kind}_{layer}_{direction}"], session)
    np.savez(sys.argv[2], **dict(zip(
        ["logits", "losses", "cost", "gradient"],
        session.run([logits, losses, cost, gradient]),
    )))
"""


def test_tensorflow_gives_the_same(preloaded_tensorflow: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = Crnn(CONFIG)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
        model(torch.randn(4, 3, 32, 28))
    model.eval()
    pictures = torch.rand(3, 3, 32, 28) * 2 - 1
    labels, lengths = torch.tensor([[0, 1, 1, 2], [5, 6, 6, 6], [3, 4, 6, 6]]), [4, 1, 2]
    np.savez(
        tmp_path / "given.npz",
        pictures=pictures.permute(0, 2, 3, 1).numpy(),
        labels=labels.int().numpy(),
        lengths=np.array(lengths, np.int32),
        **weights_for_tensorflow(model),
    )
    (tmp_path / "network.py").write_text(SCRIPT)
    subprocess.run(
        [
            preloaded_tensorflow,
            tmp_path / "network.py",
            tmp_path / "given.npz",
            tmp_path / "made.npz",
        ],
        env=user_environment(),
        check=True,
        timeout=300,
    )
    made = np.load(tmp_path / "made.npz")

    logits = model(pictures)
    losses = ctc_loss(logits, labels, torch.tensor(lengths), CONFIG.blank)
    (gradient,) = torch.autograd.grad(losses.mean(), logits)
    for name, ours in (
        ("logits", logits),
        ("losses", losses),
        ("cost", losses.mean()),
        ("gradient", gradient),
    ):
        np.testing.assert_allclose(
            ours.detach().numpy(), made[name], rtol=1e-4, atol=1e-5, err_msg=name
        )


def weights_for_tensorflow(model: Crnn) -> dict[str, Any]:
    weights: dict[str, Tensor] = {"output": model.output.weight.T}
    stages = [module for module in model.cnn if isinstance(module, nn.Sequential)]
    for number, (conv, norm, _) in enumerate(stages):
        assert isinstance(conv, nn.Conv2d)
        assert isinstance(norm, nn.BatchNorm2d)
        assert norm.running_mean is not None
        assert norm.running_var is not None
        weights[f"kernel{number}"] = conv.weight.permute(2, 3, 1, 0)
        if conv.bias is not None:
            weights[f"bias{number}"] = conv.bias
        parts = (norm.running_mean, norm.running_var, norm.weight, norm.bias)
        weights[f"bn{number}"] = torch.stack(parts)
    for number, (input_weight, state_weight, *biases) in enumerate(model.rnn.all_weights):
        name = f"{number // 2}_{'reverse' if number % 2 else 'forward'}"
        weights[f"kernel_{name}"] = gates(torch.cat([input_weight, state_weight], dim=1)).T
        bias = gates(biases[0] + biases[1])
        bias[2 * CONFIG.lstm : 3 * CONFIG.lstm] -= 1  # which the cell's forget_bias adds
        weights[f"bias_{name}"] = bias
    return {name: weight.detach().numpy() for name, weight in weights.items()}


def gates(weight: Tensor) -> Tensor:
    """torch's order of gates is input, forget, cell, output; TensorFlow's: input, cell, forget."""
    i, f, g, o = weight.detach().chunk(4)
    return torch.cat([i, g, f, o])
