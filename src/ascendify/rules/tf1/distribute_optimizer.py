"""Distributed training: make every optimizer average its gradients over the devices, once."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tensorflow.passing import uses
from ascendify.rules.tf1 import _distributed
from ascendify.source.flow.backward import only_value
from ascendify.source.module import Module
from ascendify.source.nodes import function_around, is_inside, last_name
from ascendify.source.scopes import scope_of
from ascendify.source.values import UNKNOWN, Class

RULE = Rule(
    code="TF1-DIST-4",
    title="Average the gradients of every optimizer over the devices",
    why=(
        "One process trains on each device. Strategies and towers averaged gradients inside one "
        "process; between processes the NPU's wrapper does."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="opt = tf.train.AdamOptimizer(learning_rate)",
    after="opt = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer(learning_rate))",
    safety=(
        "The optimizer is changed in place and returned, and with one device it stays as it is. "
        "How many devices there are is read when it is wrapped."
    ),
)

_COMPUTING = frozenset({"minimize", "compute_gradients"})


@RULE.file
def wrap_optimizers(file: File) -> Diagnoses:
    """Wrap optimizers where they are made; one that wraps another averages through it."""
    if not _distributed.is_strategy_run(file) or "ptimizer" not in file.module.source.text:
        return
    for call in file.module.index.calls:
        if not _may_make(call) or not _distributed.makes_optimizer(file, call):
            continue
        if in_test(file, call) or _distributed.in_optimizer(file, call) or _delegates(file, call):
            continue
        if _distributed.takes_optimizer(file, call) or _distributed.is_averaged(file, call):
            continue
        if _only_applies(file, call):
            continue
        fix = file.fix()
        function = _distributed.wrap(fix, call)
        shown = file.brief(call.func)
        yield RULE.auto(
            file.at(call),
            f"{shown} applies the gradients of one device",
            done=f"Wrapped {shown}(...) in {function}().",
            fix=fix,
        )

    yield from _wrap_unknown(file)


def _wrap_unknown(file: File) -> Diagnoses:
    """Wrap what a class that is chosen by name makes, where it is used as an optimizer is."""
    wrapped: set[ast.Call] = set()
    for call in file.module.index.calls_by_name.get("compute_gradients", ()):
        made = _made_by_unknown(file, getattr(call.func, "value", None))
        if made is None or made in wrapped or in_test(file, made):
            continue
        wrapped.add(made)
        fix = file.fix()
        function = _distributed.wrap(fix, made)
        shown = file.brief(made.func)
        yield RULE.auto_check(
            file.at(made),
            f"{shown}(...) computes and applies the gradients of one device",
            done=f"Wrapped it in {function}().",
            todo=f"{shown} must be an optimizer of TensorFlow.",
            fix=fix,
        )


def _made_by_unknown(file: File, receiver: ast.expr | None) -> ast.Call | None:
    """The call of something unknown that makes an object with an optimizer's two methods."""
    if not isinstance(receiver, ast.Name) or _distributed.is_averaging(file, receiver):
        return None
    made = only_value(receiver)
    if not isinstance(made, ast.Call):
        return None
    if any(value is not UNKNOWN for value in file.resolver.infer(file.module, made.func)):
        return None
    function = function_around(receiver)
    applied = (
        getattr(call.func, "value", None)
        for call in file.module.index.calls_by_name.get("apply_gradients", ())
    )
    return (
        made
        if any(
            isinstance(one, ast.Name) and one.id == receiver.id and function_around(one) is function
            for one in applied
        )
        else None
    )


def _may_make(call: ast.Call) -> bool:
    """Whether a call may construct an object, by its name alone: a test that costs little."""
    func = call.func
    last: str = last_name(func)
    if "ptimizer" in last or last[:1].isupper():
        return True
    scope = scope_of(func).find(func.id) if isinstance(func, ast.Name) else None
    bindings = [] if scope is None else scope.bindings[last]
    return any(binding.kind == "assign" for binding in bindings)


@RULE.guess(*_COMPUTING)
def report_unknown(site: CallSite) -> Diagnoses:
    """Report gradients computed by an object of unknown type."""
    if not _distributed.is_strategy_run(site.file) or site.receiver is None:
        return
    if _distributed.is_averaging(site.file, site.receiver):
        return
    if _made_by_unknown(site.file, site.receiver) is not None:
        return
    optimizer = site.file.brief(site.receiver)
    yield RULE.manual(
        site,
        f"{optimizer}.{site.name} may apply the gradients of one device",
        todo=(
            f"If {optimizer} is an optimizer that is not wrapped where it is made, wrap it there "
            "in npu_distributed_optimizer_wrapper() of npu_bridge.npu_init."
        ),
    )


def _delegates(file: File, call: ast.Call) -> bool:
    """Whether a class of the project leaves its gradients to another optimizer."""
    return any(
        isinstance(value, Class)
        and any(
            getattr(inner.func, "attr", "") == "compute_gradients"
            and isinstance(inner.func, ast.Attribute)
            and isinstance(inner.func.value, ast.Attribute)
            and is_inside(inner, value.node)
            for inner in value.module.index.calls_by_name.get("compute_gradients", ())
        )
        for value in file.resolver.infer(file.module, call.func)
    )


def _only_applies(file: File, call: ast.Call) -> bool:
    """Whether an optimizer only applies gradients, so that it computes none to average."""
    methods = _methods(file, file.module, call)
    return methods is not None and "apply_gradients" in methods and not methods & _COMPUTING


def _methods(file: File, module: Module, call: ast.Call) -> set[str] | None:
    """The methods used of an optimizer, also through TPU's wrapper; None where others take it."""
    flow = uses(file.resolver, module, call)
    found = {node.attr for _, node in flow.attributes}
    if flow.escapes is not None:
        return None
    for use in flow.calls:
        names, _ = file.resolver.names(use.module, use.call.func)
        if not names or not _distributed.CROSS_SHARD.issuperset(names):
            return None
        inner = _methods(file, use.module, use.call)
        if inner is None:
            return None
        found |= inner
    return found
