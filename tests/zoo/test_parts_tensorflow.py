"""What the guides get from TensorFlow, and what ours gives instead: the same numbers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

from ascendify.zoo.config import LossScale, Optimizer, Schedule  # noqa: E402
from ascendify.zoo.text.decoding import ctc_greedy  # noqa: E402
from ascendify.zoo.text.metrics import WordMetrics  # noqa: E402
from ascendify.zoo.training import optimizers  # noqa: E402
from ascendify.zoo.training.averaging import WeightAverage  # noqa: E402
from ascendify.zoo.training.scaling import LossScaler  # noqa: E402
from ascendify.zoo.training.schedules import rate  # noqa: E402
from support.interpreters import user_environment  # noqa: E402

BLANK = 4
STEPS = [0, 1, 9, 10, 11, 20, 21, 49, 50, 99, 100]
SCALE = {"start": 2.0**126, "grow": 3, "shrink": 2}
BAD_STEPS = "ggggggggbggbbggbgbbgggbggg" + "b" * 260 + "gggbgbgg"

SCRIPT = """
import json
import sys

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
given = json.load(open(sys.argv[1]))
session = v1.Session()


def run(tensors):
    session.run(v1.global_variables_initializer())
    return session.run(tensors)


def sparse(rows):
    places = [[b, i] for b, row in enumerate(rows) for i in range(len(row))]
    values = [value for row in rows for value in row]
    shape = [len(rows), max([len(row) for row in rows] + [1])]
    return v1.SparseTensor(np.reshape(places, (-1, 2)).astype("int64"),
                           np.array(values, "int64"), shape)


def rows(decoded, count):
    found = [[] for _ in range(count)]
    for (b, _), value in zip(decoded.indices.tolist(), decoded.values.tolist()):
        found[b].append(value)
    return found


def greedy(logits, lengths):
    logits = tf.constant(logits, tf.float32)
    both = [v1.nn.ctc_greedy_decoder(logits, lengths, merge_repeated=merge)[0][0]
            for merge in (True, False)]
    return [rows(decoded, len(lengths)) for decoded in run(both)]


def distance(read, labels):
    return run(v1.edit_distance(sparse(read), sparse(labels), normalize=True)).tolist()


def ctc(logits, lengths, labels, label_lengths, blank):
    losses = v1.nn.ctc_loss_v2(
        labels=tf.constant(labels, tf.int32), logits=tf.constant(logits, tf.float32),
        label_length=label_lengths, logit_length=lengths, logits_time_major=True,
        blank_index=blank)
    return run(losses).tolist()


def smoothed(logits, labels, classes):
    target = tf.one_hot(labels, classes) * 0.9 + 0.1 / classes
    losses = tf.nn.softmax_cross_entropy_with_logits(labels=target, logits=tf.constant(logits))
    perfect = tf.nn.softmax_cross_entropy_with_logits(
        labels=target, logits=tf.math.log(target))
    return [run(tf.reduce_mean(tf.reduce_sum(x, 1))).item() for x in (losses, perfect)]


def schedules(steps):
    step = v1.placeholder(tf.int64)
    rates = {
        "polynomial": v1.train.polynomial_decay(0.01, step, 100, 1e-6, power=0.1),
        "cosine": v1.train.cosine_decay(0.08, step, 100),
        "staircase": v1.train.exponential_decay(0.1, step, 10, 0.5, staircase=True),
        "piecewise": v1.train.piecewise_constant(step, [10, 20], [0.1, 0.01, 0.001]),
    }
    return {name: [session.run(rate, {step: n}).item() for n in steps]
            for name, rate in rates.items()}


def average(values, decay):
    with v1.variable_scope("average"):
        value = v1.get_variable("value", initializer=1.0)
        count = v1.get_variable("count", initializer=0)
    mean = tf.train.ExponentialMovingAverage(decay, num_updates=count)
    update = mean.apply([value])
    session.run(v1.global_variables_initializer())
    found = []
    for n, number in enumerate(values):
        value.load(number, session)
        count.load(n, session)
        session.run(update)
        found.append(session.run(mean.average(value)).item())
    return found


def clipped(grads, limit):
    tensors = [tf.constant(grad, tf.float32) for grad in grads]
    each = [tf.clip_by_norm(tensor, limit) for tensor in tensors]
    together, norm = tf.clip_by_global_norm(tensors, limit)
    found = run([each, together, norm])
    return [[grad.tolist() for grad in found[0]], [grad.tolist() for grad in found[1]],
            found[2].item()]


