"""Gradients that no optimizer computes: average them over the devices before they are applied."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, gradients
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf1 import _distributed
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TF1-DIST-5",
    title="Average what tf.gradients computes before it is applied",
    why=(
        "The NPU's optimizer wrapper averages gradients that the optimizer computes. Those of "
        "tf.gradients reach apply_gradients without it, and every device trains separately."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="grads = tf.gradients(loss, tvars)\nopt.apply_gradients(zip(grads, tvars))",
    after=(
        "grads = [g if g is None else npu_allreduce(g) for g in tf.gradients(loss, tvars)]\n"
        "opt.apply_gradients(zip(grads, tvars))"
    ),
    safety=(
        "Gradients are averaged before anything clips them. npu_allreduce() communicates with one "
        "device as well, so HCCL must be set up for that too."
    ),
)

_VARIABLES = re.compile(r"var|param|weight|theta", re.I)
"""Parts of names of trained variables."""
_REDUCES = ("npu.npu_allreduce", "npu.hccl_ops.allreduce")


@RULE.call("tf.gradients")
@outside_tests
def average(site: CallSite) -> Diagnoses:
    """Average gradients that go to ``apply_gradients`` in the same function."""
    file = site.file
    if not _distributed.is_strategy_run(file) or _is_reduced(file, site.node):
        return
    functions = (node for node in ancestors(site.node) if isinstance(node, ast.FunctionDef))
    block: ast.AST = next(functions, file.module.tree)
    if any(_is_reducing(file, call) for call in gradients.calls_in(block)):
        return
    applied = gradients.applied(site.node, block)
    if applied is None:
        yield from _report(site)
        return
    fix = site.fix()
    function = fix.use("npu_bridge.npu_init", "npu_allreduce")
    name = fix.fresh("g")
    fix.wrap(site.node, f"[{name} if {name} is None else {function}({name}) for {name} in ", "]")
    yield RULE.auto_check(
        site,
        f"{site.callee} computes the gradients of one device",
        done=f"Averaged every gradient that is not None with {function}().",
        todo=(
            f"Check that line {applied.lineno} applies them and no wrapped optimizer averages them "
            "a second time."
        ),
        fix=fix,
    )


def _report(site: CallSite) -> Diagnoses:
    """Gradients of variables that leave the function, so that it does not show who applies them."""
    file, variables = site.file, site.args.value("xs")
    if variables is None or not _VARIABLES.search(file.text(variables)):
        return  # of inputs or layers: a penalty, which is part of the loss
    yield RULE.manual(
        site,
        f"{site.callee} computes the gradients of one device",
        todo=(
            "Where they go to apply_gradients, average them first, before anything clips them: "
            "[g if g is None else npu_allreduce(g) for g in grads] (npu_allreduce from "
            "npu_bridge.npu_init). A wrapped optimizer averages only what its own "
            "compute_gradients gives."
        ),
    )


def _is_reduced(file: File, node: ast.AST) -> bool:
    """Whether a reduction stands around the gradients already."""
    for ancestor in ancestors(node):
        if isinstance(ancestor, ast.Call) and _is_reducing(file, ancestor):
            return True
        if isinstance(ancestor, ast.stmt):
            return any(_is_reducing(file, call) for call in gradients.calls_in(ancestor))
    return False


def _is_reducing(file: File, call: ast.Call) -> bool:
    last = last_name(call.func)
    return "allreduce" in last.replace("_", "") and file.name(call.func) in _REDUCES
