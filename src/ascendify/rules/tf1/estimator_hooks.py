"""Training hooks: broadcast the variables of rank 0 where no NPUEstimator does it."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.tensorflow.passing import origins, uses
from ascendify.rules.tf1 import _distributed, _estimator
from ascendify.source.module import Module

RULE = Rule(
    code="TF1-EST-4",
    title="Broadcast the variables of rank 0 where no NPUEstimator does it",
    why=(
        "NPUEstimator broadcasts the initial variables by itself; TensorFlow's own estimators do "
        "not, and ranks that start from different weights average gradients of different models."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="classifier.train(input_fn, hooks=hooks)",
    after="classifier.train(input_fn, hooks=npu_hooks_append(hooks_list=list(hooks or [])))",
    safety=(
        "The hook goes to the end of a copy of the list, so positions in the user's own list stay "
        "what they are. Only trainable variables are broadcast."
    ),
)

_BROADCASTS = (
    "horovod.tensorflow.BroadcastGlobalVariablesHook",
    "npu.NPUBroadcastGlobalVariablesHook",
)


@RULE.call("tf.estimator.Estimator.train")
def train(site: CallSite) -> Diagnoses:
    """Add the hook to ``estimator.train``."""
    if site.file.facts.distributed == "none" or site.receiver is None:
        return
    if not _is_native(site.file, site.file.module, site.receiver):
        yield from _append(site)


@RULE.call("tf.estimator.TrainSpec")
def train_spec(site: CallSite) -> Diagnoses:
    """Add the hook to the TrainSpec an estimator is trained with."""
    if site.file.facts.distributed == "none":
        return
    flow = uses(site.file.resolver, site.file.module, site.node)
    estimators: list[tuple[Module, ast.expr]] = []
    for use in flow.calls:
        file = site.file.of(use.module)
        if file.name(use.call.func) == "tf.estimator.train_and_evaluate":
            given = CallSite(file, use.call, "tf.estimator.train_and_evaluate").args
            estimator = given.value("estimator")
            if estimator is not None:
                estimators.append((use.module, estimator))
    if estimators and all(_is_native(site.file, *where) for where in estimators):
        return
    yield from _append(site)


def _append(site: CallSite) -> Diagnoses:
    file, hooks = site.file, site.args.value("hooks")
    broadcasts = next(file.references(*_BROADCASTS), None) is not None
    if not broadcasts and (hooks is None or not _is_appended(file, hooks)):
        yield _distributed.append_broadcast(RULE, site, "hooks", "")


def _is_appended(file: File, hooks: ast.expr) -> bool:
    """Whether the hooks already come from ``npu_hooks_append``."""
    return any(
        file.of(module).name(call.func) == "npu.npu_hooks_append"
        for module, call in origins(file.resolver, file.module, hooks).calls
    )


def _is_native(file: File, module: Module, estimator: ast.expr) -> bool:
    """Whether an estimator surely is an NPUEstimator, or is replaced by one."""
    found = origins(file.resolver, module, estimator)
    if found.unknown or not found.calls:
        return False
    for made_in, call in found.calls:
        other = file.of(made_in)
        name = other.name(call.func)
        if name in _estimator.NATIVE:
            continue
        if name not in _estimator.CONVERTIBLE:
            return False
        if not _estimator.plan_estimator(other, CallSite(other, call, name)).native:
            return False
    return True
