"""Printing from inside the graph: report it, because a session does not show the text."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status, once
from ascendify.rules.tensorflow import host

RULE = Rule(
    code="TF1-SUM-2",
    title="Read what the graph prints",
    why=(
        "tf.print runs on the device, which has no console. An Estimator reads the channel and "
        "prints to stderr; in a session nothing is shown until a thread reads it."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="loss = tf.Print(loss, [loss], 'loss: ')",
)

_PRINTS = ("tf.Print", "tf.print")
_SESSIONS = ("tf.Session", "tf.InteractiveSession", "tf.train.MonitoredTrainingSession",
             "tf.train.Supervisor")  # fmt: skip


@RULE.call(*_PRINTS)
def report_print(site: CallSite) -> Diagnoses:
    """The first print of a file, outside the input pipeline, which runs on the host."""
    file = site.file
    if host.runs_on_host(file, site.node):
        return
    others = once.others(site, *_PRINTS)
    if others is None:
        return
    spelled = site.callee
    if next(iter(file.references(*_SESSIONS)), None) is None:
        yield RULE.info(
            site,
            f"{spelled} prints on the device{others}: an Estimator shows it on stderr, a session "
            "only when a thread reads the channel _npu_log",
        )
        return
    yield RULE.manual(
        site,
        f"{spelled} prints on the device{others}, and no thread of this program reads it",
        todo=(
            "Remove it, fetch the tensor with sess.run and print it in Python, or read the "
            "channel in a thread: op = npu_ops.outfeed_dequeue_op(channel_name='_npu_log', "
            "output_types=[tf.string], output_shapes=[()]), then sess.run(op) in a loop."
        ),
    )
