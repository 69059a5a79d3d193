"""A program of the stand-alone Keras and its migration to tf.keras can be compared."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ascendify.emulation.paths import STARTUP
from support.commands import ascendify
from support.interpreters import preloaded, tensorflow_python, user_environment

HEAD = """\
import numpy as np
from keras.layers import (
    GRU, LSTM, BatchNormalization, Bidirectional, Conv2D, Dense, Dropout, Embedding, Flatten,
    GaussianNoise, Input,
)
from keras.models import Model, Sequential
from keras.optimizers import Adadelta

np.random.seed(1)
"""
PICTURES = """\
x = np.random.rand(64, 8, 8, 1)
y = np.eye(4)[np.random.randint(4, size=64)]
model = Sequential()
model.add(Conv2D(4, 3, activation="relu", input_shape=(8, 8, 1)))
model.add(BatchNormalization())
model.add(Flatten())
model.add(Dropout(0.5))
model.add(Dense(6))
model.add(BatchNormalization(momentum=0.5))
model.add(Dense(4, activation="softmax"))
model.compile(Adadelta(), "categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, batch_size=16, epochs=2, validation_data=(x[:16], y[:16]))
model.evaluate(x, y, batch_size=16)
model.save("model.h5")
"""
SENTENCES = """\
x = np.random.randint(20, size=(64, 6))
y = np.random.randint(2, size=(64, 1))
words = Input((6,), dtype="int32")
hidden = Bidirectional(LSTM(5, return_sequences=True))(Embedding(20, 8)(words))
hidden = GaussianNoise(0.1)(GRU(4)(hidden))
model = Model(words, Dense(1, activation="sigmoid", kernel_initializer="he_normal")(hidden))
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])


def batches():
    while True:
        chosen = np.random.permutation(64)[:16]
        yield x[chosen], y[chosen]


model.fit_generator(batches(), steps_per_epoch=3, epochs=2, validation_data=(x, y))
for _ in range(2):
    model.train_on_batch(x[:16], y[:16])
"""
ONE_GRU = """\
x = np.random.randint(20, size=(32, 4))
y = np.random.randint(2, size=(32, 1))
model = Sequential()
model.add(Embedding(20, 8, input_length=4))
model.add(GRU(4))
model.add(Dense(1, activation="sigmoid", kernel_initializer="he_normal"))
model.compile("adam", "binary_crossentropy")
model.fit(x, y, batch_size=16, epochs=2)
"""


def verified(folder: Path, script: str, *changes: tuple[str, str]) -> dict[str, Any]:
    """The verdict on a script and its migration, the latter with changes made afterwards."""
    project, port, file = folder / "project", folder / "port", folder / "verdict.json"
    project.mkdir()
    (project / "train.py").write_text(HEAD + script)
    (project / "requirements.txt").write_text("keras==2.3.1\n")
    assert ascendify("migrate", str(project), "-o", str(port)).returncode == 0
    train = port / "train.py"
    text = train.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    train.write_text(text)
    python = preloaded(tensorflow_python("tf1"), "tf1")
    command = ("verify", str(project), str(port), "--json", str(file), "-q", "--", python)
    ended: subprocess.CompletedProcess[str] = ascendify(
        *command, "train.py", env=user_environment()
    )
    assert file.exists(), ended.stdout + ended.stderr
    verdict: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return verdict


@pytest.mark.parametrize("script", [PICTURES, SENTENCES], ids=["pictures", "sentences"])
def test_a_migration_to_tf_keras_passes(tmp_path: Path, script: str) -> None:
    verdict = verified(tmp_path, script)
    assert verdict["result"] == "pass", verdict["reasons"]
    assert {one["original"] for one in verdict["series"]} >= {"batch/loss", "epoch/accuracy"}
    saved = ["last checkpoint"] if "save(" in script else []
    assert [one["what"] for one in verdict["weights"]] == [*saved, "final weights"]


@pytest.mark.parametrize(
    ("script", "change"),
    [
        pytest.param(PICTURES, ("learning_rate=1.0", ""), id="default-learning-rate"),
        pytest.param(
            ONE_GRU, (", recurrent_activation='sigmoid'", ""), id="default-recurrent-activation"
        ),
        pytest.param(ONE_GRU, ('"he_normal"', '"he_uniform"'), id="distribution"),
    ],
)
def test_a_default_that_changes_is_caught(
    tmp_path: Path, script: str, change: tuple[str, str]
) -> None:
    assert verified(tmp_path, script, change)["result"] == "mismatch"


COUNTED = """\
from keras import backend
from keras.optimizers import Adam

weight = backend.variable([1.0])
Adam().get_updates(backend.sum(weight), [weight])
counting = [
    one for one in backend.get_session().graph.get_operations() if one.type == "AssignAddVariableOp"
]
print("waits for", *{one.type for one in counting[0].control_inputs})
"""


def test_optimizers_read_their_step_before_they_count_it(tmp_path: Path) -> None:
    script = tmp_path / "count.py"
    script.write_text(COUNTED)
    done = subprocess.run(
        (preloaded(tensorflow_python("tf1"), "tf1"), str(script)),
        env={**user_environment(), "PYTHONPATH": str(STARTUP), "ASCENDIFY_DETERMINISTIC": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "waits for ReadVariableOp\n" in done.stdout, done.stdout + done.stderr


FIRST_WEIGHTS = """\
import numpy as np
from {keras}.layers import Dense
from {keras}.models import Sequential

(kernel, bias) = Sequential([Dense(3, input_shape=(4,))]).get_weights()
print(*np.round(kernel, 5).ravel())
"""


def test_weights_of_control_runs_differ_by_row_in_both(tmp_path: Path) -> None:
    found = []
    for keras in ("keras", "tensorflow.keras"):
        script = tmp_path / f"weights_of_{keras}.py"
        script.write_text(FIRST_WEIGHTS.format(keras=keras))
        done = subprocess.run(
            (preloaded(tensorflow_python("tf1"), "tf1"), str(script)),
            env={
                **user_environment(),
                "PYTHONPATH": str(STARTUP),
                "ASCENDIFY_SEED": "3",
                "ASCENDIFY_INDEPENDENT_SAMPLES": "1",
            },
            capture_output=True,
            text=True,
            check=True,
        )
        found.append([float(word) for word in done.stdout.splitlines()[-1].split()])
    native, own = found
    assert native == own
    assert native[:3] != native[3:6]
