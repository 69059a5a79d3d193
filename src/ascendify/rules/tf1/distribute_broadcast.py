"""Session loops on several devices: start all from the variables of rank 0."""

from __future__ import annotations

import ast

from ascendify.rules.kit import (
    CallSite,
    Diagnoses,
    Effort,
    File,
    MethodSite,
    Rule,
    Status,
    names,
)
from ascendify.rules.kit.tests import in_test, outside_tests
from ascendify.rules.tf1 import _distributed, _training
from ascendify.rules.tf1._initialisers import initialises
from ascendify.source.flow.backward import definitions
from ascendify.source.nodes import function_around, is_called, keyword_value, position
from ascendify.source.scopes import parent, scope_of
from ascendify.source.values import Function

RULE = Rule(
    code="TF1-DIST-6",
    title="Start all devices from the variables of rank 0",
    why=(
        "Every process initialises its own variables. Devices that start from different weights "
        "average gradients of different models."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="train_op = opt.minimize(loss)\nsess.run(tf.global_variables_initializer())",
    after=(
        "train_op = opt.minimize(loss)\n"
        "def npu_broadcast(variables, root_rank):\n"
        '    """Operation that gives every rank the float variables of the root rank."""\n'
        "    return tf.group(*[\n"
        "        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])\n"
        "        for variable in variables if variable.dtype.base_dtype.is_floating])\n"
        "\n\n"
        "sess.run(tf.global_variables_initializer())\n"
        'if int(os.getenv("RANK_SIZE", "1")) > 1:\n'
        "    sess.run(npu_broadcast(tf.global_variables(), 0))"
    ),
    safety=(
        "Integer variables such as the global step are not sent. What is restored after the "
        "broadcast is not sent either: let every process restore the same checkpoint."
    ),
)

_BROADCASTS = (
    "npu.hccl_ops.broadcast",
    "npu.NPUBroadcastGlobalVariablesHook",
    "npu.npu_hooks_append",
)
_FIRST = '''\
def {{name}}(init_fn, graph=None):
{indent}"""Return an init_fn that also gives every rank the float variables of rank 0."""
{indent}if int({os}.getenv("RANK_SIZE", "1")) < 2:
{indent}{indent}return init_fn
{indent}with (graph or {tf}.get_default_graph()).as_default():
{indent}{indent}shared = {broadcast}({tf}.global_variables(), 0)

{indent}def initialise(session):
{indent}{indent}if init_fn is not None:
{indent}{indent}{indent}init_fn(session)
{indent}{indent}session.run(shared)

{indent}return initialise'''
_PLAIN_SESSIONS = ("tf.train.MonitoredSession", "tf.train.SingularMonitoredSession")
"""Monitored sessions that evaluate as often as they train."""
_ASSIGN = "tf.assign(v, hccl_ops.broadcast([v], 0)[0])"


@RULE.method("run", where=is_called)
def broadcast(site: MethodSite) -> Diagnoses:
    """Broadcast after the run that initialises the variables of a training loop."""
    file, call = site.file, site.call
    if call is None or not _distributed.is_strategy_run(file) or in_test(file, call):
        return
    session = _initialised_session(file, call)
    if session is None:
        return
    if not _training.trains(file, call) and not _called_for_training(file, call):
        return
    if _broadcasts(file) or _is_second(file, call):
        return
    found = f"{file.brief(call)} initialises variables separately in every process"
    if not isinstance(parent(call), ast.Expr):
        todo = (
            f"After it run once in {session or 'the session'}: tf.group() over {_ASSIGN} for every "
            "float variable v of tf.global_variables()."
        )
        yield RULE.manual(file.at(call), found, todo=todo, effort=Effort.HOURS)
        return
    fix = site.fix()
    tensorflow = names.tensorflow(fix, call)
    run = _distributed.broadcast_all(fix, call, session or f"{tensorflow}.get_default_session()")
    fix.insert_after(call, run)
    yield RULE.auto_check(
        file.at(call),
        found,
        done="Broadcast the float variables of rank 0 after it, where several devices train.",
        todo="Where a checkpoint is restored afterwards, let every process restore it.",
        fix=fix,
    )


def _initialised_session(file: File, call: ast.Call) -> str | None:
    """The session in which a call initialises all variables; empty for the default session.

    None where it does something else: ``sess.run(init)`` and ``init.run()`` initialise.
    """
    if not isinstance(call.func, ast.Attribute):
        return None
    owner = call.func.value
    fetched = call.args[0] if call.args else keyword_value(call, "fetches")
    if fetched is not None and initialises(file, fetched):
        return file.text(owner)
    if initialises(file, owner):
        given = keyword_value(call, "session") or (call.args[1] if len(call.args) > 1 else None)
        return "" if given is None else file.text(given)
    return None


def _called_for_training(file: File, call: ast.Call) -> bool:
    """Whether a call initialises the session that a function gets from one that trains."""
    function = function_around(call)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(function, ast.FunctionDef) or not isinstance(owner, ast.Name):
        return False
    if not any(isinstance(one.node, ast.arg) for one in definitions(owner)):
        return False
    callers = file.resolver.callers(Function(file.module, function))
    return any(_training.trains(file.of(module), taken) for module, taken, _ in callers)


def _broadcasts(file: File) -> bool:
    return next(file.references(*_BROADCASTS), None) is not None


def _is_second(file: File, call: ast.Call) -> bool:
    """Whether an earlier run in the same function already initialises the same session."""
    return any(
        position(other) < position(call)
        and scope_of(other) is scope_of(call)
        and _initialised_session(file, other) is not None
        for other in file.module.index.calls_by_name.get("run", ())
    )


@RULE.call(
    "tf.train.MonitoredTrainingSession",
    "tf.train.MonitoredSession",
    "tf.train.SingularMonitoredSession",
    "tf.contrib.training.train",
)
@outside_tests
def append_hook(site: CallSite) -> Diagnoses:
    """Give a monitored session of a training the hook that broadcasts."""
    file = site.file
    if not _distributed.is_strategy_run(file) or _broadcasts(file):
        return
    if site.name in _PLAIN_SESSIONS and not _training.trains(file, site.node):
        return
    yield _distributed.append_broadcast(RULE, site, "hooks", "")


@RULE.call("tf.train.Supervisor", "tf.contrib.slim.learning.train")
@outside_tests
def broadcast_first(site: CallSite) -> Diagnoses:
    """Functions that create and initialise a session themselves: broadcast in their init_fn."""
    if not _distributed.is_strategy_run(site.file) or _broadcasts(site.file):
        return
    found = f"{site.callee} initialises variables separately in every process"
    given = site.args.get("init_fn")
    if given is None and site.args.starred:
        todo = (
            f"Give it an init_fn that also runs, once, tf.group() over {_ASSIGN} for every float "
            "variable v of tf.global_variables(), built before the call."
        )
        yield RULE.manual(site, found, todo=todo)
        return
    fix = site.fix()
    hccl = fix.use("npu_bridge.hccl", "hccl_ops")
    text = _FIRST.format(
        os=fix.use("os"),
        tf=names.tensorflow(fix, fix.module.tree),
        broadcast=_distributed.broadcast_helper(fix, hccl, site.node),
        indent=fix.indent_unit,
    )
    function = fix.define(text, "npu_broadcast_first", site.node)
    graph = site.args.value("graph")
    own = isinstance(graph, (ast.Name, ast.Attribute)) and site.file.literal(graph) != (None,)
    more = f", {site.file.text(graph)}" if own and graph is not None else ""
    if given is None:
        fix.add_argument(site.node, f"init_fn={function}(None{more})")
    else:
        fix.wrap(given.value, f"{function}(", f"{more})")
    done = f"Broadcast the float variables of rank 0 in its init_fn, with {function}()."
    yield RULE.auto(site, found, done=done, fix=fix)