def momentum(grads, nesterov):
    weight = v1.get_variable("weight%d" % nesterov, initializer=1.0)
    grad = v1.placeholder(tf.float32)
    optimizer = v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=nesterov)
    step = optimizer.apply_gradients([(grad, weight)])
    session.run(v1.global_variables_initializer())
    found = []
    for number in grads:
        session.run(step, {grad: number})
        found.append(session.run(weight).item())
    return found


def scales(steps, start, grow, shrink):
    if not hasattr(tf, "contrib"):
        return None
    from tensorflow.contrib.mixed_precision import ExponentialUpdateLossScaleManager
    manager = ExponentialUpdateLossScaleManager(start, grow, shrink, 2, 0.5)
    finite = v1.placeholder(tf.bool)
    update = manager.update_loss_scale(finite)
    session.run(v1.global_variables_initializer())
    found = []
    for step in steps:
        session.run(update, {finite: step == "g"})
        found.append(session.run(manager.get_loss_scale()).item())
    return found


functions = [greedy, distance, ctc, smoothed, schedules, average, clipped, momentum, scales]
print(json.dumps({
    function.__name__: [function(*arguments) for arguments in given[function.__name__]]
    for function in functions
}))
"""


def random(*shape: int, seed: int, scale: float = 3.0) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * scale


LOGITS = random(12, 6, BLANK + 1, seed=1)
LENGTHS = [12, 12, 9, 5, 1, 12]
LABELS = [[0, 1, 2, 3], [1, 1, 2, 4], [3, 3, 3, 4], [0, 4, 4, 4], [2, 4, 4, 4], [0, 0, 1, 1]]
LABEL_LENGTHS = [4, 3, 3, 1, 1, 4]
READ = [[0, 1, 2, 3], [1, 2], [], [0, 1, 2, 3, 0], [1], [0, 0, 1]]
CHARACTERS = random(3, 37, 134, seed=2)
CHARACTER_LABELS = [[(7 * b + i) % 134 if i < 9 * b else 133 for i in range(37)] for b in range(3)]
VALUES = [5.0, -3.0, 2.0, 8.0, 0.5] * 4
GRADS = [[3.0, 4.0], [0.0, 12.0], [0.0]]
STEPPED = [0.5, -0.25, 1.0, 0.0, 0.125]


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """TensorFlow's, by program: each runs once."""
    return {}


@pytest.fixture
def theirs(preloaded_tensorflow: str, answers: dict[str, Any], tmp_path: Path) -> Any:
    if preloaded_tensorflow not in answers:
        answers[preloaded_tensorflow] = query(preloaded_tensorflow, tmp_path)
    return answers[preloaded_tensorflow]


def query(program: str, folder: Path) -> Any:
    labels = [label[:length] for label, length in zip(LABELS, LABEL_LENGTHS)]
    given = {
        "greedy": [[LOGITS.tolist(), LENGTHS]],
        "distance": [[READ, labels]],
        "ctc": [[LOGITS.tolist(), LENGTHS, LABELS, LABEL_LENGTHS, BLANK]],
        "smoothed": [[CHARACTERS.tolist(), CHARACTER_LABELS, 134]],
        "schedules": [[STEPS]],
        "average": [[VALUES, 0.5]],
        "clipped": [[GRADS, 6.0], [GRADS, 26.0]],
        "momentum": [[STEPPED, False], [STEPPED, True]],
        "scales": [[BAD_STEPS, SCALE["start"], SCALE["grow"], SCALE["shrink"]]],
    }
    (folder / "given.json").write_text(json.dumps(given), encoding="utf-8")
    (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
    run = subprocess.run(
        [program, str(folder / "script.py"), str(folder / "given.json")],
        env=user_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_ctc_greedy_decoder(theirs: Any) -> None:
    merged, unmerged = theirs["greedy"][0]
    assert merged != unmerged
    for merge, expected in ((True, merged), (False, unmerged)):
        decoded = ctc_greedy(LOGITS, BLANK, merge, torch.tensor(LENGTHS))
        assert decoded.texts() == expected


def test_edit_distance(theirs: Any) -> None:
    metrics = WordMetrics(BLANK)
    rows = [read + [BLANK] * (5 - len(read)) for read in READ]
    metrics.update(
        torch.tensor(rows), {"labels": torch.tensor(LABELS)}, torch.tensor([True] * len(rows))
    )
    expected = sum(theirs["distance"][0]) / len(rows)
    assert metrics.compute(metrics.sums())["seq_distance"] == pytest.approx(expected, rel=1e-6)


def test_ctc_loss(theirs: Any) -> None:
    losses = functional.ctc_loss(
        LOGITS.log_softmax(2),
        torch.tensor(LABELS),
        torch.tensor(LENGTHS),
        torch.tensor(LABEL_LENGTHS),
        blank=BLANK,
        reduction="none",
    )
    assert losses.tolist() == pytest.approx(theirs["ctc"][0], rel=1e-5)


def test_label_smoothing(theirs: Any) -> None:
    labels = torch.tensor(CHARACTER_LABELS)
    target = functional.one_hot(labels, 134) * 0.9 + 0.1 / 134
    found, floor = theirs["smoothed"][0]
    for logits, expected in ((CHARACTERS, found), (target.log(), floor)):
        losses = functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), reduction="none", label_smoothing=0.1
        )
        mean = losses.reshape(labels.shape).sum(1).mean().item()
        assert mean == pytest.approx(expected, rel=1e-5)
    assert floor == pytest.approx(29.9265, abs=1e-4)


