"""The Horovod rules together: whole scripts, what keeps an import, and a shutdown that runs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ascendify.rules.site import Facts
from support.rule_cases import Case, brief, run

FAMILY = "TF1-HVD"

SESSION_SCRIPT = '''\
"""Trains."""
import os, horovod.tensorflow as hvd
import tensorflow as tf


def main(_):
    hvd.init()
    config = tf.ConfigProto()
    config.gpu_options.visible_device_list = str(hvd.local_rank())
    opt = tf.train.AdamOptimizer(0.001 * hvd.size())
    opt = hvd.DistributedOptimizer(opt, compression=hvd.Compression.fp16)
    with tf.Session(config=config) as sess:
        sess.run(hvd.broadcast_global_variables(0))
        if hvd.rank() == 0:
            print(sess.run(hvd.allreduce(loss)))


if __name__ == '__main__':
    tf.app.run()
'''
SESSION_SCRIPT_AFTER = '''\
"""Trains."""
import atexit
import os
import tensorflow as tf
from hccl.manage.api import get_rank_id, get_rank_size
from npu_bridge.hccl import hccl_ops
from npu_bridge.npu_init import (
    close_session, init_resource, npu_distributed_optimizer_wrapper, shutdown_resource)


def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def main(_):
    npu_sess, npu_shutdown = init_resource()
    atexit.register(close_session, npu_sess)
    atexit.register(shutdown_resource, npu_sess, npu_shutdown)
    config = tf.ConfigProto()
    opt = tf.train.AdamOptimizer(0.001 * get_rank_size())
    opt = npu_distributed_optimizer_wrapper(opt)
    with tf.Session(config=config) as sess:
        sess.run(npu_broadcast(tf.global_variables(), 0))
        if get_rank_id() == 0:
            print(sess.run(hccl_ops.allreduce(loss, "sum") / get_rank_size()))


if __name__ == '__main__':
    tf.app.run()
'''

GUARDED = """\
try:
    import horovod.tensorflow as hvd
except ImportError:
    hvd = None


def main():
    if hvd is not None:
        hvd.init()
    rank = 0 if hvd is None else hvd.rank()
"""
GUARDED_AFTER = """\
try:
    import hccl.manage.api as hvd
except ImportError:
    hvd = None
import atexit
from hccl.manage.api import get_rank_id
from npu_bridge.npu_init import close_session, init_resource, shutdown_resource


def main():
    if hvd is not None:
        npu_sess, npu_shutdown = init_resource()
        atexit.register(close_session, npu_sess)
        atexit.register(shutdown_resource, npu_sess, npu_shutdown)
    rank = 0 if hvd is None else get_rank_id()
"""

ALL_REWRITTEN = """\
import horovod.tensorflow as hvd
def f():
    return hvd.rank()
"""


def _case(before: str, **more: object) -> Case:
    return replace(Case(FAMILY, "", before), **more)  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(SESSION_SCRIPT, SESSION_SCRIPT_AFTER, id="session-script"),
        pytest.param(GUARDED, GUARDED_AFTER, id="guarded-import-that-is-tested"),
    ],
)
def test_whole_script(before: str, after: str) -> None:
    assert run(_case(before)).after == after
    assert run(_case(after)).after == after


def test_what_a_removal_takes_away_is_not_reported_as_left_undone() -> None:
    outcome = run(_case(SESSION_SCRIPT))
    lines = [row for row in brief(outcome.findings) if row.startswith(("9 ", "11 "))]
    assert lines == ["9 auto", "11 auto-check"]


def test_a_skipped_line_keeps_the_import_and_the_report_says_why() -> None:
    text = ALL_REWRITTEN.replace("rank()", "rank()  # ascendify: skip") + "print(hvd.size())\n"
    outcome = run(_case(text))
    assert outcome.after.startswith("import horovod.tensorflow as hvd\n")
    (kept,) = [finding for finding in outcome.findings if finding.code == "TF1-HVD-1"]
    assert kept.found.endswith("still uses it: hvd.rank")
    assert (kept.span.line, kept.status.value) == (1, "manual")


def test_a_rule_left_out_keeps_the_import() -> None:
    case = _case(ALL_REWRITTEN, code="TF1-HVD-1")
    assert run(case).after == ALL_REWRITTEN
    assert run(_case(ALL_REWRITTEN)).after.startswith("from hccl.manage.api import get_rank_id\n")


def test_an_argument_that_goes_takes_its_mention_of_compression_with_it() -> None:
    text = (
        "import horovod.tensorflow as hvd\n"
        "opt = hvd.DistributedOptimizer(opt, compression=hvd.Compression.fp16)\n"
    )
    outcome = run(_case(text))
    assert {finding.code for finding in outcome.findings} == {"TF1-HVD-1", "TF1-HVD-4"}
    assert "horovod" not in outcome.after


def test_without_horovod_nothing_happens() -> None:
    text = "import tensorflow as tf\nsess = tf.Session()\n"
    outcome = run(_case(text, facts=Facts(distributed="horovod")))
    assert outcome.after == text
    assert outcome.findings == []


STUB = """\
def init_resource(config=None):
    print('init')
    return 'session', 'operation'
def shutdown_resource(session, operation):
    print('shutdown', session, operation)
def close_session(session):
    print('close', session)
"""


@pytest.mark.parametrize(
    ("script", "events"),
    [
        pytest.param(
            "import sys\nimport horovod.tensorflow as hvd\n"
            "def main():\n    hvd.init()\n    print('train')\n    sys.exit(0)\nmain()\n",
            ["init", "train", "shutdown session operation", "close session"],
            id="an-app-runner-that-never-returns",
        ),
        pytest.param(
            "import horovod.tensorflow as hvd\nhvd.init()\nprint('train')\nraise ValueError\n",
            ["init", "train", "shutdown session operation", "close session"],
            id="training-fails",
        ),
        pytest.param(
            "import horovod.tensorflow as hvd\n"
            "def main():\n    hvd.init()\n    hvd.shutdown()\n    print('after')\nmain()\n",
            ["init", "shutdown session operation", "close session", "after"],
            id="shut-down-by-hand-and-not-twice",
        ),
    ],
)
def test_the_shutdown_runs_once(script: str, events: list[str], tmp_path: Path) -> None:
    (tmp_path / "npu_bridge").mkdir()
    (tmp_path / "npu_bridge" / "__init__.py").touch()
    (tmp_path / "npu_bridge" / "npu_init.py").write_text(STUB)
    (tmp_path / "train.py").write_text(run(_case(script)).after)
    result = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.stdout.splitlines() == events
