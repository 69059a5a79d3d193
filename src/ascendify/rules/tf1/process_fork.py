"""Forked processes: report them in programs that train, because a fork copies device state."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, once

RULE = Rule(
    code="TF1-PROC-1",
    title="Start processes by forkserver",
    why=(
        "A process forked after the NPU was initialised inherits handles of the device it must not "
        "use, and hangs or fails."
    ),
    statuses=(Status.MANUAL,),
    before=(
        "with tf.Session() as sess:\n"
        "    workers = [multiprocessing.Process(target=load) for _ in range(4)]"
    ),
)

_FORKS = (
    *(f"multiprocessing.{name}" for name in ("Process", "Pool", "pool.Pool", "process.Process")),
    "concurrent.futures.ProcessPoolExecutor",
    "os.fork",
)
_TRAINS = (
    "tf.Session", "tf.InteractiveSession", "tf.train.MonitoredTrainingSession",
    "tf.train.Supervisor", "tf.estimator.Estimator", "tf.estimator.train_and_evaluate",
    "tf.keras.Model.fit", "tf.keras.Model.fit_generator", "npu.NPUEstimator",
)  # fmt: skip
_METHODS = ("multiprocessing.set_start_method", "multiprocessing.get_context")


@RULE.call(*_FORKS)
def report_fork(site: CallSite) -> Diagnoses:
    """The first process of a file that also trains."""
    file = site.file
    if not any(True for _ in file.references(*_TRAINS)) or _chooses_method(file):
        return
    others = once.others(site, *_FORKS)
    if others is None:
        return
    yield RULE.manual(
        site,
        f"{site.callee} forks a process of a program that trains{others}",
        todo=(
            "Call multiprocessing.set_start_method('forkserver') first thing in the main program; "
            "what is handed to the processes must be picklable."
        ),
    )


def _chooses_method(file: File) -> bool:
    return any(
        isinstance(item, ast.Constant) and item.value in ("forkserver", "spawn")
        for call in file.calls(*_METHODS)
        for item in ast.walk(call.node)
    )
