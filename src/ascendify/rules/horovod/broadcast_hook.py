"""hvd.BroadcastGlobalVariablesHook: start every rank from the same variables."""

from __future__ import annotations

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.tf1 import _npu

RULE = Rule(
    code="TF1-HVD-5",
    title="Broadcast the start values with the NPU's hook",
    why=(
        "Ranks that start from different weights do not train one model. Horovod's hook sends "
        "those of one rank with operators an NPU does not have."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="hooks = [hvd.BroadcastGlobalVariablesHook(0)]",
    after="hooks = [NPUBroadcastGlobalVariablesHook(0, int(os.getenv('RANK_ID', '0')))]",
    safety=(
        "The NPU's hook sends trainable variables only. Moving averages of batch normalisation, "
        "optimizer slots and the global step are what each rank initialised or restored itself."
    ),
)

_TODO = (
    "The NPU's hook sends trainable variables only. If just one rank restores a checkpoint, let "
    "every rank restore it, or broadcast all variables; otherwise no change is needed."
)


@RULE.call(_horovod.HOOK)
@_horovod.directly
def rename_hook(site: CallSite) -> Diagnoses:
    """Use the NPU's hook, whose second parameter is the rank instead of a device."""
    shown = site.callee
    found = f"{shown} sends variables with Horovod"
    if site.args.starred or "root_rank" not in site.args:
        yield RULE.manual(
            site,
            found,
            todo=(
                f"Call NPUBroadcastGlobalVariablesHook(root_rank, {_npu.RANK_ID}) of "
                f"npu_bridge.npu_init. {_TODO}"
            ),
        )
        return
    fix = site.fix()
    fix.replace(site.node.func, _npu.use(fix, "NPUBroadcastGlobalVariablesHook"))
    rank = f"int({fix.use('os')}.getenv('RANK_ID', '0'))"
    device = site.args.get("device")
    by_name = any(argument.keyword is not None for argument in site.args)
    if device is not None:
        fix.replace(device.node, f"index={rank}" if device.keyword is not None else rank)
    else:
        fix.add_argument(site.node, f"index={rank}" if by_name else rank)
    done = f"Replaced {shown} by NPUBroadcastGlobalVariablesHook."
    yield RULE.auto_check(site, found, done=done, todo=_TODO, fix=fix)
