"""``launch --measure``: steps of programs that know nothing of it and print none."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from support.commands import ascendify
from support.interpreters import user_environment

FIELDS = ["time", "rank", "event", "step", "seconds", "samples", "loss", "accuracy"]


def launch(
    folder: Path, source: str, python: str, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(textwrap.dedent(source), encoding="utf-8")
    log_dir = ("--log-dir", str(folder / "logs"))
    arguments = ("launch", "--measure", *log_dir, *arguments, "--", python, "train.py")
    return ascendify(*arguments, cwd=folder, env=user_environment(), variables=variables)


def rows(folder: Path, rank: int = 0) -> list[dict[str, Any]]:
    file = folder / "logs" / f"measure-{rank}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()]


def reported(folder: Path, *events: str) -> list[dict[str, Any]]:
    return [row for row in rows(folder) if row["event"] in events]


def measured(folder: Path, source: str, python: str, *arguments: str) -> list[dict[str, Any]]:
    """The steps of a script that ends well, each with all fields and a time."""
    ended = launch(folder, source, python, *arguments)
    assert ended.returncode == 0, ended.stderr
    assert "measuring" not in ended.stdout + ended.stderr
    for row in rows(folder):
        assert list(row) == FIELDS
    steps = reported(folder, "step")
    assert all(row["seconds"] > 0 for row in steps)
    assert rows(folder)[-1]["event"] == "end"
    assert rows(folder)[-1]["step"] == steps[-1]["step"]
    return steps


# --- TensorFlow: sessions and estimators ------------------------------------------------------

GRAPH = """
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

def model(x, y):
    w = tf.get_variable("w", [4, 1])
    return tf.reduce_mean(tf.square(tf.matmul(x, w) - y))

def data(batch, **more):
    made = tf.data.Dataset.from_tensor_slices((np.ones((24, 4), "f4"), np.ones((24, 1), "f4")))
    return made.repeat().batch(batch, **more)
"""
SESSION = """
x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 1])
rate = tf.placeholder(tf.float32, [])
loss = model(x, y)
accuracy = tf.reduce_mean(tf.ones_like(y), name="accuracy")
train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(7):
        fed = {x: np.ones((5, 4)), y: np.ones((5, 1)), rate: 0.1}
        session.run([train_op, loss, accuracy], fed)
        session.run(loss, fed)  # trains nothing
"""
MONITORED = """
step = tf.train.get_or_create_global_step()
x, y = tf.data.make_one_shot_iterator(data(6, drop_remainder=True)).get_next()
loss = model(x, y)
update = tf.train.AdamOptimizer().minimize(loss, global_step=step)
with tf.control_dependencies([update]):
    train_op = tf.identity(loss)  # as slim does
hooks = [tf.train.StopAtStepHook(last_step=4)]
with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
    while not session.should_stop():
        session.run(train_op)
"""
OWN_OPTIMIZER = """
class Own(tf.train.Optimizer):
    def __init__(self):
        super(Own, self).__init__(False, "Own")
    def apply_gradients(self, pairs, global_step=None, name=None):
        return tf.group(*[v.assign_sub(0.1 * g) for g, v in pairs], name=name)

iterator = tf.data.make_initializable_iterator(data(3))
loss = model(*iterator.get_next())
train_op = Own().minimize(loss)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), iterator.initializer])
    for _ in range(5):
        session.run(train_op)
"""
ESTIMATOR = """
def model_fn(features, labels, mode):
    loss = model(features, labels)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    metrics = {"accuracy": tf.metrics.mean(tf.ones_like(labels))}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)

