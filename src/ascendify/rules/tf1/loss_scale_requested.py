"""The requested loss scale: give it to every optimizer that trains, exactly once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Fix, Rule, Status, callees
from ascendify.rules.kit.bindings import running_scope, values
from ascendify.rules.tf1 import _distributed, _loss_scale, _npu
from ascendify.source.flow import backward
from ascendify.source.flow.reaching import reaching
from ascendify.source.nodes import block_of
from ascendify.source.scopes import Binding, Scope, ancestors, parent, scope_of, statement

RULE = Rule(
    code="TF1-LS-3",
    title="Scale the loss where the migration requests it",
    why=(
        "Under mixed precision small gradients vanish in float16 unless the loss is scaled. The "
        "options of the migration request it, or a launch script does later; the optimizer does it."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before="opt = tf.train.AdamOptimizer(lr)\ntrain_op = opt.minimize(loss)",
    after="opt = loss_scale_optimizer(tf.train.AdamOptimizer(lr))\ntrain_op = opt.minimize(loss)",
    safety=(
        "A step whose gradients overflow is skipped. Gradients between compute_gradients and "
        "apply_gradients are unscaled, as before. A dynamic scale is kept in variables, which a "
        "checkpoint written before does not hold: restore it with a Saver over the others."
    ),
)

_WHICH = {True: "the requested loss scale", False: "a switch for the loss scale"}
_OUTERMOST = 10
"""Level of the wrap: outside the one that averages gradients over the ranks."""
_TRAINERS = tuple(
    f"{owner}.{method}"
    for owner in ("tf.train.Optimizer", "npu.NPUDistributedOptimizer")
    for method in ("minimize", "compute_gradients")
)
_TAKERS = ("tf.contrib.slim.learning.create_train_op", "tf.contrib.training.create_train_op")


@dataclass(frozen=True)
class _Use:
    """A call that computes gradients and the expression that is its optimizer."""

    call: ast.Call
    optimizer: ast.expr


@RULE.file
def scale_optimizers(file: File) -> Diagnoses:
    """Find calls that compute gradients, and scale the optimizer where it is created."""
    if not _loss_scale.is_switchable(file):
        return
    wrapped: set[ast.AST] = set()
    rebound: list[tuple[str, ast.stmt]] = []
    for use in sorted(_uses(file), key=lambda use: file.module.start(use.call)):
        if _loss_scale.is_scaled(file, use.optimizer) or _distributed.in_optimizer(file, use.call):
            continue
        made = _made(file, use)
        if made:
            if not wrapped.intersection(made):
                wrapped.update(made)
                yield _wrap(file, made)
        elif isinstance(use.optimizer, ast.Name) and _may_rebind(file, use, use.optimizer):
            name = use.optimizer.id
            if not any(name == other and _runs_before(at, use.call) for other, at in rebound):
                rebound.append((name, statement(use.call)))
                yield _rebind(file, use, use.optimizer)
        else:
            yield _by_hand(file, use)


@RULE.call("tf.gradients")
def report_gradients(site: CallSite) -> Diagnoses:
    """Gradients that do not come from the optimizer are not scaled by it."""
    file = site.file
    if not _loss_scale.is_requested(file) or next(_uses(file), None) is not None:
        return
    applied = next(iter(file.module.index.calls_by_name.get("apply_gradients", ())), None)
    if applied is None or not isinstance(applied.func, ast.Attribute):
        return
    optimizer = file.brief(applied.func.value)
    loss = site.args.value("ys")
    variables = site.args.value("xs")
    yield RULE.manual(
        site,
        f"{site.callee} computes gradients past the optimizer, so the loss scale cannot reach them",
        todo=(
            f"Write {optimizer} = loss_scale_optimizer({optimizer}"
            f"{_loss_scale.is_distributed(file)}) (from {_npu.OPTIONS_MODULE}) and take the "
            "gradients from "
            f"{optimizer}.compute_gradients({file.brief(loss) if loss else 'loss'}, "
            f"{file.brief(variables) if variables else 'variables'})."
        ),
    )


@RULE.call("tf.contrib.layers.optimize_loss")
def report_optimize_loss(site: CallSite) -> Diagnoses:
    """It makes its own optimizer from a name, a class or a function of the learning rate."""
    file = site.file
    given = site.args.value("optimizer")
    if not _loss_scale.is_requested(file) or (
        given is not None and _loss_scale.is_scaled(file, given)
    ):
        return
    yield RULE.manual(
        site,
        f"{site.callee} trains without the requested loss scale",
        todo=(
            "Give it a function that makes the optimizer: optimizer=lambda lr: "
            f"loss_scale_optimizer(tf.train.AdamOptimizer(lr){_loss_scale.is_distributed(file)}), "
            f"with loss_scale_optimizer of {_npu.OPTIONS_MODULE}."
        ),
    )


def _uses(file: File) -> Iterator[_Use]:
    for site in callees.calls(file, *_TRAINERS):
        if site.receiver is not None:
            yield _Use(site.node, site.receiver)
    for site in callees.calls(file, *_TAKERS):
        optimizer = site.args.value("optimizer")
        if optimizer is not None:
            yield _Use(site.node, optimizer)


def _made(file: File, use: _Use) -> list[ast.Call]:
    """The calls that make the optimizer, where it is certain that they do and nothing else."""
    optimizer = use.optimizer
    if isinstance(optimizer, ast.Call):
        return [optimizer] if _applies(use) else []
    if isinstance(optimizer, ast.Name):
        bindings = _bindings(optimizer)
        value = backward.assigned(bindings[0]) if len(bindings) == 1 else None
        if isinstance(value, ast.Call) and not _distributed_later(file, use, optimizer):
            return [value]
    elif isinstance(optimizer, ast.Attribute):
        found = values(file, optimizer)
        calls = [value for value in found if isinstance(value, ast.Call)]
        spelled = file.text(optimizer)
        if calls == found and not any(spelled in file.text(call) for call in calls):
            return calls
    return []


def _may_rebind(file: File, use: _Use, optimizer: ast.Name) -> bool:
    """Whether ``opt = loss_scale_optimizer(opt)`` right before the use does what it should.

    The name must be of the function itself, and whoever applies the gradients must see it: an
    optimizer that is passed in may be applied by the caller.
    """
    bindings = _bindings(optimizer)
    local = running_scope(optimizer)
    if local.find(optimizer.id) is not local or not bindings:
        return False
    if _distributed_later(file, use, optimizer):
        return False
    passed_in = any(item.kind == "param" for item in bindings)
    return not passed_in or _applies(use) or _applied_in(file, optimizer, local)


def _bindings(optimizer: ast.Name) -> list[Binding]:
    use_scope = running_scope(optimizer)
    scope = use_scope.find(optimizer.id)
    if scope is None:
        return []
    return reaching(optimizer, scope.bindings[optimizer.id], scope, use_scope)


def _applies(use: _Use) -> bool:
    """Whether the call also applies the gradients it computes."""
    return getattr(use.call.func, "attr", "") != "compute_gradients"


def _applied_in(file: File, optimizer: ast.Name, scope: Scope) -> bool:
    return any(
        isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == optimizer.id
        and scope_of(call).find(optimizer.id) is scope
        for call in file.module.index.calls_by_name.get("apply_gradients", ())
    )


def _distributed_later(file: File, use: _Use, optimizer: ast.Name) -> bool:
    """Whether a later statement wraps the same optimizer for distributed training."""
    scope = scope_of(optimizer).find(optimizer.id)
    return any(
        isinstance(given, ast.Name)
        and given.id == optimizer.id
        and scope_of(given).find(given.id) is scope
        and site.node.lineno > use.call.lineno
        for site in callees.calls(file, *_loss_scale.DISTRIBUTED)
        for given in site.node.args[:1]
    )


def _runs_before(before: ast.stmt, node: ast.AST) -> bool:
    """Whether a statement comes before a node, in a block around the node."""
    owner = parent(before)
    trail = [node, *ancestors(node)]
    if owner not in trail:
        return False
    below, block = trail[trail.index(owner) - 1], block_of(before)
    return below in block and block.index(before) <= block.index(below)


def _wrap(file: File, made: list[ast.Call]) -> Diagnosis:
    fix = file.fix()
    function = fix.use(_npu.OPTIONS_MODULE, "loss_scale_optimizer")
    for call in made:
        fix.wrap(call, f"{function}(", f"{_loss_scale.is_distributed(file)})", _OUTERMOST)
    return _finding(file, made[0], fix, f"Wrapped {file.brief(made[0])} in {function}().")


def _rebind(file: File, use: _Use, optimizer: ast.Name) -> Diagnosis:
    """Several assignments, or a parameter: scale it right before it is used."""
    fix = file.fix()
    function = fix.use(_npu.OPTIONS_MODULE, "loss_scale_optimizer")
    name = optimizer.id
    line = f"{name} = {function}({name}{_loss_scale.is_distributed(file)})"
    fix.insert_before(use.call, line)
    return _finding(file, optimizer, fix, f"Inserted {line}.")


def _finding(file: File, at: ast.AST, fix: Fix, done: str) -> Diagnosis:
    requested = _loss_scale.is_requested(file)
    return RULE.finding(
        Status.AUTO_CHECK if requested else Status.AUTO,
        file.at(at),
        f"{file.brief(at)} trains without {_WHICH[requested]}",
        done=done if requested else f"{done} It changes nothing unless NPU_LOSS_SCALE is set.",
        fix=fix,
    )


def _by_hand(file: File, use: _Use) -> Diagnosis:
    optimizer = file.brief(use.optimizer)
    requested = _loss_scale.is_requested(file)
    return RULE.finding(
        Status.MANUAL if requested else Status.INFO,
        file.at(use.call),
        f"{optimizer} trains without {_WHICH[requested]}",
        todo=(
            f"Where {optimizer} is made, put loss_scale_optimizer(...) of {_npu.OPTIONS_MODULE} "
            "around it, outside of what averages the gradients, so that the same object "
            "computes and applies them."
        ),
    )
