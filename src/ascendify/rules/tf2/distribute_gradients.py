"""Gradients of a tape: reduced over the ranks before they are clipped and applied."""

from __future__ import annotations

import ast
import re

from ascendify.catalog import types
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Rule, Status, gradients
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf2 import _loss, _optimizers, _ranks, _steps
from ascendify.rules.tf2._loss import Scaling
from ascendify.source.nodes import block_of, class_around, function_around, last_name, receiver
from ascendify.source.scopes import ancestors, statement
from ascendify.source.values import Class

RULE = Rule(
    code="TF2-DIST-3",
    title="Reduce the gradients of a tape over the devices",
    why=(
        "One process trains on each device. A strategy reduced gradients between the copies of a "
        "model inside one process; between processes somebody has to, or every device trains a "
        "model of its own."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    foretells=("EMU-HCCL-3",),
    before=(
        "grads = tape.gradient(loss, model.trainable_variables)\n"
        "optimizer.apply_gradients(zip(grads, model.trainable_variables))"
    ),
    after=(
        "grads = npu_device.distribute.all_reduce("
        "tape.gradient(loss, model.trainable_variables), 'mean')\n"
        "optimizer.apply_gradients(zip(grads, model.trainable_variables))"
    ),
    safety=(
        "With one rank all_reduce() gives back what it is given. Gradients are reduced before "
        "anything clips them. They are summed where the loss is divided by the batch of all "
        "devices together, and averaged elsewhere."
    ),
)

_VARIABLES = re.compile(r"var|param|weight|theta", re.I)
"""Words by which people name trained variables."""
_UNSCALED = "get_unscaled_gradients"
_ENDS = frozenset({"gradient", "jacobian", "batch_jacobian"})
_ADDS = frozenset({"assign_add", "accumulate", "add_n"})


@RULE.call("tf2.GradientTape.gradient")
@outside_tests
def reduce_gradients(site: CallSite) -> Diagnoses:
    """Reduce gradients passed to ``apply_gradients``, in the same function or in a caller."""
    file = site.file
    if not _ranks.is_strategy_run(file) or _is_reduced(file, site.node):
        return
    block = function_around(site.node) or file.module.tree
    if any(_is_reducing(file, call) for call in gradients.calls_in(block)):
        return
    if _is_keras_step(file, site.node):
        return  # the optimizer given to compile() reduces them
    applied = gradients.applied(site.node, block, _ENDS)
    if applied is None:
        applied = _steps.applied_by_callers(file, site.node, _ENDS, _is_reducing)
    adding = _accumulated(site.node, block)
    if adding is not None:
        yield _accumulates(site, adding)
        return
    if applied is None:
        yield from _report(site)
        return
    optimizer = receiver(applied)
    if optimizer is not None and _optimizers.is_reducing(file, optimizer):
        return
    sources = site.args.value("sources")
    if isinstance(sources, (ast.Dict, ast.DictComp)) or site.args.starred:
        yield from _report(site)
        return
    yield _reduced(site, block)


def _reduced(site: CallSite, block: ast.AST) -> Diagnosis:
    file = site.file
    loss = site.args.value("target")
    scale = Scaling() if loss is None else _loss.scaling(file, loss)
    fix = site.fix()
    node = _unscaled(site.node, block) or site.node
    fix.wrap(node, f"{_ranks.function(fix, 'all_reduce')}(", f", '{scale.reduction}')")
    how = "Summed" if scale.reduction == "sum" else "Averaged"
    done = f"{how} them over the ranks with npu_device.distribute.all_reduce()."
    found = f"{site.callee} computes the gradients of one device"
    return RULE.fixed(file.at(node), found, done=done, todo=_to_check(scale), fix=fix)


def _to_check(scale: Scaling) -> str:
    """What a person should check where a sum may be wrong for the loss."""
    if scale.reduction == "mean":
        return ""
    todo = "" if scale.by_batch else f"The loss is a sum over samples: {scale.reason}. Check that."
    if scale.regularised:
        todo += (
            f"{' ' if todo else ''}The losses of the weights that are added are not divided: "
            "divide them by int(os.getenv('RANK_SIZE', '1')), or they count once for every device."
        )
    return todo


def _unscaled(node: ast.Call, block: ast.AST) -> ast.Call | None:
    """Reduce what ``optimizer.get_unscaled_gradients(grads)`` returns, not the scaled gradients.

    If only one branch unscales them, the scaled ones are reduced, because every run computes them.
    """
    beside = block_of(statement(node))
    for call in gradients.carrying(node, block, _ENDS):
        if last_name(call.func) == _UNSCALED and statement(call) in beside:
            return call
    return None


def _accumulated(node: ast.Call, block: ast.AST) -> ast.Call | None:
    """The call that adds gradients of several steps up."""
    held = gradients.carrying(node, block, _ENDS)
    return next((call for call in held if last_name(call.func) in _ADDS), None)


def _accumulates(site: CallSite, adding: ast.Call) -> Diagnosis:
    return RULE.manual(
        site,
        f"{site.callee} computes the gradients of one device, which line {adding.lineno} adds up",
        todo=(
            "Reduce them once, where they are applied and before anything clips them: grads = "
            "npu_device.distribute.all_reduce(grads, 'mean') right before apply_gradients(), not "
            f"at every step that {site.file.brief(adding.func)} adds."
        ),
    )


def _report(site: CallSite) -> Diagnoses:
    """Gradients of variables that leave the function: where they are applied is out of sight."""
    file, variables = site.file, site.args.value("sources")
    if variables is None or not _VARIABLES.search(file.text(variables)):
        return  # of inputs or layers: a penalty, which is part of the loss
    yield RULE.manual(
        site,
        f"{site.callee} computes the gradients of one device",
        todo=(
            "Where they go to apply_gradients(), reduce them first, before anything clips them: "
            "grads = npu_device.distribute.all_reduce(grads, 'mean'), or 'sum' where the loss is "
            "divided by the batch of all devices."
        ),
    ).as_possible()


def _is_keras_step(file: File, node: ast.AST) -> bool:
    """Whether this is ``train_step`` of a Keras model, which uses the optimizer of compile()."""
    cls, function = class_around(node), function_around(node)
    if cls is None or getattr(function, "name", "") != "train_step":
        return False
    bases = file.resolver.external_bases(Class(file.module, cls))
    return any(types.is_a(base, "tf2.keras.Model") for base in bases)


def _is_reduced(file: File, node: ast.AST) -> bool:
    """Whether a reduction is already around the gradients."""
    return any(isinstance(item, ast.Call) and _is_reducing(file, item) for item in ancestors(node))


def _is_reducing(file: File, call: ast.Call) -> bool:
    last = last_name(call.func)
    return last in ("all_reduce", "allreduce") and file.name(call.func) in (
        *_ranks.ALL_REDUCE,
        "npu_device.distribute.hccl_ops.allreduce",
    )
