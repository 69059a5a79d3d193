"""Clusters that a script builds itself: what to write instead, step by step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.findings import Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite, File

RULE = Rule(
    code="TF1-PS-1",
    title="Turn parameter servers of sessions into processes that average gradients",
    why=(
        "Sessions on NPUs do not share variables through servers: every process holds the model on "
        "its own device, and HCCL averages the gradients."
    ),
    statuses=(Status.MANUAL,),
    before="cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})",
)

_SESSIONS = ("tf.train.MonitoredTrainingSession", "tf.Session", "tf.train.Supervisor")


@RULE.call("tf.train.ClusterSpec")
def tell_steps(site: CallSite) -> Iterator[Diagnosis]:
    """Tell once a file, in its own names, how to do without the cluster."""
    file = site.file
    first = next(file.calls("tf.train.ClusterSpec"))
    if first.node is not site.node:
        return
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{file.brief(site.node)} describes parameter servers and workers",
        todo=" ".join(f"{number}) {step}" for number, step in enumerate(_steps(file), 1)),
    )


def _steps(file: File) -> Iterator[str]:
    server = _target(next(file.calls("tf.train.Server"), None))
    yield f"Remove the cluster, {server or 'its server'} and the branch that joins it."
    if any(True for _ in file.calls("tf.train.replica_device_setter")):
        yield "Replace the device scope with replica_device_setter by its block."
    session = next(file.calls(*_SESSIONS), None)
    if session is not None and server:
        yield f"Take {server}.target out of {file.brief(session.node.func)}."
    yield (
        "Read is_chief as int(os.getenv('RANK_ID', '0')) == 0, the task index as RANK_ID and the "
        "number of workers as int(os.getenv('RANK_SIZE', '1'))."
    )
    if any(True for _ in file.calls("tf.train.SyncReplicasOptimizer")):
        yield "Drop SyncReplicasOptimizer and its hook: all processes step together."
    optimizer = _target(_optimizer(file)) or "opt"
    yield f"{optimizer} = npu_distributed_optimizer_wrapper({optimizer}) (npu_bridge.npu_init)."
    yield (
        "Broadcast the variables of rank 0: hooks=npu_hooks_append(hooks_list=[...]) for monitored "
        "sessions, hccl_ops.broadcast with tf.assign for others."
    )
    yield "Start one process a device with a rank table instead of --job_name and --task_index."


def _optimizer(file: File) -> CallSite | None:
    found = (
        site
        for site in file.calls("tf.train.*")
        if site.name.endswith("Optimizer") and not site.name.endswith("SyncReplicasOptimizer")
    )
    return next(found, None)


def _target(site: CallSite | None) -> str | None:
    """The variable a call's result is given to."""
    if site is None or not isinstance(site.statement, ast.Assign):
        return None
    target = site.statement.targets[0]
    return site.file.text(target) if isinstance(target, (ast.Name, ast.Attribute)) else None
