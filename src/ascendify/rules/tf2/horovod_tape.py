"""hvd.DistributedGradientTape: the tape itself, and its gradients reduced over the ranks."""

from __future__ import annotations

import ast

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Fix, Rule, Status
from ascendify.rules.tf2 import _ranks
from ascendify.source.nodes import block_of, function_around, is_inside, only_target, position
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-HVD-5",
    title="Reduce the gradients of a tape without Horovod",
    why=(
        "Horovod's tape reduces gradients with operators an NPU does not have. "
        "npu_device.distribute.all_reduce() reduces what the tape itself computes."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before=(
        "tape = hvd.DistributedGradientTape(tape)\n"
        "grads = tape.gradient(loss, model.trainable_variables)"
    ),
    after=(
        "grads = npu_device.distribute.all_reduce("
        "tape.gradient(loss, model.trainable_variables), 'mean')"
    ),
    safety="Gradients are sent in their own type, and sparse ones as dense ones.",
)

_NOTES = {
    "compression": "gradients are sent in their own type",
    "sparse_as_dense": "",
    "device_dense": "",
    "device_sparse": "",
    "num_groups": "",
    "groups": "",
    "persistent": "",
    "gradient_predivide_factor": "gradients are divided after the sum only",
    "scale_local_gradients": "",
}
"""Arguments that are dropped, and what the finding says about each."""
_OPS = {"Average": "mean", "Sum": "sum"}


@RULE.call(*_horovod.TAPES)
def replace_tape(site: CallSite) -> Diagnoses:
    """``tape = hvd.DistributedGradientTape(tape, ...)``, and every ``tape.gradient`` behind it."""
    file, node = site.file, site.node
    if not _horovod.is_direct(file, node.func):
        return
    found = f"{site.callee} reduces gradients with Horovod"
    tape = site.args.get("gradtape") or site.args.get("tape")
    inner = tape.value if tape is not None else (node.args[0] if node.args else None)
    target = only_target(site.statement)
    reduction = _reduction(site)
    calls = _gradients(site, target)
    if (
        inner is None
        or reduction is None
        or site.args.starred
        or not isinstance(target, ast.Name)
        or not calls
        or _others(site)
        or (reduction == "sum" and _is_optional(site, calls))
    ):
        yield RULE.manual(
            site,
            found,
            todo=(
                "Keep the tape as it is, and reduce what it gives: npu_device.distribute."
                "all_reduce(tape.gradient(loss, variables), 'mean')."
            ),
        )
        return
    fix = site.fix()
    if isinstance(inner, ast.Name) and inner.id == target.id:
        fix.remove_statement(node)
    else:
        fix.replace(node, fix.text(inner))
    _reduce(fix, calls, reduction)
    notes = [
        f"{item.name} was dropped, {note}"
        for item in site.args
        if (note := _NOTES.get(item.name, "")) and not _is_neutral(site, item.value)
    ]
    if _is_optional(site, calls):
        notes.append(
            "gradients are reduced whatever the branch says in which the tape was replaced; where "
            "another line reduces them too, take one of the two out"
        )
    yield RULE.fixed(
        site,
        found,
        done="Left the tape as it is, and reduced its gradients with all_reduce().",
        todo=f"Check that this serves: {'; '.join(notes)}." if notes else "",
        fix=fix,
    )


def _reduce(fix: Fix, calls: list[ast.Call], reduction: str) -> None:
    function = _ranks.function(fix, "all_reduce")
    for call in calls:
        fix.wrap(call, f"{function}(", f", '{reduction}')")


def _gradients(site: CallSite, target: ast.expr | None) -> list[ast.Call]:
    """The calls of the tape's ``gradient``, after the statement, in the same function."""
    if not isinstance(target, ast.Name):
        return []
    return [
        call
        for call in site.file.module.index.calls_by_name.get("gradient", ())
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == target.id
        and function_around(call) is function_around(site.node)
        and position(call) > position(site.node)
        and not _is_reduced(site, call)
    ]


def _is_optional(site: CallSite, calls: list[ast.Call]) -> bool:
    """Whether some runs of the function compute gradients without Horovod's tape."""
    block = block_of(site.statement)
    return not all(any(is_inside(call, item) for item in block) for call in calls)


def _is_reduced(site: CallSite, call: ast.Call) -> bool:
    around = parent(call)
    return isinstance(around, ast.Call) and site.file.name(around.func) in _ranks.ALL_REDUCE


def _others(site: CallSite) -> list[str]:
    """Arguments that cannot be dropped."""
    known = {*_NOTES, "gradtape", "tape", "op"}
    return [item.name for item in site.args if item.name not in known]


def _reduction(site: CallSite) -> str | None:
    op = site.args.value("op")
    if op is None or site.file.literal(op) == (None,):
        return "mean"
    name = site.file.name(op) or ""
    prefix, _, last = name.rpartition(".")
    return _OPS.get(last) if prefix == _horovod.TF else None


def _is_neutral(site: CallSite, value: ast.expr) -> bool:
    name = site.file.name(value) or ""
    return name.endswith("Compression.none") or site.file.literal(value) in (
        (None,),
        (1.0,),
        (1,),
    )
