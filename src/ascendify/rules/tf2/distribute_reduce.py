"""strategy.reduce: reduce over the single replica of each process, and then over the ranks."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow.purposes import Purpose, purpose
from ascendify.rules.tf2 import _loss, _ranks
from ascendify.rules.tf2._loss import Scaling
from ascendify.source.flow import backward
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors, scope_of
from ascendify.source.values import Function

RULE = Rule(
    code="TF2-DIST-4",
    title="Reduce values over the devices where a strategy did",
    why=(
        "strategy.reduce() adds up what the replicas of one process computed. With one process a "
        "device there is one replica in each, and every process would report its own value."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="loss = strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)",
    after=(
        "loss = npu_device.distribute.all_reduce("
        "strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None), 'sum')"
    ),
    safety=(
        "With one rank all_reduce() gives back what it is given. Where a loss is not divided by "
        "the batch of all devices, its mean is what the sum over replicas was."
    ),
)

_REDUCE = "tf2.distribute.Strategy.reduce"


@RULE.call(_REDUCE)
@outside_tests
def reduce_over_ranks(site: CallSite) -> Diagnoses:
    """``strategy.reduce(op, value, axis)``, unless it serves evaluation, which no rank divides."""
    file = site.file
    if not _ranks.is_strategy_run(file) or _is_reduced(file, site.node):
        return
    if purpose(file, site.node) is Purpose.EVAL:
        return
    found = f"{site.callee} reduces over the replicas of one process, which are one"
    reduction = reduction_of(file, site.args.value("reduce_op"))
    value = site.args.value("value")
    if reduction is None or value is None:
        yield RULE.manual(
            site,
            found,
            todo=(
                "Put npu_device.distribute.all_reduce(..., 'sum' or 'mean') around it, as its "
                "first argument says."
            ),
        )
        return
    todo = ""
    if reduction == "sum":
        scale = _scaling(file, value)
        if scale.by_replicas and not scale.by_batch:
            reduction = "mean"
            todo = (
                "The value was divided by the number of replicas, which is 1 now, so the mean over "
                "the ranks takes the place of the sum over replicas."
            )
        elif not scale.by_batch:
            todo = (
                "Check that a sum is meant: of values that are means over the samples of a "
                "device, take 'mean'."
            )
    fix = site.fix()
    fix.wrap(site.node, f"{_ranks.function(fix, 'all_reduce')}(", f", '{reduction}')")
    done = "Put npu_device.distribute.all_reduce() around it."
    yield RULE.fixed(site, found, done=done, todo=todo, fix=fix)


@RULE.call("tf2.distribute.ReplicaContext.all_reduce")
@outside_tests
def reduce_in_replica(site: CallSite) -> Diagnoses:
    """``tf.distribute.get_replica_context().all_reduce(op, value)`` of a custom loop."""
    file = site.file
    if not _ranks.is_strategy_run(file):
        return
    value = site.args.value("value")
    reduction = reduction_of(file, site.args.value("reduce_op"))
    found = f"{site.callee} reduces over the replicas of one process, which are one"
    if value is None or reduction is None or site.args.starred:
        todo = "Use npu_device.distribute.all_reduce(values, 'sum' or 'mean')."
        yield RULE.manual(site, found, todo=todo)
        return
    fix = site.fix()
    function = _ranks.function(fix, "all_reduce")
    fix.replace(site.node, f"{function}({fix.text(value)}, '{reduction}')")
    done = "Replaced it by npu_device.distribute.all_reduce(), which reduces over the ranks."
    yield RULE.auto(site, found, done=done, fix=fix)


def reduction_of(file: File, op: ast.expr | None) -> str | None:
    """``'sum'`` or ``'mean'`` for the first argument of a reduction; None for anything else."""
    if op is None:
        return None
    values = file.literal(op)
    text = str(values[0]) if values is not None and len(values) == 1 else last_name(op)
    text = text.rpartition(".")[2].lower()
    return text if text in ("sum", "mean") else None


def _is_reduced(file: File, node: ast.AST) -> bool:
    return any(
        isinstance(item, ast.Call) and file.name(item.func) in _ranks.ALL_REDUCE
        for item in ancestors(node)
    )


def _scaling(file: File, value: ast.expr) -> Scaling:
    """How the loss is scaled that ``strategy.run(step, ...)`` returns."""
    call: ast.expr | None = value
    if isinstance(value, ast.Name):
        call = backward.only_value(value)
    if isinstance(call, ast.Call) and last_name(call.func) in ("run", "experimental_run_v2"):
        given = call.args[0] if call.args else None
        for found in [] if given is None else file.resolver.infer(file.module, given):
            if isinstance(found, Function) and found.module is file.module:
                for result in scope_of(found.node).returns:
                    return _loss.scaling(file, result)
    return _loss.scaling(file, value)
