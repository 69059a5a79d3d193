"""``ascendify run`` with a real TensorFlow: ranks start, numbers travel, and a model trains."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import ascendify
from support.interpreters import user_environment

SCRIPT = """\
import json, os, pathlib
import tensorflow
from npu_bridge.npu_init import *
from npu_bridge.hccl import hccl_ops
tf = tensorflow.compat.v1
tf.disable_eager_execution()
rank = int(os.environ["RANK_ID"])
x = tf.constant([[1.0 + rank], [2.0]])
w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 3.0))
step = npu_distributed_optimizer_wrapper(tf.train.GradientDescentOptimizer(0.1)).minimize(loss)
total = hccl_ops.allreduce(x, "sum")
with tf.Session(config=npu_config_proto()) as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(step)
    facts = {"total": session.run(total).tolist(), "w": float(session.run(w)[0][0])}
pathlib.Path("rank-%d.json" % rank).write_text(json.dumps(facts))
print("done")
"""


def test_two_ranks_train_together(preloaded_tensorflow: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    command = ("run", "-n", "2", "--timeout", "200", "--", preloaded_tensorflow, "train.py")
    ran = ascendify(*command, cwd=tmp_path, env=user_environment())
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.endswith("done\n")
    first, second = (json.loads((tmp_path / f"rank-{n}.json").read_text()) for n in range(2))
    assert first == second
    assert first["total"] == [[3.0], [4.0]]
    assert first["w"] > 0.5