estimator = tf.estimator.Estimator(model_fn, "model")
estimator.train(lambda: data(8, drop_remainder=True), steps=6)
estimator.evaluate(lambda: data(8, drop_remainder=True), steps=2)
estimator.train(lambda: data(8, drop_remainder=True), steps=3)
"""


@pytest.mark.parametrize(
    ("source", "steps", "samples"),
    [
        pytest.param(SESSION, 7, 5, id="feeds"),
        pytest.param(MONITORED, 4, 6, id="MonitoredSession-and-a-dataset"),
        pytest.param(OWN_OPTIMIZER, 5, 3, id="optimizer-of-its-own"),
        pytest.param(ESTIMATOR, 9, 8, id="Estimator"),
    ],
)
def test_runs_that_train(
    tmp_path: Path, preloaded_tensorflow: str, source: str, steps: int, samples: int
) -> None:
    found = measured(tmp_path, GRAPH + source, preloaded_tensorflow)
    assert [row["step"] for row in found] == list(range(1, steps + 1))
    assert {row["samples"] for row in found} == {samples}
    if source is SESSION:
        assert {row["accuracy"] for row in found} == {1.0}
        assert found[0]["loss"] > found[-1]["loss"] >= 0
    if source is ESTIMATOR:
        (evaluation,) = reported(tmp_path, "eval")
        assert (evaluation["step"], evaluation["accuracy"]) == (6, 1.0)


OFFLOADED = """
config = tf.ConfigProto()
entry = config.graph_options.rewrite_options.custom_optimizers.add(name="NpuOptimizer")
entry.parameter_map["iterations_per_loop"].i = 10
x, y = tf.data.make_one_shot_iterator(data(6, drop_remainder=True)).get_next()
train_op = tf.group(tf.train.AdamOptimizer().minimize(model(x, y)), name="IterationOp")
with tf.Session(config=config) as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(train_op)
"""


def test_a_run_of_several_steps_on_the_device(tmp_path: Path, preloaded_tensorflow: str) -> None:
    found = measured(tmp_path, GRAPH + OFFLOADED, preloaded_tensorflow)
    assert [row["step"] for row in found] == [10, 20, 30]
    assert rows(tmp_path)[-1]["samples"] == 180


NPU_ESTIMATOR = """
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator

def model_fn(features, labels, mode):
    loss = model(features, labels)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

config = NPURunConfig(model_dir="model", iterations_per_loop=2)
NPUEstimator(model_fn, config=config).train(lambda: data(8, drop_remainder=True), steps=6)
"""


def test_emulated(tmp_path: Path, preloaded_tensorflow: str) -> None:
    found = measured(tmp_path, GRAPH + NPU_ESTIMATOR, preloaded_tensorflow, "--emulate")
    assert [row["step"] for row in found] == list(range(1, 7))


# --- Keras -------------------------------------------------------------------------------------

KERAS = """
import numpy as np
import tensorflow as tf
x, y = np.ones((50, 4), "f4"), np.ones((50, 1), "f4")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile("sgd", "mse", metrics=["accuracy"])
model.fit(x, y, batch_size=16, epochs=2, verbose=0, validation_data=(x, y))
model.train_on_batch(x[:6], y[:6])
model.evaluate(x, y, verbose=0)
model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(10, drop_remainder=True), verbose=0)
"""


def test_keras_batches(tmp_path: Path, preloaded_tensorflow: str) -> None:
    found = measured(tmp_path, KERAS, preloaded_tensorflow)
    assert [row["samples"] for row in found] == [*[16, 16, 16, 2] * 2, 6, *[10] * 5]
    assert found[0]["loss"] is not None
    others = [row["event"] for row in reported(tmp_path, "epoch", "eval")]
    assert others == ["epoch", "eval", "epoch", "eval", "eval", "epoch"]
    assert all(row["accuracy"] is not None for row in reported(tmp_path, "epoch", "eval"))


# --- PyTorch -----------------------------------------------------------------------------------

TORCH = """
import torch
from torch.utils.data import DataLoader, TensorDataset
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.ones(20, 4), torch.ones(20, 1)), batch_size=8)
def loss_of(x, y):
    return ((model(x) - y) ** 2).mean()
"""
LOOP = """
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss_of(x, y).backward()
        optimizer.step()
    for x, y in loader:  # a test
        with torch.no_grad():
            loss_of(x, y)
"""
ACCUMULATION = """
for number in range(4):
    for x, y in loader:
        loss_of(x, y).backward()
    optimizer.step()
"""
TWO_OPTIMIZERS = """
other = torch.optim.Adam(model.parameters())
for number in range(4):
    for one in (optimizer, other):
        loss_of(torch.ones(2, 4), 1.0).backward()
        one.step()
