"""Random numbers of a program that asks the system for a seed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ascendify.emulation.paths import STARTUP
from support.interpreters import preloaded, tensorflow_python, user_environment

DRAWS = {
    "no seed": "",
    "a seed from the system": "random.seed()",
    "None": "random.seed(None)",
}


def _draw(lines: str) -> str:
    program = f"import random\n{lines}\nprint(random.random())\n"
    environment = {**user_environment(), "PYTHONPATH": str(STARTUP), "ASCENDIFY_SEED": "3"}
    done = subprocess.run(
        (sys.executable, "-c", program), env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("lines", DRAWS.values(), ids=DRAWS)
def test_a_seed_from_the_system_is_ours(lines: str) -> None:
    assert _draw(lines) == _draw("random.seed(3)")


GENERATORS = {
    "of the standard library": "random.Random().random()",
    "seeded again": "(lambda made: made.seed() or made.random())(random.Random(7))",
    "of numpy": "__import__('numpy').random.default_rng().random()",
    "of numpy, older": "__import__('numpy').random.RandomState().rand()",
}


@pytest.mark.parametrize("draw", GENERATORS.values(), ids=GENERATORS)
def test_generators_without_a_seed_repeat_themselves(draw: str) -> None:
    pytest.importorskip("numpy")
    lines = f"print({draw}, {draw})"
    first, second, _ = _draw(lines).split()
    assert _draw(lines).split()[:2] == [first, second]
    assert first != second
    # a migrated program imports other modules, which make generators, too
    assert _draw(f"import logging.config, uuid\n{lines}").split()[:2] == [first, second]


def test_names_of_temporary_files_differ() -> None:
    lines = "import tempfile; print(next(tempfile._get_candidate_names()))"
    assert _draw(lines) != _draw(lines)


def test_a_seed_of_the_program_counts() -> None:
    assert _draw("random.seed(4)") != _draw("")


PRECISIONS = """\
import tensorflow as tf


def draw(dtype):
    with tf.Graph().as_default(), tf.Session() as sess:
        drawn = [make([4], dtype=dtype) for make in
                 (tf.random_uniform, tf.random_normal, tf.truncated_normal)]
        return [[round(float(value), 5) for value in one] for one in sess.run(drawn)]


print(draw(tf.float32) == draw(tf.float64))
"""


def test_both_precisions_draw_alike() -> None:
    python = preloaded(tensorflow_python("tf1"), "tf1")
    environment = {**user_environment(), "PYTHONPATH": str(STARTUP), "ASCENDIFY_SEED": "3"}
    command = (python, "-c", PRECISIONS)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True"


WEIGHTS = """\
import tensorflow as tf

tf.set_random_seed(1)
given = tf.Variable(tf.random_normal([3]))
made = tf.get_variable('made', [3])
steps = tf.Variable(7)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in sess.run([given, made]):
        print(*value)
    print(sess.run(steps))
"""


def test_first_weights_a_rounding_error_away() -> None:
    python = preloaded(tensorflow_python("tf1"), "tf1")

    def weights(**more: str) -> list[float]:
        environment = {**user_environment(), "PYTHONPATH": str(STARTUP), "ASCENDIFY_SEED": "3"}
        done = subprocess.run(
            (python, "-c", WEIGHTS), env={**environment, **more}, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        return [float(word) for word in done.stdout.split()]

    first, moved = weights(), weights(ASCENDIFY_MOVED_WEIGHTS="1")
    assert moved == pytest.approx(first, rel=1e-6)
    assert all(one != other for one, other in zip(first[:-1], moved[:-1]))
    assert moved[-1] == first[-1] == 7
