"""hvd.callbacks.BroadcastGlobalVariablesCallback: start every Keras rank from the same weights."""

from __future__ import annotations

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.tf1 import _npu

RULE = Rule(
    code="TF1-HVD-7",
    title="Broadcast the weights of a Keras model with the NPU's callback",
    why=(
        "Ranks that start from different weights do not train one model. Horovod's callback sends "
        "those of one rank with operators an NPU does not have."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="callbacks = [hvd.callbacks.BroadcastGlobalVariablesCallback(0)]",
    after="callbacks = [NPUBroadcastGlobalVariablesCallback(0)]",
    safety="The weights are sent before the first batch.",
)


@RULE.call(*_horovod.CALLBACKS)
@_horovod.directly
def rename_callback(site: CallSite) -> Diagnoses:
    """Use the NPU's callback and keep only the root rank."""
    file = site.file
    shown = site.callee
    found = f"{shown} sends the weights with Horovod"
    root = site.args.get("root_rank")
    local = site.args.value("local_variables")
    if site.args.starred or root is None or (local is not None and file.literal(local) != (None,)):
        yield RULE.manual(
            site,
            found,
            todo=(
                "Use NPUBroadcastGlobalVariablesCallback(root_rank) of npu_bridge.npu_init; it "
                "takes the root rank only and sends every initialised variable of the model."
            ),
        )
        return
    fix = site.fix()
    fix.replace(site.node.func, _npu.use(fix, "NPUBroadcastGlobalVariablesCallback"))
    fix.remove_arguments(site.node, [item for item in site.args if item is not root])
    done = f"Replaced {shown} by NPUBroadcastGlobalVariablesCallback."
    yield RULE.auto(site, found, done=done, fix=fix)
