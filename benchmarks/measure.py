"""Measuring: how much longer a training step takes under ``ascendify launch --measure``.

The same script runs with and without it in turns and times its own steps; of the turns' medians the
smallest counts, which a busy machine disturbs least. A narrow network has steps below a
millisecond, where what measuring adds shows most; the limit is for the wide one, whose steps of a
few milliseconds are still short for a real network. On a busy machine differences of single turns
are larger than what is measured: look at several runs.

Interpreters: ``ASCENDIFY_TORCH_PYTHON``, ``ASCENDIFY_TF1_PYTHON``; one that is not named is left
out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TURNS = 5
LIMIT = 1.05
WIDTHS = {"narrow": 256, "wide": 2048}

TORCH = """
import time, torch
torch.set_num_threads(1)
layers = torch.nn.Linear(512, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, 10)
model = torch.nn.Sequential(*layers)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.utils.data.TensorDataset(torch.randn(64 * 64, 512), torch.randint(10, (64 * 64,)))
loader = torch.utils.data.DataLoader(data, batch_size=64)
times = []
for epoch in range(6):
    for x, y in loader:
        started = time.perf_counter()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        times.append(time.perf_counter() - started)
print("step", sorted(times)[len(times) // 2])
"""
SESSION = """
import time
import numpy as np, tensorflow as tf
x, y = tf.placeholder(tf.float32, [64, 512]), tf.placeholder(tf.int32, [64])
logits = tf.layers.dense(tf.layers.dense(x, WIDTH, tf.nn.relu), 10)
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
times = []
config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
with tf.Session(config=config) as session:
    session.run(tf.global_variables_initializer())
    fed = {x: np.random.randn(64, 512), y: np.random.randint(10, size=64)}
    for step in range(400):
        started = time.perf_counter()
        session.run([train_op, loss], fed)
        times.append(time.perf_counter() - started)
print("step", sorted(times)[len(times) // 2])
"""


def milliseconds(python: str, source: str, *options: str) -> float:
    """The median step of one run."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(source, encoding="utf-8")
        ended = subprocess.run(
            (sys.executable, "-m", "ascendify", "launch", *options, "--", python, "train.py"),
            cwd=folder,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    (step,) = [line.split()[1] for line in ended.stdout.splitlines() if line.startswith("step ")]
    return float(step) * 1000


def main() -> int:
    worst = 0.0
    for name, variable, source in (
        ("torch", "ASCENDIFY_TORCH_PYTHON", TORCH),
        ("session", "ASCENDIFY_TF1_PYTHON", SESSION),
    ):
        python = os.environ.get(variable)
        if not python:
            continue
        for kind, width in WIDTHS.items():
            script = source.replace("WIDTH", str(width))
            turns = [
                (milliseconds(python, script), milliseconds(python, script, "--measure"))
                for _ in range(TURNS)
            ]
            plain, measured = map(min, zip(*turns))
            limit = f"  limit {LIMIT:.2f}" if kind == "wide" else ""
            print(
                f"measure-{name}-{kind}  {(measured - plain) * 1000:.0f} us a step over "
                f"{plain:.3f} ms  ratio {measured / plain:.3f}{limit}"
            )
            if kind == "wide":
                worst = max(worst, measured / plain)
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