"""
SCALER = """
scaler = torch.amp.GradScaler("cpu")
for number in range(5):
    optimizer.zero_grad()
    loss = loss_of(torch.ones(2, 4), float("inf") if number == 2 else 1.0)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
"""
EXTENDED = """
class Extended(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)
extended = Extended(model.parameters(), lr=0.1)
for number in range(3):
    loss_of(torch.ones(2, 4), 1.0).backward()
    extended.step()
"""
CLOSURE = """
lbfgs = torch.optim.LBFGS(model.parameters())
def closure():
    lbfgs.zero_grad()
    loss = loss_of(torch.ones(2, 4), 1.0)
    loss.backward()
    return loss
for number in range(2):
    lbfgs.step(closure)
"""
TORCH_CASES = [
    pytest.param(LOOP, [8, 8, 4, 8, 8, 4], id="loader"),
    pytest.param(ACCUMULATION, [20] * 4, id="accumulation"),
    pytest.param(TWO_OPTIMIZERS, [None] * 4, id="two-optimizers-are-one-round"),
    pytest.param(SCALER, [None] * 4, id="what-a-scaler-skips-is-no-step"),
    pytest.param(EXTENDED, [None] * 3, id="a-step-that-calls-a-step"),
    pytest.param(CLOSURE, [None] * 2, id="closure"),
]


@pytest.mark.parametrize(("source", "samples"), TORCH_CASES)
def test_optimizer_steps(
    tmp_path: Path, preloaded_torch: str, source: str, samples: list[int | None]
) -> None:
    found = measured(tmp_path, TORCH + source, preloaded_torch)
    assert [row["samples"] for row in found] == samples
    assert [row["step"] for row in found] == list(range(1, len(samples) + 1))
    assert found[0]["loss"] is not None
    last = rows(tmp_path)[-1]["loss"]
    assert (found[-1]["loss"] is None) == (last is not None)
    if source is SCALER:
        assert found[0]["loss"] < 100  # not the scaled one


WITHOUT_HOOKS = """
import sys, torch.optim.optimizer as module
del module.register_optimizer_step_post_hook
from ascendify_startup import measure, measure_torch
from ascendify_startup.measure_writer import Writer
meter = measure.Meter(Writer("logs"))
measure_torch.begin(meter)
"""


@pytest.mark.parametrize(("source", "samples"), TORCH_CASES[1:])
def test_releases_without_hooks(
    tmp_path: Path, preloaded_torch: str, source: str, samples: list[int | None]
) -> None:
    from ascendify.emulation.paths import STARTUP

    (tmp_path / "logs").mkdir()
    (tmp_path / "train.py").write_text(WITHOUT_HOOKS + TORCH + source)
    search = {"PYTHONPATH": str(STARTUP)}
    command = (preloaded_torch, "train.py")
    subprocess.run(command, cwd=tmp_path, env={**user_environment(), **search}, check=True)
    assert len(reported(tmp_path, "step")) == len(samples)


def test_every_rank_has_a_file(tmp_path: Path, preloaded_torch: str) -> None:
    assert measured(tmp_path, TORCH + LOOP, preloaded_torch, "-n", "2")
    assert {row["rank"] for row in rows(tmp_path, 1)} == {1}


# --- what must never happen ---------------------------------------------------------------------

KILLED = """
import os, signal, time
file, sizes = "logs/measure-0.jsonl", {0}
while len(sizes) < 3:
    optimizer.step()
    time.sleep(0.01)
    sizes.add(os.path.exists(file) and os.path.getsize(file))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_rank_that_is_killed_has_written_what_it_did(tmp_path: Path, torch_python: str) -> None:
    """Rows are written while it trains, twice a second (FLUSH_SECONDS), and in whole lines."""
    ended = launch(tmp_path, TORCH + KILLED, torch_python)
    assert ended.returncode == 3
    assert [row["step"] for row in reported(tmp_path, "step")][:2] == [1, 2]


NOWHERE = """
import os
os.rename("logs", "moved")
for number in range(3):
    optimizer.step()
print("trained")
"""


