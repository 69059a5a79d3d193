"""The loss scale that was asked for: every optimizer that trains gets it, exactly once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.findings import Effort, Status
from ascendify.rules.fix import Fix
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite, File
from ascendify.rules.tf1 import _dtypes, _loss_scale, _npu
from ascendify.source.flow import reaching
from ascendify.source.scopes import Binding, Scope, scope_of

RULE = Rule(
    code="TF1-LS-3",
    title="Scale the loss where it was asked for",
    why=(
        "Under mixed precision small gradients vanish in float16 unless the loss is scaled. The "
        "options of the migration ask for it; the optimizer is where it happens."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="opt = tf.train.AdamOptimizer(lr)\ntrain_op = opt.minimize(loss)",
    after="opt = loss_scale_optimizer(tf.train.AdamOptimizer(lr))\ntrain_op = opt.minimize(loss)",
    safety=(
        "A step whose gradients overflow is skipped. Gradients between compute_gradients and "
        "apply_gradients are unscaled, as before."
    ),
)

_OUTERMOST = 10
"""Level of the wrap: outside of one that distributes the gradients."""
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
def scale_optimizers(file: File) -> Iterator[Diagnosis]:
    """Find what computes gradients and go back to where its optimizer is made."""
    if not _loss_scale.asked(file):
        return
    done: set[object] = set()
    for use in _uses(file):
        if _loss_scale.is_scaled(file, use.optimizer) or _inside_optimizer(file, use.call):
            continue
        key, diagnosis = _scale(file, use)
        if key not in done:
            done.add(key)
            yield diagnosis


@RULE.call("tf.gradients")
def tell_gradients(site: CallSite) -> Iterator[Diagnosis]:
    """Gradients that do not come from the optimizer are not scaled by it."""
    file = site.file
    if not _loss_scale.asked(file) or next(_uses(file), None) is not None:
        return
    applied = next(
        (call for call in file.module.index.calls_by_name.get("apply_gradients", ())), None
    )
    if applied is None or not isinstance(applied.func, ast.Attribute):
        return
    optimizer = file.brief(applied.func.value)
    loss = site.args.value("ys")
    variables = site.args.value("xs")
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{file.brief(site.node.func)} computes gradients past the optimizer, so the loss scale "
        "cannot reach them",
        todo=(
            f"Write {optimizer} = loss_scale_optimizer({optimizer}"
            f"{_loss_scale.is_distributed(file)}) (from {_npu.OPTIONS_MODULE}) and take the "
            "gradients from "
            f"{optimizer}.compute_gradients({file.brief(loss) if loss else 'loss'}, "
            f"{file.brief(variables) if variables else 'variables'})."
        ),
        effort=Effort.MINUTES,
    )


def _uses(file: File) -> Iterator[_Use]:
    for site in file.calls(*_TRAINERS):
        if site.receiver is not None:
            yield _Use(site.node, site.receiver)
    for site in file.calls(*_TAKERS):
        optimizer = site.args.value("optimizer")
        if optimizer is not None:
            yield _Use(site.node, optimizer)


def _inside_optimizer(file: File, call: ast.Call) -> bool:
    """Whether an optimizer class of the project delegates to another one here."""
    scope: Scope | None = scope_of(call)
    while scope is not None:
        if isinstance(scope.node, ast.ClassDef):
            bases = (file.name(base) or "" for base in scope.node.bases)
            return any(base.endswith("Optimizer") for base in bases)
        scope = scope.parent
    return False


def _scale(file: File, use: _Use) -> tuple[object, Diagnosis]:
    """What to do for one use, with a key that is equal where it is the same thing to do."""
    optimizer = use.optimizer
    if isinstance(optimizer, ast.Call):
        return optimizer, _wrap(file, [optimizer])
    if isinstance(optimizer, ast.Name):
        use_scope = _function_scope(scope_of(optimizer))
        scope = use_scope.find(optimizer.id)
        bindings = (
            []
            if scope is None
            else reaching(optimizer, scope.bindings[optimizer.id], scope, use_scope)
        )
        if len(bindings) == 1 and _is_made(bindings[0]):
            value = bindings[0].value
            if isinstance(value, ast.Call):
                return value, _wrap(file, [value])
        if scope is use_scope and bindings:
            return (scope.node, optimizer.id), _rebind(file, use, optimizer)
    elif isinstance(optimizer, ast.Attribute):
        values = list(_dtypes.values(file, optimizer))
        calls = [value for value in values if isinstance(value, ast.Call)]
        spelled = file.text(optimizer)
        if calls and calls == values and not any(spelled in file.text(call) for call in calls):
            return calls[0], _wrap(file, calls)
    return use.call, _by_hand(file, use)


def _wrap(file: File, values: list[ast.Call]) -> Diagnosis:
    fix = file.fix()
    function = fix.use(_npu.OPTIONS_MODULE, "loss_scale_optimizer")
    for value in values:
        fix.wrap(value, f"{function}(", f"{_loss_scale.is_distributed(file)})", _OUTERMOST)
    shown = file.brief(values[0])
    done = f"Wrapped {shown} in {function}()."
    return _finding(file, values[0], values[0], fix, done)


def _rebind(file: File, use: _Use, optimizer: ast.Name) -> Diagnosis:
    """Several assignments, or a parameter: scale it right before it is used."""
    fix = file.fix()
    function = fix.use(_npu.OPTIONS_MODULE, "loss_scale_optimizer")
    name = optimizer.id
    line = f"{name} = {function}({name}{_loss_scale.is_distributed(file)})"
    fix.insert_before(use.call, line)
    return _finding(file, optimizer, use.call, fix, f"Inserted {line}.")


def _finding(file: File, at: ast.AST, made: ast.AST, fix: Fix, done: str) -> Diagnosis:
    around = _loss_scale.control_dependencies(file, made)
    todo = ""
    if around is not None:
        todo = (
            f"Move this above the with statement on line {around.lineno}: the loss scale's "
            "variables must not depend on operators of the step."
        )
    return file.finding(
        RULE,
        Status.AUTO_CHECK,
        at,
        f"{file.brief(at)} trains without the loss scale that was asked for",
        done=done,
        todo=todo,
        fix=fix,
    )


def _by_hand(file: File, use: _Use) -> Diagnosis:
    optimizer = file.brief(use.optimizer)
    return file.finding(
        RULE,
        Status.MANUAL,
        use.call,
        f"{optimizer} trains without the loss scale that was asked for",
        todo=(
            f"Where {optimizer} is made, put loss_scale_optimizer(...) of {_npu.OPTIONS_MODULE} "
            "around it, outside of what distributes the gradients."
        ),
        effort=Effort.MINUTES,
    )


def _is_made(binding: Binding) -> bool:
    return binding.kind == "assign" and not binding.path


def _function_scope(scope: Scope) -> Scope:
    while scope.kind == "comprehension" and scope.parent is not None:
        scope = scope.parent
    return scope
