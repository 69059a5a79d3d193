"""CrossShardOptimizer, which averages gradients over TPU cores: remove it."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Fix, Rule, Status

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
    safety="In runs on several devices the optimizer must be wrapped to average gradients.",
)


@RULE.call("tf.tpu.CrossShardOptimizer", "tf.contrib.tpu.CrossShardOptimizer")
def unwrap(site: CallSite) -> Diagnoses:
    """Replace the call by its optimizer."""
    file = site.file
    inner = site.args.value("opt")
    found = f"{site.callee} averages gradients over TPU cores"
    if inner is None:
        yield RULE.manual(site, found, todo="Use the optimizer that is passed to it instead.")
        return
    fix = site.fix()
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
        _keep(site, fix, inner)
    todo = (
        "Make sure that the optimizer is wrapped once in npu_distributed_optimizer_wrapper(), "
        "which averages gradients over the ranks."
    )
    several = file.facts.distributed != "none"
    yield RULE.fixed(site, found, done=done, todo=todo if several else "", fix=fix)


def _keep(site: CallSite, fix: Fix, inner: ast.expr) -> None:
    """Remove the text around the optimizer only, so that other rules can still rewrite it."""
    module = site.file.module
    text = fix.operand(inner)
    around = ("(", ")") if text != fix.text(inner) else ("", "")
    fix.replace_range(module.start(site.node), module.start(inner), around[0])
    fix.replace_range(module.end(inner), module.end(site.node), around[1])