@pytest.mark.parametrize(
    ("lr", "schedule"),
    [
        (0.01, Schedule("polynomial", end=1e-6, power=0.1)),
        (0.08, Schedule("cosine")),
        (0.1, Schedule("staircase", decay=0.5, every=10)),
        (0.1, Schedule("piecewise", boundaries=(10, 20), factors=(1, 0.1, 0.01))),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_schedules(theirs: Any, lr: float, schedule: Schedule) -> None:
    ours = [rate(schedule, lr, step, 100) for step in STEPS]
    expected = theirs["schedules"][0][schedule.kind]
    assert ours == pytest.approx(expected, rel=1e-5, abs=1e-8)


def test_moving_average(theirs: Any) -> None:
    model = torch.nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(1)
    average, ours = WeightAverage(model, 0.5), []
    for value in VALUES:
        model.weight.data.fill_(value)
        average.update()
        ours.append(average.model.get_parameter("weight").item())
    assert ours == pytest.approx(theirs["average"][0], rel=1e-5)


@pytest.mark.parametrize(("limit", "row"), [(6.0, 0), (26.0, 1)])
def test_clipping(theirs: Any, limit: float, row: int) -> None:
    each, together, norm = theirs["clipped"][row]
    for expected, by_variable in ((each, True), (together, False)):
        parameters = [torch.zeros(len(grad)) for grad in GRADS]
        for parameter, grad in zip(parameters, GRADS):
            parameter.grad = torch.tensor(grad)
        reported = optimizers.clip(parameters, Optimizer(clip=limit, clip_each=by_variable))
        assert reported is not None
        assert reported.item() == pytest.approx(norm)
        for parameter, grad in zip(parameters, expected):
            assert parameter.grad is not None
            assert parameter.grad.tolist() == pytest.approx(grad)


@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum(theirs: Any, nesterov: bool) -> None:
    weight = torch.ones((), requires_grad=True)
    optimizer = optimizers.build(Optimizer("sgd", 0.1, nesterov=nesterov), [{"params": [weight]}])
    ours = []
    for grad in STEPPED:
        weight.grad = torch.tensor(grad)
        optimizer.step()
        ours.append(weight.item())
    assert ours == pytest.approx(theirs["momentum"][nesterov], rel=1e-5)


def test_loss_scale(theirs: Any) -> None:
    """From near the largest number to the floor and up again, step for step the same."""
    expected = theirs["scales"][0]
    if expected is None:
        pytest.skip("TensorFlow 2 has no ExponentialUpdateLossScaleManager")
    config = LossScale("dynamic", SCALE["start"], int(SCALE["grow"]), int(SCALE["shrink"]))
    scaler, ours = LossScaler(config), []
    for step in BAD_STEPS:
        scaler.update(torch.tensor(step == "b"))
        ours.append(scaler.scale.item())
    assert ours == expected
    assert max(ours) == 2.0**127
    assert min(ours) == 1