def test_an_error_of_ours_is_reported_once_and_costs_nothing(
    tmp_path: Path, preloaded_torch: str
) -> None:
    ended = launch(tmp_path, TORCH + NOWHERE, preloaded_torch, "-q")
    assert ended.returncode == 0, ended.stderr
    log = (tmp_path / "moved" / "rank-0.log").read_text()
    assert log.count("ascendify: measuring has stopped: FileNotFoundError") == 1
    assert "trained" in log


def test_the_users_own_start_up_module_runs_too(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import os; os.environ['OWN'] = 'yes'\n")
    source = "import os; print(os.environ['OWN'])\n"
    ended = launch(tmp_path, source, sys.executable, PYTHONPATH=str(own))
    assert ended.stdout == "yes\n", ended.stderr


def test_without_the_switch_nothing_is_there(tmp_path: Path) -> None:
    source = "import os, sys; print('ascendify_startup' in sys.modules, os.environ)"
    (tmp_path / "train.py").write_text(source)
    inherited = {**user_environment(), "ASCENDIFY_MEASURE": str(tmp_path)}
    ended = ascendify("launch", "--", sys.executable, "train.py", cwd=tmp_path, env=inherited)
    assert ended.returncode == 0
    assert ended.stdout.startswith("False")
    assert "ASCENDIFY_MEASURE" not in ended.stdout


def test_an_interpreter_that_ignores_its_environment_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    command = ("launch", "--measure", "--", sys.executable, "-I", "train.py")
    ended = ascendify(*command, cwd=tmp_path)
    assert ended.returncode == 2
    assert "leave out -I and -E" in ended.stderr


def test_a_trained_example_has_a_summary(tmp_path: Path, preloaded_torch: str) -> None:
    measured(tmp_path, TORCH + LOOP, preloaded_torch)
    reported = ascendify("summary", tmp_path / "logs", "--case", tmp_path / "case.log")
    assert reported.returncode == 0
    lines = dict(line.split(" = ", 1) for line in (tmp_path / "case.log").read_text().splitlines())
    assert lines["BatchSize"] == "8"
    assert float(lines["ActualFPS"]) > 0


def test_a_server_without_ascendify(tmp_path: Path, torch_python: str) -> None:
    """The plan holds what measures: whoever has it, and a Python, can be measured."""
    from ascendify.launch import measuring, remote
    from ascendify.launch.request import LaunchRequest, plan_job

    (tmp_path / "train.py").write_text(TORCH + LOOP)
    command = (torch_python, "train.py")
    request = LaunchRequest(command, project=tmp_path, folder=tmp_path / "logs")
    job = measuring.with_measuring(plan_job(request, print))
    job.folder.mkdir()
    (tmp_path / "plan.json").write_text(job.dump())
    (tmp_path / "agent.py").write_text(remote.agent())
    agent = (sys.executable, str(tmp_path / "agent.py"), str(tmp_path / "plan.json"), "0", "5")
    absent = tmp_path / "absent"
    absent.mkdir()
    (absent / "ascendify.py").write_text("raise ImportError('this server has no ascendify')")
    environment = {**user_environment(), "PYTHONPATH": str(absent)}
    subprocess.run(agent, env=environment, cwd=tmp_path, check=True)
    assert [row["samples"] for row in reported(tmp_path, "step")] == [8, 8, 4, 8, 8, 4]


EMULATED = """
import torch, torch_npu
model = torch.nn.Linear(2, 1).npu()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for number in range(3):
    loss = model(torch.ones(1, 2).npu()).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
"""


def test_the_last_loss_is_read_before_the_device_is_gone(
    tmp_path: Path, preloaded_torch: str
) -> None:
    ended = launch(tmp_path, EMULATED, preloaded_torch, "--emulate")
    assert ended.returncode == 0, ended.stderr
    assert "measuring has stopped" not in ended.stdout + ended.stderr
    assert [row["event"] for row in rows(tmp_path)] == ["step", "step", "step", "end"]
    assert rows(tmp_path)[-1]["loss"] == pytest.approx(float(ended.stdout))
