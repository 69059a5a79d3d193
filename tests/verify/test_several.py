"""Several devices against one process: what each device has of its own is told from mistakes."""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ascendify.verify.captured import Series
from ascendify.verify.judge import Evidence, Verdict, VerifyResult
from ascendify.verify.request import VerifyRequest
from ascendify.verify.series import Comparison, Divergence
from ascendify.verify.session import verify
from ascendify.verify.several import OWN, is_summed, metrics_apart
from ascendify.verify.sides import ORIGINAL, Side, run
from support.commands import ascendify
from support.interpreters import preloaded, tensorflow_python

pytestmark = pytest.mark.xdist_group("several-devices")

PROGRAM = """\
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--batch_size', type=int, default=8)
args = parser.parse_args()

random = np.random.RandomState(1)
images = random.rand(64, 8, 8, 3).astype(np.float32)
labels = random.randint(0, 4, 64)


def augment(image, label):
    image = tf.image.random_flip_left_right(image)
    image = tf.random_crop(tf.pad(image, [[2, 2], [2, 2], [0, 0]]), [8, 8, 3])
    return tf.image.random_brightness(image, 0.2), label


data = tf.data.Dataset.from_tensor_slices((images, labels)).map(augment).shuffle(32)
data = data.batch(args.batch_size, drop_remainder=True).repeat()
x, y = tf.data.make_one_shot_iterator(data).get_next()
x = tf.layers.conv2d(x, 4, 3)
x = tf.nn.relu(tf.layers.batch_normalization(x, training=True))
x = tf.layers.flatten(x)
x = tf.contrib.layers.batch_norm(x, is_training=True, fused=False)
x = tf.layers.dropout(x, 0.5, training=True)
x = x + tf.random_normal(tf.shape(x))
mean, variance = tf.nn.moments(x, [0])
x = tf.nn.batch_normalization(x, mean, variance, None, None, 1e-3)
loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(x, 4))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        print(sess.run([train_op, loss])[1])
"""
SUMMED = PROGRAM.replace(
    "tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(x, 4))",
    "tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits("
    "labels=y, logits=tf.layers.dense(x, 4)))",
)


Ran = tuple[VerifyRequest, Side]
"""What is verified, and a run of the original."""


def ran(folder: Path, program: str) -> Ran:
    python = preloaded(tensorflow_python("tf1"), "tf1")
    (folder / "project").mkdir()
    (folder / "project/train.py").write_text(program)
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


@pytest.fixture(scope="module")
def mean_loss(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return ran(tmp_path_factory.mktemp("mean"), PROGRAM)


@pytest.fixture(scope="module")
def summed_loss(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return ran(tmp_path_factory.mktemp("sum"), SUMMED)


def verdict_of(ran: Ran, folder: Path, right: str = "", wrong: str = "") -> Verdict:
    """Verify the migrated project with one text of its program replaced."""
    request, original = ran
    program = (request.migrated / "train.py").read_text()
    assert not right or program.count(right) == 1, program
    changed = (("train.py", program.replace(right, wrong).encode()),) if right else ()
    request = replace(request, replaced=changed, folder=folder / "verified")
    return verify(request, lambda _: None, original)


def test_devices_agree_without_what_each_has_of_its_own(mean_loss: Ran, tmp_path: Path) -> None:
    verdict = verdict_of(mean_loss, tmp_path)
    assert verdict.result is VerifyResult.PASS, verdict.reasons
    assert verdict.without == OWN
    assert any(OWN in note for note in verdict.notes)


_AVERAGED = "npu_distributed_optimizer_wrapper(tf.train.MomentumOptimizer(0.1, 0.9))"
WRONG = {
    "gradients are not averaged": (_AVERAGED, "tf.train.MomentumOptimizer(0.1, 0.9)"),
    "gradients are added up": (".minimize(loss)", ".minimize(loss * 2.0)"),
    "no variable is broadcast": ("        sess.run(npu_broadcast(tf.global_variables(), 0))", "        pass"),
    "data is not divided": ("int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0'))", "1, 0"),
}  # fmt: skip
"""What a migration may get wrong: what it wrote, and what a wrong one might have written."""


@pytest.mark.parametrize(("right", "wrong"), WRONG.values(), ids=WRONG)
def test_mistakes_are_not_explained_by_it(
    mean_loss: Ran, tmp_path: Path, right: str, wrong: str
) -> None:
    verdict = verdict_of(mean_loss, tmp_path, right, wrong)
    assert verdict.result is VerifyResult.MISMATCH
    assert verdict.reasons


def test_a_loss_that_is_a_sum_is_named(summed_loss: Ran, tmp_path: Path) -> None:
    verdict = verdict_of(summed_loss, tmp_path)
    assert verdict.result is VerifyResult.MISMATCH
    assert verdict.explained == verdict.reasons[0]
    assert "multiply the loss by 2" in verdict.explained


def test_a_sum_over_data_that_is_not_divided_is_no_explanation(
    summed_loss: Ran, tmp_path: Path
) -> None:
    verdict = verdict_of(summed_loss, tmp_path, "int(os.getenv('RANK_ID', '0'))", "0")
    assert verdict.result is VerifyResult.MISMATCH
    assert not verdict.explained


FIRST = {
    "half of a sum": ((8.0, 4.0), True),
    "nearly half": ((8.0, 4.0001), True),
    "of other samples than the rest": ((8.0, 5.0), True),
    "nearer to the whole": ((8.0, 6.0), False),
    "less than any part": ((8.0, 2.0), False),
    "another sign": ((8.0, -4.0), False),
    "nothing": ((0.0, 4.0), False),
    "the same": ((8.0, 8.0), False),
}


@pytest.mark.parametrize(("losses", "expected"), FIRST.values(), ids=FIRST)
def test_a_loss_that_may_be_summed_over_the_batch(
    losses: tuple[float, float], expected: bool
) -> None:
    series = Series("loss", "loss", ())
    first = Divergence(1, *losses, allowed=1e-4)
    compared = Comparison(series, series, 1, 0.5, 0.5, first, 1)
    assert is_summed(Evidence(comparisons=[compared]), 2) is expected


METRICS = {
    "a metric": ((True, False), "accuracy"),
    "a loss": ((False, True), ""),
    "a loss and a metric": ((False, False), ""),
    "nothing": ((True, True), ""),
}


@pytest.mark.parametrize(("agree", "expected"), METRICS.values(), ids=METRICS)
def test_metrics_that_differ_where_losses_agree(agree: tuple[bool, bool], expected: str) -> None:
    evidence = Evidence()
    for same, name, source in zip(agree, ("cost", "accuracy"), ("loss", "fetch")):
        series = Series(name, source, ())
        first = None if same else Divergence(1, 0.5, 0.75, allowed=1e-4)
        evidence.comparisons.append(Comparison(series, series, 1, 0.0, 0.0, first, 1))
    assert metrics_apart(evidence) == expected


def test_metrics_without_a_loss_are_compared() -> None:
    series = Series("accuracy", "fetch", ())
    first = Divergence(1, 0.5, 0.75, allowed=1e-4)
    assert (
        metrics_apart(Evidence(comparisons=[Comparison(series, series, 1, 0, 0, first, 1)])) == ""
    )
