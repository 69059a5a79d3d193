"""hvd.allreduce, allgather and broadcast of tensors: the same with HCCL's operators."""

from __future__ import annotations

import ast

from ascendify.catalog import advice
from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Fix, Rule, Status, names
from ascendify.rules.tf1 import _npu
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-HVD-8",
    title="Reduce, gather and broadcast tensors with HCCL",
    why="An NPU has no Horovod operators; HCCL's operators do the same inside the graph.",
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="total = hvd.allreduce(loss)\nparts = hvd.allgather(scores)",
    after=(
        'total = hccl_ops.allreduce(loss, "sum") / get_rank_size()\n'
        "parts = hccl_ops.allgather(scores, get_rank_size())"
    ),
    safety=(
        f"{advice.text('reduced-types')} (which of them "
        "depends on the product), not a variable itself and not IndexedSlices. allgather needs the "
        "same shape on every rank."
    ),
)

_HOW = frozenset({"device_dense", "device_sparse", "name", "ignore_name_scope"})
"""Arguments that change how Horovod communicates but not the result; they are dropped."""
_FACTORS = frozenset({"prescale_factor", "postscale_factor"})
_ENDS = (
    ast.Assign, ast.AnnAssign, ast.Return, ast.Expr, ast.Call, ast.keyword, ast.List, ast.Tuple,
)  # fmt: skip
"""Nodes in which a quotient needs no parentheses."""


@RULE.call(f"{_horovod.TF}.allreduce", f"{_horovod.TF}.grouped_allreduce")
@_horovod.directly
def allreduce(site: CallSite) -> Diagnoses:
    """Reduce with HCCL; a mean is the sum divided by the number of ranks."""
    grouped = site.name.endswith("grouped_allreduce")
    tensor = "tensors" if grouped else "tensor"
    reduction = _horovod.reduction(site)
    known = {tensor, "average", "op", "compression", *_HOW, *_FACTORS}
    if reduction is None or not _takes_over(site, known, (tensor,)) or _scaled(site):
        yield _by_hand(
            site,
            'Write hccl_ops.allreduce(tensor, "sum") ("min", "max", "prod") and scale the result; '
            "Adasum and process sets have no counterpart.",
        )
    elif grouped:
        yield _grouped(site, reduction)
    else:
        yield _single(site, reduction)


@RULE.call(_horovod.SUM)
@_horovod.directly
def add_up(site: CallSite) -> Diagnoses:
    """Add up with HCCL what Horovod's own operator adds up."""
    call = site.node
    if len(call.args) != 1 or any(item.arg != "name" for item in call.keywords):
        yield _by_hand(site, 'Write hccl_ops.allreduce(tensor, "sum").')
        return
    fix = site.fix()
    tensor = fix.module.segment(call.args[0])
    if site.file.is_a(call.args[0], "tf.Variable"):
        tensor = f"{names.tensorflow(fix, call)}.identity({tensor})"
    fix.replace(call, f'{_npu.use(fix, "hccl_ops")}.allreduce({tensor}, "sum")')
    todo = "HCCL takes no variable and no IndexedSlices here: pass tf.identity(v)."
    yield _horovod.replaced(RULE, site, fix, "hccl_ops.allreduce()", todo)


def _single(site: CallSite, reduction: str) -> Diagnosis:
    file = site.file
    fix = _renamed(site, "allreduce", ("tensor",))
    tensor = site.args.by_name["tensor"]
    if file.is_a(tensor.value, "tf.Variable"):
        fix.wrap(tensor.value, f"{names.tensorflow(fix, site.node)}.identity(")
    operation = "sum" if reduction == "mean" else reduction
    _append(fix, site, f'reduction="{operation}"' if tensor.keyword else f'"{operation}"')
    if reduction == "mean":
        whole = _is_integer(file, tensor.value)
        quotient = f" {'//' if whole else '/'} {_npu.use(fix, 'get_rank_size')}()"
        bare = isinstance(parent(site.node), _ENDS)
        fix.wrap(site.node, "" if bare else "(", quotient if bare else f"{quotient})")
        todo = "" if whole else "If the tensor is of an integer type, divide with // instead. "
    else:
        todo = ""
    todo += (
        "HCCL takes no variable and no IndexedSlices here: pass tf.identity(v), or use "
        "npu_allreduce() of npu_bridge.npu_init for sparse gradients."
    )
    return _horovod.replaced(RULE, site, fix, "hccl_ops.allreduce()", todo)


