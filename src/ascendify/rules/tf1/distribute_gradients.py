"""Gradients that no optimizer computes: average them over the devices before they are applied."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, gradients
from ascendify.rules.kit.bindings import bindings
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf1 import _distributed, _npu
from ascendify.source.flow import backward
from ascendify.source.module import Module
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors, scope_of
from ascendify.source.values import Function

RULE = Rule(
    code="TF1-DIST-5",
    title="Average what tf.gradients computes before it is applied",
    why=(
        "The NPU's optimizer wrapper averages gradients that the optimizer computes. Those of "
        "tf.gradients reach apply_gradients, or an update rule of the project, without it, and "
        "every device trains separately."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="grads = tf.gradients(loss, tvars)\nopt.apply_gradients(zip(grads, tvars))",
    after=(
        "def npu_average(gradients):\n"
        '    """Average gradients over the ranks; with one rank they stay as they are."""\n'
        '    if int(os.getenv("RANK_SIZE", "1")) < 2:\n'
        "        return gradients\n"
        "    averaged = []\n"
        "    for gradient in gradients:\n"
        "        rows = gradient.values if isinstance(gradient, tf.IndexedSlices) else None\n"
        "        if rows is not None and not rows.shape.is_fully_defined():\n"
        "            gradient = tf.convert_to_tensor(gradient)\n"
        "        averaged.append(None if gradient is None else npu_allreduce(gradient))\n"
        "    return averaged\n"
        "\n\n"
        "grads = npu_average(tf.gradients(loss, tvars))\n"
        "opt.apply_gradients(zip(grads, tvars))"
    ),
    safety="Gradients are averaged before anything clips them.",
)

_VARIABLES = re.compile(r"var|param|weight|theta", re.I)
"""Parts of names of trained variables."""
_REDUCES = ("npu.npu_allreduce", "npu.hccl_ops.allreduce")
_TRAINED = frozenset(
    ["tf.trainable_variables", "tf.contrib.framework.get_trainable_variables",
     "tf.contrib.slim.get_trainable_variables"]
)  # fmt: skip
"""Calls that give the variables a training changes."""
_COLLECTION = ("trainable_variables", "TRAINABLE_VARIABLES")
_COPIES = frozenset({"list", "tuple", "filter"})
_DEPTH = 6


@RULE.call("tf.gradients")
@outside_tests
def average(site: CallSite) -> Diagnoses:
    """Average gradients that are applied here, or of all that is trained."""
    file = site.file
    if not _distributed.is_strategy_run(file) or _is_reduced(file, site.node):
        return
    functions = (node for node in ancestors(site.node) if isinstance(node, ast.FunctionDef))
    block: ast.AST = next(functions, file.module.tree)
    if any(_is_reducing(file, call) for call in gradients.calls_in(block)):
        return
    applied = gradients.applied(site.node, block)
    if applied is None and not _is_for_update(site, block):
        yield from _report(site)
        return
    fix = site.fix()
    function = _distributed.average_helper(fix, site.node)
    fix.wrap(site.node, f"{function}(")
    where = (
        "what updates variables gets them"
        if applied is None
        else (f"line {applied.lineno} applies them")
    )
    yield RULE.auto_check(
        site,
        f"{site.callee} computes the gradients of one device",
        done=f"Averaged every gradient that is not None, where several devices train: {function}.",
        todo=f"Check that {where} and nothing averages them a second time.",
        fix=fix,
    )


def _is_for_update(site: CallSite, block: ast.AST) -> bool:
    """Whether the gradients are of all trained variables, and no other gradients are made of them.

    Gradients of gradients are those of a penalty, or of the inner steps of learning to learn.
    """
    variables = site.args.value("xs")
    if variables is None or not _is_trained(site.file, site.file.module, variables, _DEPTH):
        return False
    return not any(
        call is not site.node and last_name(call.func) == "gradients"
        for call in gradients.carrying(site.node, block)
    )


def _is_trained(file: File, module: Module, node: ast.expr, depth: int) -> bool:
    """Whether an expression is a list of the variables that a training changes."""
    if depth == 0:
        return False

    def follow(where: Module, value: ast.expr | None) -> bool:
        return value is not None and _is_trained(file, where, value, depth - 1)

    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        loop, item = node.generators[0], node.elt
        same = isinstance(item, ast.Name) and getattr(loop.target, "id", "") == item.id
        return same and len(node.generators) == 1 and follow(module, loop.iter)
    if isinstance(node, ast.Call):
        return _gives_trained(file, module, node, depth)
    bound = bindings(file.resolver, module, node)
    if len(bound) == 1 and isinstance(bound[0][1].node, ast.arg):
        given = list(backward.passed(file.resolver, module, bound[0][1].node))
        return bool(given) and all(follow(caller, value) for caller, value in given)
    return bool(bound) and all(
        follow(where, backward.assigned(binding)) for where, binding in bound
    )


def _gives_trained(file: File, module: Module, call: ast.Call, depth: int) -> bool:
    """Whether a call gives trained variables: TensorFlow's, a copy, or a function's result."""
    names, _ = file.resolver.names(module, call.func)
    if names and _TRAINED.issuperset(names):
        return True
    if names == ("tf.get_collection",) and call.args:
        return file.of(module).text(call.args[0]).strip("'\"").endswith(_COLLECTION)
    if isinstance(call.func, ast.Name) and call.func.id in _COPIES and call.args:
        # of filter(test, variables) the last argument
        return _is_trained(file, module, call.args[-1], depth - 1)
    values = file.resolver.infer(module, call.func)
    return bool(values) and all(
        isinstance(value, Function)
        and bool(returns := scope_of(value.node).returns)
        and all(_is_trained(file, value.module, item, depth - 1) for item in returns)
        for value in values
    )


def _report(site: CallSite) -> Diagnoses:
    """Report gradients of variables that leave the function, so that their use is not visible."""
    file, variables = site.file, site.args.value("xs")
    if variables is None or not _VARIABLES.search(file.text(variables)):
        return  # of inputs or layers: a penalty, which is part of the loss
    yield RULE.manual(
        site,
        f"{site.callee} computes the gradients of one device",
        todo=(
            "Where they update variables, average them first, before anything clips them: "
            "[g if g is None else npu_allreduce(g) for g in grads] (npu_allreduce from "
            f"npu_bridge.npu_init), only where {_npu.RANK_SIZE} > 1. A wrapped optimizer averages "
            "only what its own compute_gradients gives."
        ),
    )


def _is_reduced(file: File, node: ast.AST) -> bool:
    """Whether a reduction is already around the gradients."""
    for ancestor in ancestors(node):
        if isinstance(ancestor, ast.Call) and _is_reducing(file, ancestor):
            return True
        if isinstance(ancestor, ast.stmt):
            return any(_is_reducing(file, call) for call in gradients.calls_in(ancestor))
    return False


def _is_reducing(file: File, call: ast.Call) -> bool:
    last = last_name(call.func)
    if last.startswith("npu_average"):
        return True  # the function that this rule defines
    return "allreduce" in last.replace("_", "") and file.name(call.func) in _REDUCES
