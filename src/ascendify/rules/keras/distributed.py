"""Keras on several devices: average gradients, broadcast weights, one model per process."""

from __future__ import annotations

import ast

from ascendify.catalog import types
from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.tf1 import _distributed, _npu
from ascendify.source.flow import backward
from ascendify.source.scopes import scope_of
from ascendify.source.values import Ref

RULE = Rule(
    code="TF1-KERAS-2",
    title="Average the gradients of Keras models over the devices",
    why=(
        "Every device is driven by its own process. Without the NPU's optimizer and broadcast each "
        "process would train a separate model."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="model.compile(optimizer='adam', loss='mse')\nmodel.fit(x, y, callbacks=callbacks)",
    after=(
        "model.compile(optimizer=npu_distributed_optimizer_wrapper('adam'), loss='mse')\n"
        "model.fit(x, y, callbacks=npu_callbacks_append(callbacks_list=list(callbacks or [])))"
    ),
    safety=(
        "Every process reads the data it is given and takes its batch size for itself; the "
        "callback that broadcasts goes to the end of a copy of the list."
    ),
)

_COMPILE = "tf.keras.Model.compile"
_BROADCAST = "npu.NPUBroadcastGlobalVariablesCallback"
_SHARE = (
    "Give every process its share of the data, such as x[rank::size] with rank = "
    f"{_npu.RANK_ID} and size = {_npu.RANK_SIZE}, and the batch size of one device; save models on "
    "rank 0 only."
)


@RULE.file
def average_gradients(file: File) -> Diagnoses:
    """Wrap the optimizer of every compiled model, each one once."""
    if not _distributed.is_strategy_run(file):
        return
    wrapped: set[ast.AST] = set()
    for site in file.calls(_COMPILE):
        given = site.args.get("optimizer")
        shown = file.brief(site.node.func)
        if given is None and site.args.starred:
            yield RULE.manual(
                site,
                f"{shown} may get its optimizer from * or ** arguments",
                todo="Wrap it where it is made: npu_distributed_optimizer_wrapper(optimizer).",
            )
            continue
        found = f"{shown} trains with the gradients of one device"
        fix = site.fix()
        if given is None:
            function = fix.use("npu_bridge.npu_init", "npu_distributed_optimizer_wrapper")
            fix.add_argument(site.node, f"optimizer={function}('rmsprop')")
            done = f"Gave it the default optimizer through {function}()."
            yield RULE.auto(site, found, done=done, fix=fix)
            continue
        target = _made_at(file, given.value)
        if target in wrapped or _is_done(file, given.value):
            continue
        wrapped.add(target)
        function = _distributed.wrap(fix, target)
        done = f"Wrapped {file.brief(target)} in {function}()."
        yield RULE.auto(site.at(target), found, done=done, fix=fix)


def _made_at(file: File, node: ast.expr) -> ast.expr:
    """The call that makes the optimizer in a variable, where the function shows it."""
    if isinstance(node, ast.Name):
        bindings = backward.definitions(node)
        if node.id in scope_of(node).bindings and len(bindings) == 1 and not bindings[0].path:
            value = bindings[0].value
            if isinstance(value, ast.Call) and _distributed.makes_optimizer(
                file, value, _distributed.KERAS_OPTIMIZER
            ):
                return value
    return node


def _is_done(file: File, node: ast.expr) -> bool:
    """Whether an optimizer averages already, or is of tf.train, which another rule wraps."""
    kinds, _ = file.resolver.kinds(file.module, node)
    if any(types.is_a(kind, _distributed.OPTIMIZER) for kind in kinds):
        return True
    return _distributed.is_averaging(file, node)


@RULE.call("tf.keras.Model.fit", "tf.keras.Model.fit_generator")
def broadcast_weights(site: CallSite) -> Diagnoses:
    """Append the callback that broadcasts the weights of rank 0."""
    file = site.file
    if not _distributed.is_strategy_run(file):
        return
    callbacks = site.args.value("callbacks")
    if callbacks is None or not _broadcasts(file, callbacks):
        yield _distributed.append_broadcast(RULE, site, "callbacks", _SHARE)


def _broadcasts(file: File, node: ast.expr) -> bool:
    """Whether callbacks already broadcast: through the NPU's function, or with its callback."""
    if isinstance(node, ast.Call) and "npu.npu_callbacks_append" in file.names(node.func)[0]:
        return True
    if isinstance(node, ast.Name):
        values = [item.value for item in backward.bindings(node)]
        calls = [value for value in values if isinstance(value, ast.Call)]
        if any(_broadcasts(file, value) for value in calls):
            return True
    return isinstance(node, (ast.Name, ast.List)) and any(True for _ in file.references(_BROADCAST))


@RULE.call("tf.keras.Model.train_on_batch")
def report_single_steps(site: CallSite) -> Diagnoses:
    """Training by single batches, which takes no callbacks."""
    if not _distributed.is_strategy_run(site.file) or any(
        True for _ in site.file.references(_BROADCAST, "npu.hccl_ops.broadcast")
    ):
        return
    yield RULE.manual(
        site,
        f"{site.callee} starts every process from its own initial variables",
        todo=(
            "Before the first batch give all processes the weights of rank 0: run tf.group() over "
            "tf.assign(v, hccl_ops.broadcast([v], 0)[0]) for every float variable v in "
            "tf.global_variables(), in tf.keras.backend.get_session(). " + _SHARE
        ),
    )


@RULE.call("tf.keras.utils.multi_gpu_model")
def one_model(site: CallSite) -> Diagnoses:
    """Replace a model over several GPUs by the model itself: one process drives one device."""
    file = site.file
    model = site.args.value("model")
    found = f"{site.callee} copies the model to several GPUs of one process"
    named = all(
        isinstance(value, Ref) for value in file.resolver.infer(file.module, site.node.func)
    )
    if model is None or site.args.starred or not named:
        todo = "Use the model itself and start one process per device."
        yield RULE.manual(site, found, todo=todo)
        return
    fix = site.fix()
    owner = site.parent
    if isinstance(owner, ast.Assign) and [fix.text(item) for item in owner.targets] == [
        fix.text(model)
    ]:
        fix.remove_statement(owner)
        done = "Removed it: the model itself is used."
    else:
        fix.replace(site.node, fix.operand(model))
        done = f"Replaced it by {file.brief(model)}."
    yield RULE.auto_check(
        site,
        found,
        done=done,
        todo=(
            "Start one process per device (ascendify migrate --distributed tf_strategy prepares "
            "it). The batch size was divided among the GPUs; now it is what each device gets."
        ),
        fix=fix,
    )