def _grouped(site: CallSite, reduction: str) -> Diagnosis:
    fix = site.fix()
    fix.replace(site.node.func, _npu.use(fix, "npu_allreduce"))
    tensors = site.args.by_name["tensors"]
    _drop_others(fix, site, ("tensors",))
    if tensors.keyword is not None:
        fix.replace_range(fix.module.start(tensors.keyword), fix.module.start(tensors.value), "")
    if reduction != "mean":
        _append(fix, site, f'reduction="{reduction}"')
    return _horovod.replaced(
        RULE, site, fix, "npu_allreduce()", "None among the tensors is not allowed: leave it out."
    )


@RULE.call(f"{_horovod.TF}.allgather")
@_horovod.directly
def allgather(site: CallSite) -> Diagnoses:
    """Gather with HCCL, which must know the number of ranks."""
    if not _takes_over(site, {"tensor", *_HOW}, ("tensor",)):
        yield _by_hand(site, "Write hccl_ops.allgather(tensor, get_rank_size()).")
        return
    fix = _renamed(site, "allgather", ("tensor",))
    size = f"{_npu.use(fix, 'get_rank_size')}()"
    by_name = site.args.by_name["tensor"].keyword is not None
    _append(fix, site, f"rank_size={size}" if by_name else size)
    todo = (
        "HCCL needs the same shape on every rank and at least one dimension; pad what differs in "
        "length before, and cut it after."
    )
    yield _horovod.replaced(RULE, site, fix, "hccl_ops.allgather()", todo)


@RULE.call(f"{_horovod.TF}.broadcast")
@_horovod.directly
def broadcast(site: CallSite) -> Diagnoses:
    """Broadcast one tensor with HCCL, which takes and gives a list."""
    names = ("tensor", "root_rank")
    if not _takes_over(site, {*names, *_HOW}, names):
        yield _by_hand(site, "Write hccl_ops.broadcast([tensor], root_rank)[0].")
        return
    fix = _renamed(site, "broadcast", names)
    fix.wrap(site.args.by_name["tensor"].value, "[", "]")
    fix.wrap(site.node, "", "[0]")
    yield _horovod.replaced(RULE, site, fix, "hccl_ops.broadcast()", "")


def _takes_over(site: CallSite, known: set[str], needed: tuple[str, ...]) -> bool:
    given = set(site.args.by_name)
    return not site.args.starred and not site.args.surplus and set(needed) <= given <= known


def _scaled(site: CallSite) -> bool:
    """Whether a factor other than 1 is given."""
    values = [site.args.value(name) for name in _FACTORS]
    return any(
        value is not None and site.file.literal(value) not in ((1,), (1.0,)) for value in values
    )


def _renamed(site: CallSite, function: str, keep: tuple[str, ...]) -> Fix:
    fix = site.fix()
    fix.replace(site.node.func, f"{_npu.use(fix, 'hccl_ops')}.{function}")
    _drop_others(fix, site, keep)
    return fix


def _drop_others(fix: Fix, site: CallSite, keep: tuple[str, ...]) -> None:
    fix.remove_arguments(site.node, [item for item in site.args if item.name not in keep])


def _append(fix: Fix, site: CallSite, text: str) -> None:
    """Add an argument behind the one tensor that stays."""
    kept = next(item for item in site.args if item.name in ("tensor", "tensors"))
    fix.wrap(kept.value, "", f", {text}", level=1)


def _is_integer(file: File, node: ast.expr) -> bool:
    """Whether a tensor visibly is of an integer type: ``tf.cast(x, tf.int32)``."""
    if not isinstance(node, ast.Call) or file.name(node.func) not in ("tf.cast", "tf.constant"):
        return False
    names = [file.name(value) for value in [*node.args[1:], *(k.value for k in node.keywords)]]
    return any(name in ("tf.int8", "tf.int16", "tf.int32", "tf.int64") for name in names)


def _by_hand(site: CallSite, todo: str) -> Diagnosis:
    found = f"{site.brief} exchanges tensors with Horovod in a way that HCCL does not support"
    return RULE.manual(site, found, todo=todo)
