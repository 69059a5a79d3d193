"""Measuring: how much longer a training step takes under ``ascendify launch --measure``.

The same script runs with and without it in turns and times its own steps; of the turns' medians the
smallest counts, which a busy machine disturbs least. Its steps are small, a few milliseconds on a
CPU: those of a real network are longer, and what measuring adds to each stays the same.

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

TORCH = """
import time, torch
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 10))
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
logits = tf.layers.dense(tf.layers.dense(x, 2048, tf.nn.relu), 10)
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
        turns = [
            (milliseconds(python, source), milliseconds(python, source, "--measure"))
            for _ in range(TURNS)
        ]
        plain, measured = map(min, zip(*turns))
        print(
            f"measure-{name}  {(measured - plain) * 1000:.0f} us a step over {plain:.3f} ms"
            f"  ratio {measured / plain:.3f}  limit {LIMIT:.2f}"
        )
        worst = max(worst, measured / plain)
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
