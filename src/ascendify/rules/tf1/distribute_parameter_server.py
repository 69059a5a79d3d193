"""Parameter servers that a script runs itself: report step by step what to write instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status
from ascendify.rules.tf1 import _npu

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

_SETTER = "tf.train.replica_device_setter"
_SYNC = "tf.train.SyncReplicasOptimizer"
_SERVER = "tf.train.Server"
_PARTS = ("tf.train.ClusterSpec", _SERVER, _SYNC, _SETTER)
"""Parts of training with servers; the first one in a file gets the finding."""
_MONITORED = "tf.train.MonitoredTrainingSession"
_SESSIONS = (_MONITORED, "tf.Session", "tf.train.Supervisor")


@RULE.call(*_PARTS)
def report_steps(site: CallSite) -> Diagnoses:
    """Report once per file, in its own names, how to train without servers."""
    file = site.file
    parts = [part for name in _PARTS for part in file.calls(name) if _has_servers(part)]
    if not parts or parts[0].node is not site.node:
        return
    tasks = site.args.value("ps_tasks") if site.name == _SETTER else None
    func = site.callee
    if tasks is not None and "cluster" not in site.args:
        literal = isinstance(tasks, ast.Constant)
        zero = "Make it ps_tasks=0 and" if literal else f"Run with {file.brief(tasks)} = 0,"
        yield RULE.manual(
            site,
            f"{func} places variables on parameter servers unless their number is 0",
            todo=f"{zero} {'run ' if literal else ''}one process per device.",
        )
        return
    yield RULE.manual(
        site,
        f"{func} belongs to training with parameter servers",
        todo=" ".join(f"{number}) {step}" for number, step in enumerate(_steps(file), 1)),
        effort=Effort.HOURS,
    )


def _has_servers(site: CallSite) -> bool:
    """Whether there are servers: without them a device setter does nothing."""
    if site.name != _SETTER or "cluster" in site.args or site.args.starred:
        return True
    tasks = site.args.value("ps_tasks")
    return tasks is not None and site.file.literal(tasks) != (0,)


def _steps(file: File) -> Iterator[str]:
    server = _target(next(file.calls(_SERVER), None))
    session = next(file.calls(*_SESSIONS), None)
    step = f"Remove the cluster, {server or 'its server'} and the branch that joins it"
    if session is not None and server:
        step += f", and {server}.target from {file.brief(session.node.func)}"
    yield f"{step}."
    if any(True for _ in file.calls(_SETTER)):
        yield "Replace the scope with replica_device_setter by its block."
    yield f"The chief is the process where {_npu.RANK_ID} == 0."
    made = (each for each in file.calls("tf.train.*") if each.name.endswith("Optimizer"))
    optimizer = _target(next((each for each in made if each.name != _SYNC), None)) or "opt"
    step = f"{optimizer} = npu_distributed_optimizer_wrapper({optimizer})"
    if any(True for _ in file.calls(_SYNC)):
        step += " instead of SyncReplicasOptimizer and its hook"
    yield f"{step}."
    if session is not None and session.name == _MONITORED:
        yield "Pass hooks=npu_hooks_append(hooks_list=[...])."
    else:
        yield "After the initialisers, tf.assign(v, hccl_ops.broadcast([v], 0)[0]) for variables v."
    yield "Start one process per device with a rank table."


def _target(site: CallSite | None) -> str | None:
    """The variable that a call's result is assigned to."""
    if site is None or not isinstance(site.statement, ast.Assign):
        return None
    target = site.statement.targets[0]
    return site.file.text(target) if isinstance(target, (ast.Name, ast.Attribute)) else None
