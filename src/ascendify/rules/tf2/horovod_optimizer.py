"""hvd.DistributedOptimizer: npu_device's wrapper for Keras optimizers."""

from __future__ import annotations

import ast

from ascendify.rules.horovod import _horovod
from ascendify.rules.horovod.distributed_optimizer import NOTES
from ascendify.rules.kit import Argument, CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.tf2 import _optimizers, _ranks
from ascendify.rules.tf2._graphs import outside_graphs

RULE = Rule(
    code="TF2-HVD-4",
    title="Reduce gradients with npu_device's optimizer wrapper",
    why=(
        "Horovod's optimizer reduces gradients with operators an NPU does not have. The wrapper "
        "of npu_device makes the optimizer reduce them before it applies them."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="opt = hvd.DistributedOptimizer(opt)",
    after="opt = npu_device.distribute.npu_distributed_keras_optimizer_wrapper(opt)",
    safety=(
        "The optimizer is changed in place and returned; its copies are not wrapped. With one rank "
        "it reduces nothing."
    ),
)

_SUM = f"{_horovod.TF}.Sum"
_AVERAGE = f"{_horovod.TF}.Average"


@RULE.call(*_horovod.OPTIMIZERS)
@outside_graphs
def wrap_optimizer(site: CallSite) -> Diagnoses:
    """``hvd.DistributedOptimizer(opt, ...)``."""
    file = site.file
    if not _horovod.is_direct(file, site.node.func):
        return
    shown, given = site.callee, site.args.value("optimizer")
    found = f"{shown} reduces gradients with Horovod"
    op = site.args.value("op")
    summed = op is not None and file.name(op) == _SUM
    known = op is None or summed or file.name(op) == _AVERAGE
    bad = site.args.starred or site.args.surplus or "process_set" in site.args
    if given is None or bad or not known:
        yield RULE.manual(
            site,
            f"{shown} is called with arguments that cannot be taken over",
            todo=f"Call npu_device.distribute.{_ranks.WRAPPER}(optimizer): it averages gradients.",
        )
        return
    dropped = [item for item in site.args if item.name != "optimizer"]
    fix = site.fix()
    fix.replace(site.node.func, _ranks.function(fix, _ranks.WRAPPER))
    fix.remove_arguments(site.node, dropped)
    if summed:
        fix.wrap(given, "", ", reduce_reduction='sum'", level=1)
    done = f"Replaced {shown} by npu_device.distribute.{_ranks.WRAPPER}()."
    notes = [note for item in dropped if (note := _note(file, item))]
    if _is_loss_scaled(file, given):
        notes.append("the wrapper belongs around the optimizer inside the loss-scaling one")
    yield RULE.fixed(
        site,
        found,
        done=done,
        todo=f"Check that this serves: {'; '.join(notes)}." if notes else "",
        fix=fix,
    )


def _is_loss_scaled(file: File, node: ast.expr) -> bool:
    return file.kind(node) in _optimizers.LOSS_SCALE


def _note(file: File, argument: Argument) -> str:
    if argument.name == "op":
        return ""
    neutral, note = NOTES.get(argument.name, ((), ""))
    values = file.literal(argument.value)
    if not note or file.name(argument.value) in neutral:
        return ""
    if values is not None and all(value in neutral for value in values):
        return ""
    return f"{argument.name}={file.brief(argument.value, 40)} was dropped, {note}"
