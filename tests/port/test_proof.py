"""Proving a port: the original, one device and two are trained and compared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ascendify.launch.scaffold.options import ScriptOptions
from ascendify.port.proof import halve_batch, script_of, started_program
from ascendify.programs.program import Program, Programs
from ascendify.verify.several import OWN
from support.commands import ascendify

TRAIN = """\
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--batch_size', type=int, default=8)
args = parser.parse_args()

features = np.arange(128, dtype=np.float32).reshape(32, 4) / 128
data = tf.data.Dataset.from_tensor_slices(features).batch(args.batch_size, drop_remainder=True)
x = tf.data.make_one_shot_iterator(data.repeat()).get_next()
loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 3) - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        print(sess.run([train_op, loss])[1])
"""


CONSTANT = (
    TRAIN.replace("parser = argparse.ArgumentParser()\n", "BATCH_SIZE = 8\n")
    .replace("parser.add_argument('--batch_size', type=int, default=8)\n", "")
    .replace("args = parser.parse_args()\n", "")
    .replace("args.batch_size", "BATCH_SIZE")
)


TOWERS = """\
import numpy as np
import tensorflow as tf

num_gpus = 2
batch_size = 8
data = np.sin(np.arange(256, dtype=np.float32)).reshape(64, 4)
x = tf.placeholder(tf.float32, [None, 4])
optimizer = tf.train.GradientDescentOptimizer(0.1)
grads = []
for i in range(num_gpus):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=i > 0):
        part = x[i * batch_size:(i + 1) * batch_size]
        loss = tf.reduce_mean(tf.square(tf.layers.dense(part, 3, name='dense') - 1.0))
        grads.append(optimizer.compute_gradients(loss))
average = [(sum(one for one, _ in pair) / num_gpus, pair[0][1]) for pair in zip(*grads)]
train_op = optimizer.apply_gradients(average)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        start = step * batch_size * num_gpus
        print(sess.run([train_op, loss], {x: data[start:start + batch_size * num_gpus]})[1])
