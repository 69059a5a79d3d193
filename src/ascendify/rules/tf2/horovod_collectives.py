"""hvd.allreduce, allgather and broadcast of tensors: use npu_device's collectives."""

from __future__ import annotations

from ascendify.catalog import advice
from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Fix, Rule, Status
from ascendify.rules.tf2 import _ranks
from ascendify.rules.tf2._graphs import outside_graphs

RULE = Rule(
    code="TF2-HVD-8",
    title="Reduce, gather and broadcast tensors with npu_device",
    why="An NPU has no Horovod operators; those of npu_device.distribute do the same.",
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="loss = hvd.allreduce(loss)",
    after="loss = npu_device.distribute.all_reduce(loss, 'mean')",
    safety=(
        f"{advice.text('reduced-types')}. The mean of integers is a float. allgather needs the "
        "same shape on every rank."
    ),
)

_HOW = frozenset({"device_dense", "device_sparse", "name", "ignore_name_scope", "compression"})
"""Arguments that say how Horovod does its work."""
_REDUCTIONS = (
    f"{_horovod.TF}.allreduce", f"{_horovod.TF}.grouped_allreduce",
    *(f"{module}.allreduce" for module in _horovod.KERAS),
)  # fmt: skip
_GATHERS = tuple(f"{module}.allgather" for module in (_horovod.TF, *_horovod.KERAS))
_BROADCASTS = tuple(f"{module}.broadcast" for module in (_horovod.TF, *_horovod.KERAS))


@RULE.call(*_REDUCTIONS)
@outside_graphs
def allreduce(site: CallSite) -> Diagnoses:
    """Replace ``hvd.allreduce(x)``, which computes the mean by default."""
    if not _horovod.is_direct(site.file, site.node.func):
        return
    tensor, reduction = _tensor(site), _horovod.reduction(site)
    known = {tensor, "average", "op", *_HOW}
    if tensor is None or reduction is None or site.args.starred or not _given(site) <= known:
        yield _by_hand(
            site,
            "Write npu_device.distribute.all_reduce(tensor, 'mean' or 'sum') and scale the "
            "result; Adasum and process sets have no counterpart.",
        )
        return
    fix = site.fix()
    _renamed(site, _ranks.function(fix, "all_reduce"), tensor, fix)
    fix.wrap(site.args.by_name[tensor].value, "", f", '{reduction}'", level=1)
    yield _horovod.replaced(RULE, site, fix, "npu_device.distribute.all_reduce()")


@RULE.call(*_GATHERS)
@outside_graphs
def allgather(site: CallSite) -> Diagnoses:
    """Replace ``hvd.allgather(x)``; npu_device needs the number of ranks."""
    if not _horovod.is_direct(site.file, site.node.func):
        return
    tensor = _tensor(site)
    if tensor is None or site.args.starred or not _given(site) <= {tensor, *_HOW}:
        yield _by_hand(site, "Write hccl_ops.allgather(tensor, rank_size).")
        return
    fix = site.fix()
    function = f"{fix.use('npu_device.distribute', 'hccl_ops')}.allgather"
    _renamed(site, function, tensor, fix)
    fix.wrap(site.args.by_name[tensor].value, "", f", {_ranks.size(fix)}", level=1)
    _unless_alone(site, fix, tensor)
    todo = "Every rank must give the same shape: pad what differs in length before."
    yield _horovod.replaced(RULE, site, fix, "hccl_ops.allgather()", todo)


@RULE.call(*_BROADCASTS)
@outside_graphs
def broadcast(site: CallSite) -> Diagnoses:
    """``hvd.broadcast(x, root)``: npu_device takes and gives a list."""
    if not _horovod.is_direct(site.file, site.node.func):
        return
    tensor = _tensor(site)
    needed = {tensor, "root_rank"}
    if tensor is None or site.args.starred or not needed <= _given(site) <= needed | _HOW:
        yield _by_hand(site, "Write hccl_ops.broadcast([tensor], root_rank)[0].")
        return
    fix = site.fix()
    fix.replace(site.node.func, f"{fix.use('npu_device.distribute', 'hccl_ops')}.broadcast")
    fix.remove_arguments(site.node, [item for item in site.args if item.name not in needed])
    kept = site.args.by_name[tensor]
    if kept.keyword is not None:
        fix.replace_range(fix.module.start(kept.keyword), fix.module.start(kept.value), "tensor=")
    fix.wrap(kept.value, "[", "]")
    _unless_alone(site, fix, tensor, "[0]")
    yield _horovod.replaced(RULE, site, fix, "hccl_ops.broadcast()")


def _tensor(site: CallSite) -> str | None:
    """The name of the argument that is exchanged."""
    return next((name for name in ("tensor", "tensors", "value") if name in site.args), None)


def _given(site: CallSite) -> set[str]:
    return {item.name for item in site.args}


def _unless_alone(site: CallSite, fix: Fix, tensor: str, item: str = "") -> None:
    """Leave the tensor as it is with one rank, where there is nobody to talk to."""
    own = fix.operand(site.args.by_name[tensor].value)
    fix.wrap(site.node, "(", f"{item} if {_ranks.size(fix)} > 1 else {own})")


def _renamed(site: CallSite, function: str, tensor: str, fix: Fix) -> None:
    """Call another function with the tensor as first argument, and drop the other arguments."""
    fix.replace(site.node.func, function)
    fix.remove_arguments(site.node, [item for item in site.args if item.name != tensor])
    kept = site.args.by_name[tensor]
    if kept.keyword is not None:
        fix.replace_range(fix.module.start(kept.keyword), fix.module.start(kept.value), "")


def _by_hand(site: CallSite, todo: str) -> Diagnosis:
    return RULE.manual(
        site, f"{site.brief} exchanges tensors with Horovod in a way HCCL does not have", todo=todo
    )
