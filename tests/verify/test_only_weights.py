"""Losses that agree, and weights that do not: rounding is told from what a migration gets wrong.

The program takes one step, whose loss says nothing of the update after it. Every sample has a twin
of the other sign in its batch, so the gradients of ``shift`` are zero but for rounding, which
depends on the order of additions, and Adam makes steps of them. ``loose`` begins with zeros, so
that these steps are all that it has.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ascendify.verify.judge import Verdict, VerifyResult
from ascendify.verify.request import VerifyRequest
from ascendify.verify.session import verify
from ascendify.verify.sides import ORIGINAL, Side, run
from support.commands import ascendify
from support.interpreters import preloaded, tensorflow_python

pytestmark = pytest.mark.xdist_group("only-weights")

PROGRAM = """\
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--batch_size', type=int, default=8)
args = parser.parse_args()

half = np.sin(np.arange(32 * 16)).reshape(8, 4, 16).astype(np.float32)
images = np.concatenate([half, half[:, ::-1]], axis=1).reshape(64, 16)
signs = np.tile(np.repeat([[1.0], [-1.0]], 4, axis=0), (8, 1)).astype(np.float32)
data = tf.data.Dataset.from_tensor_slices((images, signs, np.arange(64) % 4))
data = data.batch(args.batch_size, drop_remainder=True).repeat()
x, sign, y = tf.data.make_one_shot_iterator(data).get_next()
hidden = tf.layers.dense(x, 32, tf.tanh)
loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(hidden, 4))
ones = tf.ones_initializer()
shift = tf.layers.dense(sign * hidden, 1, use_bias=False, kernel_initializer=ones, name='shift')
loose = tf.layers.dense(
    sign * hidden, 1, use_bias=False, kernel_initializer=tf.zeros_initializer(), name='loose'
)
loss += 100 * tf.reduce_mean(shift + loose)
train_op = tf.train.AdamOptimizer(0.005).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train_op, loss])[1])
"""
Ran = tuple[VerifyRequest, Side]
"""What is verified, and a run of the original."""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("weights")
    python = preloaded(tensorflow_python("tf1"), "tf1")
    (folder / "project").mkdir()
    (folder / "project/train.py").write_text(PROGRAM)
    ended = ascendify("port", "project", "-o", "port", cwd=folder)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    command = (python, "train.py")
    request = VerifyRequest(
        folder / "project",
        folder / "port",
        command,
        (*command, "--batch_size", "4"),
        devices=2,
        repeat=False,
    )
    return request, run(ORIGINAL, request, request.original, folder / "logs")


def verdict_of(ran: Ran, folder: Path, right: str = "", wrong: str = "") -> Verdict:
    """Verify the migrated project with one text of its program replaced."""
    request, original = ran
    program = (request.migrated / "train.py").read_text()
    assert not right or program.count(right) == 1, program
    changed = (("train.py", program.replace(right, wrong).encode()),) if right else ()
    request = replace(request, replaced=changed, folder=folder / "verified")
    return verify(request, lambda _: None, original)


def test_rounding_is_allowed(ran: Ran, tmp_path: Path) -> None:
    verdict = verdict_of(ran, tmp_path)
    assert verdict.result is VerifyResult.PASS, verdict.reasons
    assert any("a rounding error away from its first weights" in note for note in verdict.notes)
    (unstable,) = [note for note in verdict.notes if note.startswith("not compared")]
    assert unstable.endswith(": loose/kernel")


_ADAM = "tf.train.AdamOptimizer(0.005)"
WRONG = {
    "gradients are not averaged": (f"npu_distributed_optimizer_wrapper({_ADAM})", _ADAM),
    "the learning rate grows with the devices": (_ADAM, "tf.train.AdamOptimizer(0.005 * 2)"),
    "it grows by a hundredth": (_ADAM, "tf.train.AdamOptimizer(0.005 * 1.01)"),
    "another epsilon": (_ADAM, "tf.train.AdamOptimizer(0.005, epsilon=1.0)"),
    "another first value": ("tf.ones_initializer()", "tf.constant_initializer(1.1)"),
}  # fmt: skip
"""What a migration may get wrong: what it wrote, and what a wrong one might have written."""


@pytest.mark.parametrize(("right", "wrong"), WRONG.values(), ids=WRONG)
def test_mistakes_are_not_explained_by_it(ran: Ran, tmp_path: Path, right: str, wrong: str) -> None:
    verdict = verdict_of(ran, tmp_path, right, wrong)
    assert verdict.result is VerifyResult.MISMATCH
    assert all(one.agrees for one in verdict.comparisons), "only weights may show it"