"""


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("bash run/train.sh --x", True),
        ("./run/train.sh", True),
        ("bash ../train.sh", False),
        ("bash run/missing.sh", False),
        ("python train.py", False),
    ],
)
def test_the_script_of_a_command(tmp_path: Path, command: str, found: bool) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/train.sh").write_text("python train.py\n")
    given = ("run/train.sh", "python train.py\n") if found else None
    assert script_of(tuple(command.split()), tmp_path) == given


@pytest.mark.parametrize(
    ("program", "note"),
    [
        pytest.param(TRAIN, "with --batch_size 4 on each", id="an-option"),
        pytest.param(
            CONSTANT,
            "with BATCH_SIZE 4 instead of 8 on each, changed for this in train.py:10",
            id="a-constant",
        ),
    ],
)
def test_one_and_two_devices_train_like_the_original(
    tmp_path: Path, program: str, note: str
) -> None:
    python = os.environ.get("ASCENDIFY_TF1_PYTHON")
    if not python:
        pytest.skip("ASCENDIFY_TF1_PYTHON names no interpreter with TensorFlow")
    project = tmp_path / "project"
    project.mkdir()
    (project / "train.py").write_text(program)
    ended = ascendify(
        "port", "project", "-o", "port", "--verify", f"{python} train.py", cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    shown = ended.stdout.partition("Shown on this machine\n")[2].splitlines()[:2]
    assert shown[0].startswith("  1 device   trains like the original: 3 losses compared")
    assert shown[1].startswith("  2 devices  trains like the original: 3 losses compared")
    assert shown[1].endswith(f", {note}")


DRAWING = TRAIN.replace(".batch(args", ".shuffle(32).batch(args").replace(
    "tf.layers.dense(x, 3)", "tf.layers.dense(tf.nn.dropout(x, rate=0.5), 3)"
)


def test_towers_are_compared_with_an_original_of_one(tmp_path: Path) -> None:
    python = os.environ.get("ASCENDIFY_TF1_PYTHON")
    if not python:
        pytest.skip("ASCENDIFY_TF1_PYTHON names no interpreter with TensorFlow")
    project = tmp_path / "project"
    project.mkdir()
    (project / "train.py").write_text(TOWERS)
    (project / "serve.py").write_text(
        "import tensorflow as tf\ntf.enable_eager_execution()\nprint(tf.zeros([2]))\n"
    )
    done = ascendify(
        "port", str(project), "-o", "port", "--verify", f"{python} train.py", cwd=tmp_path
    )
    shown = [line for line in done.stdout.splitlines() if "trains like the original" in line]
    assert len(shown) == 2, done.stdout
    assert "with one tower in the original too (train.py:10:10)" in shown[0]
    assert done.stdout.startswith("READY"), done.stdout
    assert "serve.py:2:1  TF1-SESS-6" in done.stdout
    assert "the training does without it" in done.stdout
    assert (project / "train.py").read_text() == TOWERS


def test_devices_that_shuffle_and_drop_are_compared_without(tmp_path: Path) -> None:
    python = os.environ.get("ASCENDIFY_TF1_PYTHON")
    if not python:
        pytest.skip("ASCENDIFY_TF1_PYTHON names no interpreter with TensorFlow")
    (tmp_path / "project").mkdir()
    (tmp_path / "project/train.py").write_text(DRAWING)
    ended = ascendify(
        "port", "project", "-o", "port", "--verify", f"{python} train.py", cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ".shard(" in (tmp_path / "port/train.py").read_text()
    shown = ended.stdout.partition("Shown on this machine\n")[2].splitlines()[:2]
    assert shown[1].startswith("  2 devices  trains like the original: 3 losses compared")
    assert shown[1].endswith(f", without {OWN}")


BATCH = ScriptOptions(batch="--batch_size=", batch_size=32)
HALVED = {
    "given as two words": (
        "train.py --batch_size 64 --x 1",
        BATCH,
        "train.py --batch_size 32 --x 1",
    ),
    "given as one word": ("train.py --batch_size=64", BATCH, "train.py --batch_size=32"),
    "spelled with a dash": ("train.py --batch-size 64", BATCH, "train.py --batch-size 32"),
    "the default": ("train.py --x 1", BATCH, "train.py --x 1 --batch_size=16"),
    "in a shell's text": (
        ("sh", "-c", "cd src && python train.py --batch_size=64; ls"),
        BATCH,
        ("sh", "-c", "cd src && python train.py --batch_size=32; ls"),
    ),
    "two words of a shell's text": (
        ("bash", "-ec", "python train.py --batch-size  64"),
        BATCH,
        ("bash", "-ec", "python train.py --batch-size  32"),
    ),
    "not another option": (
        "train.py --eval_batch_size 8 --my--batch_size 8",
        BATCH,
        "train.py --eval_batch_size 8 --my--batch_size 8 --batch_size=16",
    ),
    "several commands": (
        ("sh", "-c", "python train.py --batch_size 8 && python eval.py --batch_size 4"),
        BATCH,
        ("sh", "-c", "python train.py --batch_size 4 && python eval.py --batch_size 2"),
    ),
    "divided by the program": (
        "train.py",
        ScriptOptions(batch="--batch_size=", batch_size=32, batch_of_all=True),
        "train.py",
    ),
}
WHOLE = {
    "an odd batch": ("train.py --batch_size 7", BATCH, "the batch size 7 has no half"),
    "no number": ("train.py --batch_size many", BATCH, "the batch size many has no half"),
    "a missing value": ("train.py --batch_size", BATCH, "the batch size  has no half"),
    "no option": ("train.py", ScriptOptions(), "no option for the batch size was found"),
    "a default that a shell's text does not give": (
        ("sh", "-c", "python train.py | tee log"),
        BATCH,
        "add --batch_size N",
    ),
    "no default": ("train.py", ScriptOptions(batch="--batch_size="), "add --batch_size N"),
}


def _words(command: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(command.split()) if isinstance(command, str) else command


STARTED = {
    "by its path": (("python", "src/train.py", "--x"), "src/train.py"),
    "from where we are": (("python", "./src/train.py"), "src/train.py"),
    "as a module": (("python", "-m", "net.main"), "net/main.py"),
    "as a module that has a path too": (("python", "-m", "src.train", "--x"), "src/train.py"),
    "a module of another folder": (("sh", "-c", "cd src && python3 -m train"), "src/train.py"),
    "a package": (("python", "-u", "-m", "net"), "net/__main__.py"),
    "in another folder": (("sh", "-c", "cd src && python train.py --x 1"), "src/train.py"),
    "two folders down": (("sh", "-c", "cd net; cd ../src; python train.py"), "src/train.py"),
    "of no project": (("python", "train.py"), None),
    "the one that trains": (
        ("sh", "-c", "python prepare.py && python src/train.py && python prepare.py"),
        "src/train.py",
    ),
    "none that trains": (("sh", "-c", "python prepare.py --x"), "prepare.py"),
    "quotes that do not close": (("sh", "-c", "python 'src/train.py"), None),
}


@pytest.mark.parametrize(("command", "expected"), STARTED.values(), ids=STARTED)
def test_the_program_of_a_command(command: tuple[str, ...], expected: str | None) -> None:
    programs = Programs(
        (
            Program("src/train.py", "training"),
            Program("net/main.py", "training", module="net.main"),
            Program("net/__main__.py", "training"),
        ),
        (Program("prepare.py", "data preparation"),),
    )
    found = started_program(command, programs)
    assert (found and found.path) == expected


@pytest.mark.parametrize(("command", "options", "expected"), HALVED.values(), ids=HALVED)
def test_the_batch_is_halved(
    command: str | tuple[str, ...], options: ScriptOptions, expected: str | tuple[str, ...]
) -> None:
    halved, note = halve_batch(_words(command), options)
    assert halved == _words(expected)
    assert note


@pytest.mark.parametrize(("command", "options", "why"), WHOLE.values(), ids=WHOLE)
def test_a_batch_that_cannot_be_halved(
    command: str | tuple[str, ...], options: ScriptOptions, why: str
) -> None:
    halved, note = halve_batch(_words(command), options)
    assert halved is None
    assert why in note
