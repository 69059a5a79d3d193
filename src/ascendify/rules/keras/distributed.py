"""Keras on several devices: average gradients, broadcast weights, one model per process."""

from __future__ import annotations

import ast

from ascendify.catalog import types
from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, names
from ascendify.rules.kit.ranks import tells_ranks
from ascendify.rules.tf1 import _distributed, _npu, _same_order
from ascendify.source.flow import backward
from ascendify.source.nodes import is_inside, last_name, position
from ascendify.source.scopes import ancestors, scope_of
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


_PART = '''\
def {{name}}(samples):
{indent}"""Take the share of this rank of a batch; with one rank all of it."""
{indent}size, rank = int({os}.getenv("RANK_SIZE", "1")), int({os}.getenv("RANK_ID", "0"))
{indent}if size < 2 or samples is None:
{indent}{indent}return samples
{indent}if isinstance(samples, dict):
{indent}{indent}return dict((key, {{name}}(value)) for key, value in samples.items())
{indent}if isinstance(samples, (list, tuple)):
{indent}{indent}return [{{name}}(value) for value in samples]
{indent}if len(samples) % size:
{indent}{indent}{warnings}.warn("a fed batch is not divided: every rank trains on all of it")
{indent}{indent}return samples
{indent}return samples[rank::size]'''
_PART_NAME = "npu_part"
_CHECK_STEPS = (
    "Ranks must read samples in one order: random and NumPy begin with one seed on all of them. "
    "The batch size is that of all devices: to give each of them more work, raise it, and the "
    "learning rate with it. Save models on rank 0 only."
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
def share_single_steps(site: CallSite) -> Diagnoses:
    """Training by single batches: broadcast before its loop, and divide every batch."""
    file, call = site.file, site.node
    given = [site.args.get(name) for name in ("x", "y", "sample_weight")]
    arrays = [item.value for item in given if item is not None]
    if not _distributed.is_strategy_run(file) or any(tells_ranks(file, one) for one in arrays):
        return
    if any(_is_divided(array) for array in arrays):
        return
    loop = _loop(call)
    found = f"{site.callee} trains every process on the same batch, from its own variables"
    broadcasts = any(True for _ in file.references(_BROADCAST, "npu.hccl_ops.broadcast"))
    if site.args.starred or (loop is None and not broadcasts):
        yield RULE.manual(
            site,
            found,
            todo=(
                "Before the first batch give all processes the weights of rank 0: run tf.group() "
                "over tf.assign(v, hccl_ops.broadcast([v], 0)[0]) for every float variable v in "
                "tf.global_variables(), in tf.keras.backend.get_session(). " + _SHARE
            ),
        )
        return
    fix = site.fix()
    part = fix.define(
        _PART.format(os=fix.use("os"), warnings=fix.use("warnings"), indent=fix.indent_unit),
        _PART_NAME,
        call,
    )
    for array in arrays:
        if file.literal(array) != (None,):
            fix.wrap(array, f"{part}(")
    first = _is_first_of(file, site, loop)
    if loop is not None and first and not broadcasts:
        session = f"{names.tensorflow(fix, call)}.keras.backend.get_session()"
        fix.insert_before(loop, _distributed.broadcast_all(fix, call, session))
    if first:
        _same_order.insert_behind_imports(file, fix)
    done = f"Gave every device its share of the batch, with {part}()."
    if loop is not None and first:
        done += " The weights of rank 0 are broadcast before the loop."
    yield RULE.fixed(site, found, done=done, todo=_CHECK_STEPS if first else "", fix=fix)


def _is_divided(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func).startswith(_PART_NAME)


def _loop(call: ast.Call) -> ast.For | ast.While | None:
    """The outermost loop around a call in its function."""
    found = None
    for item in ancestors(call):
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            break
        if isinstance(item, (ast.For, ast.While)):
            found = item
    return found


def _is_first_of(file: File, site: CallSite, loop: ast.For | ast.While | None) -> bool:
    """Whether no call before it in its loop, or in the file, trains by single batches."""
    return not any(
        position(other.node) < position(site.node) and (loop is None or is_inside(other.node, loop))
        for other in file.calls("tf.keras.Model.train_on_batch")
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
