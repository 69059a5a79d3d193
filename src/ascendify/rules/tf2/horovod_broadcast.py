"""hvd.broadcast_variables: use npu_device's broadcast."""

from __future__ import annotations

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.tf2 import _broadcast, _ranks
from ascendify.rules.tf2._graphs import outside_graphs

RULE = Rule(
    code="TF2-HVD-6",
    title="Broadcast variables with npu_device",
    why=(
        "Ranks that start from different weights do not train one model. Horovod sends them with "
        "operators an NPU does not have, and the vendor's own callback never sends anything."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="hvd.broadcast_variables(model.variables, root_rank=0)",
    after="npu_device.distribute.broadcast(model.variables, root_rank=0)",
    safety=(
        "A callback of the file's own takes the place of Horovod's. It sends variables before the "
        "first step; those that the first step makes, behind it."
    ),
)


@RULE.call(f"{_horovod.TF}.broadcast_variables")
@outside_graphs
def broadcast_variables(site: CallSite) -> Diagnoses:
    """``hvd.broadcast_variables(variables, root_rank)``."""
    if not _horovod.is_direct(site.file, site.node.func):
        return
    found = f"{site.callee} sends variables with Horovod"
    variables, root = site.args.get("variables"), site.args.get("root_rank")
    others = [item for item in site.args if item.name not in ("variables", "root_rank")]
    if variables is None or root is None or site.args.starred or others:
        todo = "Call npu_device.distribute.broadcast(variables, root_rank=0)."
        yield RULE.manual(site, found, todo=todo)
        return
    fix = site.fix()
    fix.replace(site.node.func, _ranks.function(fix, "broadcast"))
    if variables.keyword is not None:
        start = site.file.module.start(variables.keyword)
        fix.replace_range(start, start + len("variables"), "values")
    done = f"Replaced {site.callee} by npu_device.distribute.broadcast()."
    yield RULE.auto(site, found, done=done, fix=fix)


@RULE.call(*_horovod.CALLBACKS)
@outside_graphs
def replace_callback(site: CallSite) -> Diagnoses:
    """``hvd.callbacks.BroadcastGlobalVariablesCallback(0)``."""
    file = site.file
    if not _horovod.is_direct(file, site.node.func):
        return
    found = f"{site.callee} sends the weights with Horovod"
    root = site.args.value("root_rank")
    if site.args.starred or root is None or file.literal(root) != (0,):
        yield RULE.manual(
            site,
            found,
            todo=(
                "Call npu_device.distribute.broadcast(model.variables, root_rank) once the model "
                "is built, before fit()."
            ),
        )
        return
    fix = site.fix()
    fix.replace(site.node, f"{_broadcast.callback(fix, site.node)}()")
    done = "Replaced it by a callback of the file's own that calls npu_device's broadcast()."
    yield RULE.auto(site, found, done=done, fix=fix)


@RULE.call(f"{_horovod.TF}.broadcast_global_variables", _horovod.HOOK)
@outside_graphs
def report_graphs(site: CallSite) -> Diagnoses:
    """Report functions that only graphs with sessions have."""
    yield RULE.manual(
        site,
        f"{site.callee} sends the variables of a graph, which TensorFlow 2 does not have",
        todo="Call npu_device.distribute.broadcast(model.variables, root_rank=0) when it is built.",
    )
