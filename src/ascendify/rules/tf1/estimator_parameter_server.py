"""Parameter servers: only NPUEstimator knows them; clusters of sessions become all-reduce."""

from __future__ import annotations

from collections.abc import Iterator

from ascendify.findings import Effort, Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite
from ascendify.rules.tf1 import _estimator
from ascendify.rules.tf1._estimator_flow import uses

RULE = Rule(
    code="TF1-EST-7",
    title="Replace parameter servers by all-reduce, or give them to NPUEstimator",
    why=(
        "On the NPU, parameter servers work only through NPUEstimator with a cluster in TF_CONFIG. "
        "Clusters that a script builds itself from servers and device setters do not."
    ),
    statuses=(Status.MANUAL,),
    before="server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task)",
)

_ALL_REDUCE = (
    "Start one process a device instead of servers and workers: drop the cluster and its device "
    "setter, wrap the optimizer in npu_distributed_optimizer_wrapper(), broadcast the variables "
    "of rank 0 once, and give every rank its share of the data."
)


@RULE.call("tf.train.Server", "tf.train.SyncReplicasOptimizer")
def tell_cluster(site: CallSite) -> Iterator[Diagnosis]:
    """A script that runs its own cluster."""
    found = f"{site.file.brief(site.node.func)} belongs to training with parameter servers"
    yield site.finding(RULE, Status.MANUAL, found, todo=_ALL_REDUCE)


@RULE.call("tf.train.replica_device_setter")
def tell_setter(site: CallSite) -> Iterator[Diagnosis]:
    """A device setter that places variables on servers; without servers it does nothing."""
    arguments = site.args
    tasks = arguments.value("ps_tasks")
    no_tasks = tasks is None or site.file.literal(tasks) == (0,)
    if no_tasks and "cluster" not in arguments and not arguments.starred:
        return
    func = site.file.brief(site.node.func)
    if "cluster" in arguments or arguments.starred:
        found = f"{func} places variables on parameter servers"
        yield site.finding(RULE, Status.MANUAL, found, todo=_ALL_REDUCE)
        return
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{func} places variables on parameter servers unless their number is 0",
        todo=f"Run with 0 parameter servers ({site.file.brief(arguments.by_name['ps_tasks'].value)}"
        " = 0), one process a device.",
        effort=Effort.MINUTES,
    )


@RULE.call(
    "tf.distribute.experimental.ParameterServerStrategy",
    "tf.contrib.distribute.ParameterServerStrategy",
)
def tell_strategy(site: CallSite) -> Iterator[Diagnosis]:
    """A strategy that does not end in the run config of a native estimator."""
    for use in uses(site.file.resolver, site.file.module, site.node).calls:
        file = _estimator.in_file(site.file, use.module)
        name = file.name(use.call.func)
        if name == "npu.NPURunConfig":
            return
        if name == _estimator.RUN_CONFIG and _estimator.plan_config(file, use.call).native:
            return
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{site.file.brief(site.node.func)} is not given to an NPUEstimator",
        todo=(
            "Pass it as NPURunConfig(distribute=<strategy>, mix_compile_mode=True) to an "
            "NPUEstimator and set TF_CONFIG on every process; both are needed together. Or drop "
            "it and train with all-reduce, one process a device."
        ),
    )
