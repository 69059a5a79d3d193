"""All rules together: one thing is one finding, by the rule that knows best what to do about it."""

from __future__ import annotations

import pytest

from ascendify.rules.site import Facts
from support.rule_cases import Case, run

_FACTS = Facts(entry_points=frozenset({"main.py"}), distributed="horovod")
_HEAD = "import tensorflow as tf\nimport horovod.tensorflow as hvd\n"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        pytest.param(
            "config = tf.ConfigProto()\n"
            "config.gpu_options.visible_device_list = str(hvd.local_rank())\n",
            ["TF1-HVD-10"],
            id="the GPU of a rank, set",
        ),
        pytest.param(
            "options = tf.GPUOptions(visible_device_list=str(hvd.local_rank()))\n",
            ["TF1-GPU-1"],
            id="the GPU of a rank, among other options",
        ),
        pytest.param(
            "tf.config.experimental.set_visible_devices(gpus[hvd.local_rank()], 'GPU')\n",
            ["TF1-GPU-6"],
            id="the GPU of a rank, among visible devices",
        ),
        pytest.param(
            "with tf.device('/gpu:%d' % hvd.local_rank()):\n    x = f()\n",
            ["TF1-DEV-1"],
            id="the GPU of a rank, as a scope",
        ),
        pytest.param(
            "compression = hvd.Compression.fp16 if fp16 else hvd.Compression.none\n"
            "opt = hvd.DistributedOptimizer(make(), compression=compression)\n",
            ["TF1-HVD-4"],
            id="compression that goes with the optimizer",
        ),
        pytest.param(
            "estimator = make()\n"
            "tf.estimator.train_and_evaluate(estimator, a, b)\n"
            "if hvd.rank() == 0:\n    print('done')\n",
            ["TF1-PREC-2", "TF1-HVD-3"],
            id="a rank after an estimator has shut HCCL down",
        ),
        pytest.param(
            "cluster = tf.train.ClusterSpec({'ps': a, 'worker': b})\n"
            "server = tf.train.Server(cluster, job_name=job, task_index=0)\n"
            "with tf.device(tf.train.replica_device_setter(cluster=cluster)):\n"
            "    opt = tf.train.SyncReplicasOptimizer(inner, 2)\n",
            ["TF1-PS-1"],
            id="parameter servers of sessions",
        ),
        pytest.param(
            "if condition:\n    rank = hvd.rank()\nif rank == 0:\n"
            "    tf.summary.scalar('loss', loss)\n",
            ["TF1-HVD-3", "TF1-RANK-1"],
            id="a summary of one rank",
        ),
    ],
)
def test_one_finding(text: str, codes: list[str]) -> None:
    outcome = run(Case("ALL", "", _HEAD + text, facts=_FACTS))
    found = [item for item in outcome.findings if item.code != "TF1-HVD-1"]
    assert [item.code for item in sorted(found, key=lambda item: item.span)] == codes
    assert "horovod" not in outcome.after


@pytest.mark.parametrize(
    ("tasks", "todo"),
    [
        pytest.param("1", "Make it ps_tasks=0 and run one process per device.", id="a number"),
        pytest.param("FLAGS.ps", "Run with FLAGS.ps = 0, one process per device.", id="a flag"),
    ],
)
def test_servers_that_a_number_adds(tasks: str, todo: str) -> None:
    text = f"device = tf.train.replica_device_setter(worker_device=d, ps_tasks={tasks})\n"
    assert [item.todo for item in run(Case("ALL", "", _HEAD + text)).findings][-1:] == [todo]
