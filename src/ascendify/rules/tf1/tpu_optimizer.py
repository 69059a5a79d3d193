"""CrossShardOptimizer, which averages gradients over TPU cores: average over ranks instead."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Fix, Rule, Status
from ascendify.rules.tensorflow.passing import origins
from ascendify.rules.tf1 import _distributed, _npu
from ascendify.source.nodes import conditions_around

RULE = Rule(
    code="TF1-TPU-3",
    title="Use the optimizer inside a CrossShardOptimizer",
    why=(
        "CrossShardOptimizer builds an operator that exists on TPUs only; a graph with it fails "
        "outside a TPU."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="train_op = tf.contrib.tpu.CrossShardOptimizer(optimizer).minimize(loss)",
    after="train_op = optimizer.minimize(loss)",
    safety=(
        "A project with a CrossShardOptimizer trains on several devices: its optimizers are "
        "wrapped where they are made, and what tf.gradients computes is averaged, before it is "
        "clipped."
    ),
)

_ADVICE = {
    "tf_strategy": "",
    "none": (
        "Nothing averages gradients now: with --distributed tf_strategy they are averaged over the "
        "ranks."
    ),
    "horovod": (
        "Make sure that the optimizer is wrapped once in npu_distributed_optimizer_wrapper(), "
        "which averages gradients over the ranks."
    ),
}
"""What is left to do, by how training is distributed."""


@RULE.call(*_distributed.CROSS_SHARD)
def unwrap(site: CallSite) -> Diagnoses:
    """Replace the call by its optimizer, or by the NPU's where nothing else makes it average."""
    file = site.file
    inner = site.args.value("opt")
    found = f"{site.callee} averages gradients over TPU cores"
    if inner is None:
        yield RULE.manual(site, found, todo="Use the optimizer that is passed to it instead.")
        return
    fix = site.fix()
    if _distributed.is_strategy_run(file) and not _is_wrapped_where_made(site, inner):
        function = _npu.use(fix, "npu_distributed_optimizer_wrapper")
        _keep(site, fix, inner, (f"{function}(", ")"))
        done = f"Averaged them over the ranks instead, with {function}()."
        yield RULE.fixed(site, found, done=done, todo=_under_condition(site), fix=fix)
        return
    done = f"Used {file.brief(inner)} itself."
    statement = site.statement
    if (
        isinstance(statement, ast.Assign)
        and statement.value is site.node
        and [file.text(target) for target in statement.targets] == [file.text(inner)]
    ):
        fix.remove_statement(site.node)
        done = f"Removed the assignment: {file.brief(inner)} is used itself."
    else:
        text = fix.operand(inner)
        _keep(site, fix, inner, ("(", ")") if text != fix.text(inner) else ("", ""))
    if _distributed.is_strategy_run(file):
        done += " What it gives is averaged over the ranks where it is made or computed."
    yield RULE.fixed(site, found, done=done, todo=_ADVICE[file.facts.distributed], fix=fix)


def _is_wrapped_where_made(site: CallSite, inner: ast.expr) -> bool:
    """Whether the optimizer is surely made in the project, where another rule makes it average."""
    file = site.file
    made = origins(file.resolver, file.module, inner)
    return (
        bool(made.calls)
        and not made.unknown
        and all(_distributed.makes_optimizer(file.of(module), call) for module, call in made.calls)
    )


def _under_condition(site: CallSite) -> str:
    tests = [site.file.brief(test) for test in conditions_around(site.node)]
    if not tests:
        return ""
    return f"Make sure that it is reached on NPUs too: it stands under `if {tests[0]}:`."


def _keep(site: CallSite, fix: Fix, inner: ast.expr, around: tuple[str, str]) -> None:
    """Edit only the text around the optimizer, so that other rules can still rewrite it."""
    module = site.file.module
    fix.replace_range(module.start(site.node), module.start(inner), around[0])
    fix.replace_range(module.end(inner), module.end(site.node), around[1])
