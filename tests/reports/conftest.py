"""A report with one of everything, for the renderers to be tried on."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable

import pytest

from ascendify.findings import Effort, Finding, RuleInfo, Span, Status
from ascendify.reports.model import ApiUse, FileAction, FileResult, Place, Report

RULES = {
    rule.code: rule
    for rule in (
        RuleInfo(
            "TF1-DATA-5",
            "Queues and readers",
            "Queue runners live on the host and starve the device.",
            "tf1",
            (Status.MANUAL,),
        ),
        RuleInfo(
            "TF1-DTYPE-1",
            "Unsupported data type",
            "The device has no kernels for this type.",
            "tf1",
            (Status.BLOCKER,),
        ),
        RuleInfo(
            "TF1-SESS-1",
            "Session configuration",
            "Without the NPU entry in its config a session computes on the CPU.",
            "tf1",
            (Status.AUTO, Status.MANUAL),
        ),
        RuleInfo(
            "TF1-DATA-1",
            "Static batch size",
            "The device compiles one graph per shape.",
            "tf1",
            (Status.AUTO_CHECK,),
        ),
        RuleInfo("HVD-INIT-1", "Horovod start", "HCCL takes its place.", "horovod", (Status.AUTO,)),
        RuleInfo("TF1-LOG-1", "Summaries", "They run on the host.", "tf1", (Status.INFO,)),
    )
}

TRAIN_BEFORE = 'import tensorflow as tf\n\nsess = tf.Session()\nprint("步")\n'
TRAIN_AFTER = (
    "import tensorflow as tf\n"
    "from npu_bridge.npu_init import npu_config_proto\n"
    "\n"
    "sess = tf.Session(config=npu_config_proto())\n"
    'print("步")\n'
)


def finding(code: str, status: Status, path: str, line: int = 1, **fields: object) -> Finding:
    """A finding with only what a test cares about spelt out."""
    made = Finding(code, status, path, Span(line, 5, line, 17), found=f"{code} found here")
    return replace(made, **fields)  # type: ignore[arg-type]  # the caller names real fields


def sample() -> Report:
    """Every status, action and support status; cells, odd paths, possible findings."""
    findings = (
        finding(
            "TF1-DTYPE-1",
            Status.BLOCKER,
            "models/net.py",
            40,
            found="tf.complex64 has no NPU kernel",
            todo="Split the tensor into its real and imaginary parts.",
            effort=Effort.REWRITE,
        ),
        finding(
            "TF1-DATA-5",
            Status.MANUAL,
            "data/输入 管道.py",
            12,
            found="tf.train.string_input_producer(files, feed={0: x[1](y)}) makes a queue",
            todo="Read the files with tf.data:\n  dataset = tf.data.TFRecordDataset(files)",
            effort=Effort.HOURS,
        ),
        finding(
            "TF1-DATA-5",
            Status.MANUAL,
            "data/输入 管道.py",
            20,
            found="tf.train.shuffle_batch makes a queue",
            todo="Use dataset.shuffle and dataset.batch.",
            effort=Effort.HOURS,
        ),
        finding(
            "TF1-DATA-1",
            Status.AUTO_CHECK,
            "train.py",
            7,
            found="ds.batch(32) keeps a last, smaller batch",
            done="added drop_remainder=True",
            todo="Check that losing up to 31 samples an epoch is fine.",
            effort=Effort.MINUTES,
        ),
        finding(
            "TF1-DATA-1",
            Status.AUTO,
            "train.py",
            9,
            found="x.batch(8) may be a dataset",
            todo="Add drop_remainder=True if x is a dataset.",
            effort=Effort.MINUTES,
            possible=True,
        ),
        finding(
            "TF1-SESS-1",
            Status.AUTO,
            "train.py",
            3,
            span=Span(3, 8, 3, 20),
            found="tf.Session() has no NPU configuration",
            done="passed config=npu_config_proto()",
        ),
        finding(
            "TF1-SESS-1",
            Status.AUTO,
            "notebooks/demo.ipynb",
            2,
            span=Span(2, 1, 4, 1),
            cell=3,
            found="tf.Session(\n    graph=g\n) has no NPU configuration",
            done="passed config=npu_config_proto()",
        ),
        finding("HVD-INIT-1", Status.AUTO, "train.py", 5, done="removed hvd.init()"),
        finding(
            "TF1-LOG-1", Status.INFO, "train.py", 11, found="100% of tf.summary: kept, see log"
        ),
    )
    files = (
        FileResult("train.py", FileAction.CHANGED, TRAIN_BEFORE, TRAIN_AFTER),
        FileResult("models/net.py", FileAction.UNCHANGED),
        FileResult("data/输入 管道.py", FileAction.UNCHANGED, encoding="gbk"),
        FileResult("done/ported.py", FileAction.UNCHANGED, migrated=True),
        FileResult("notebooks/demo.ipynb", FileAction.CHANGED, '{"cells": []}', '{"cells": [1]}'),
        FileResult("README.md", FileAction.COPIED),
        FileResult("old/py2.py", FileAction.UNREADABLE, reason="Python 2 print statement", line=14),
        FileResult("old/blob.py", FileAction.UNREADABLE, reason="not UTF-8 text"),
        FileResult("npu_options.py", FileAction.ADDED, after="MODE = None\n"),
    )
    supports = {
        "supported": "tf.add",
        "tool": "tf.Session",
        "harmless": "tf.config.optimizer.set_jit",
        "tool_train": "tf.device",
        "unsupported": "tf.complex",
        "manual": "tf.accumulate_n",
        "analysing": "tf.raw_ops.Foo",
        "deprecated": "tf.layers.dense",
        "na": "tf.contrib.odd",
    }
    apis = tuple(
        ApiUse(api, support, "supported", f"about {api}", count, (Place("train.py", count),))
        for count, (support, api) in enumerate(supports.items(), 1)
    )
    return Report(
        command="migrate",
        version="0.1.0",
        root="/home/me/crnn",
        output="/home/me/crnn_npu",
        files=files,
        findings=findings,
        apis=apis,
        rules=RULES,
        catalog_version="CANN 8.5",
    )


def empty() -> Report:
    """A run over a project that asks for nothing."""
    files = (FileResult("train.py", FileAction.UNCHANGED),)
    return Report("check", "0.1.0", "/home/me/clean", None, files=files, findings=())


@pytest.fixture
def report() -> Report:
    return sample()


@pytest.fixture
def clean() -> Report:
    return empty()


@pytest.fixture
def make() -> Callable[..., Finding]:
    return finding
