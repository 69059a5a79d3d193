"""Session loops on several devices: all start from the variables of rank 0, one saves."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status, names
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf1 import _distributed, _training
from ascendify.source.flow import backward
from ascendify.source.nodes import conditions_around
from ascendify.source.scopes import parent, scope_of

RULE = Rule(
    code="TF1-DIST-6",
    title="Start all devices from the variables of rank 0",
    why=(
        "Every process initialises its own variables. Devices that start from different weights "
        "average gradients of different models."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
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

_INITIALISERS = ("tf.global_variables_initializer", "tf.initialize_all_variables")
_BROADCASTS = (
    "npu.hccl_ops.broadcast",
    "npu.NPUBroadcastGlobalVariablesHook",
    "npu.npu_hooks_append",
)
_ON_RANK_0 = 'int(os.getenv("RANK_ID", "0")) == 0'


@RULE.call("tf.Session.run")
@outside_tests
def broadcast(site: CallSite) -> Diagnoses:
    """Broadcast after the run that initialises the variables of a training loop."""
    file = site.file
    fetches = site.args.value("fetches")
    if fetches is None or not _initialises(file, fetches, 4) or not _trains(site):
        return
    if any(True for _ in file.references(*_BROADCASTS)) or _in_function_twice(file, site):
        return
    found = f"{site.brief} gives every process variables of its own"
    if not isinstance(parent(site.node), ast.Expr) or site.receiver is None:
        yield RULE.manual(site, found, todo=_recipe(file, site.receiver), effort=Effort.HOURS)
        return
    fix = site.fix()
    session = file.text(site.receiver)
    helper = _distributed.broadcast_helper(fix, fix.use("npu_bridge.hccl", "hccl_ops"), site.node)
    variables = f"{names.tensorflow(fix, site.node)}.global_variables()"
    fix.insert_after(
        site.node,
        f'if int({fix.use("os")}.getenv("RANK_SIZE", "1")) > 1:\n'
        f"{fix.indent_unit}{session}.run({helper}({variables}, 0))",
    )
    yield RULE.auto_check(
        site,
        found,
        done="Broadcast the float variables of rank 0 after it, where several devices train.",
        todo=(
            "Where a checkpoint is restored afterwards, let every process restore it. Save, log "
            f"and print under a plain `if {_ON_RANK_0}:`, outside of the graph."
        ),
        fix=fix,
    )


def _trains(site: CallSite) -> bool:
    return _distributed.is_strategy_run(site.file) and _training.trains(site.file, site.node)


def _in_function_twice(file: File, site: CallSite) -> bool:
    """Whether an earlier run of the same function initialises the same session."""
    scope = scope_of(site.node)
    for other in file.calls("tf.Session.run"):
        if other.node is site.node:
            return False
        fetches = other.args.value("fetches")
        if fetches is None or scope_of(other.node) is not scope:
            continue
        if _initialises(file, fetches, 4):
            return True
    return False


def _initialises(file: File, node: ast.expr, depth: int) -> bool:
    """Whether what is run initialises all variables: itself, in a list or group, by a variable."""
    if depth == 0:
        return False
    if isinstance(node, (ast.List, ast.Tuple)):
        return any(_initialises(file, item, depth - 1) for item in node.elts)
    if isinstance(node, ast.Call):
        name = file.name(node.func)
        if name in _INITIALISERS:
            return True
        return name == "tf.group" and any(_initialises(file, a, depth - 1) for a in node.args)
    if isinstance(node, ast.Name):
        values = map(backward.assigned, backward.bindings(node))
        return any(value is not None and _initialises(file, value, depth - 1) for value in values)
    return False


def _recipe(file: File, receiver: ast.expr | None) -> str:
    session = "sess" if receiver is None else file.brief(receiver)
    return (
        f"After it run once in {session}: tf.group() over tf.assign(v, hccl_ops.broadcast([v], "
        "0)[0]) for every float variable v of tf.global_variables()."
    )


@RULE.call("tf.train.MonitoredTrainingSession")
@outside_tests
def append_hook(site: CallSite) -> Diagnoses:
    """Give a monitored session the hook that broadcasts."""
    file = site.file
    if not _distributed.is_strategy_run(file):
        return
    given = site.args.get("hooks")
    if any(True for _ in file.references(*_BROADCASTS)):
        return
    shown = site.callee
    found = f"{shown} gives every process variables of its own"
    if given is None and (site.args.starred or site.args.surplus):
        todo = "Where its hooks are made, extend them: npu_hooks_append(hooks_list=[...])."
        yield RULE.manual(site, found, todo=todo)
        return
    fix = site.fix()
    function = fix.use("npu_bridge.npu_init", "npu_hooks_append")
    _distributed.append_to(site, fix, function, "hooks_list", "hooks_list=[]")
    yield RULE.auto_check(
        site,
        found,
        done=f"Added the hook of {function}() that broadcasts the variables of rank 0.",
        todo=(
            "Give checkpoint_dir on rank 0 only, so that one process saves: checkpoint_dir=... if "
            f"{_ON_RANK_0} else None."
        ),
        fix=fix,
    )


@RULE.call("tf.train.Supervisor", "tf.contrib.slim.learning.train", "tf.contrib.training.train")
def tell_managed(site: CallSite) -> Diagnoses:
    """Sessions that are made and initialised out of sight: the broadcast is built before."""
    if not _distributed.is_strategy_run(site.file):
        return
    if any(True for _ in site.file.references(*_BROADCASTS)):
        return
    yield RULE.manual(
        site,
        f"{site.callee} gives every process variables of its own",
        todo=(
            "Before it, while the graph can still be changed, build sync = tf.group(*[tf.assign(v, "
            "hccl_ops.broadcast([v], 0)[0]) for v in tf.global_variables() if "
            "v.dtype.base_dtype.is_floating]) and run it once from init_fn (init_fn=lambda sess: "
            f"sess.run(sync)); give logdir on rank 0 only ({_ON_RANK_0})."
        ),
    )


@RULE.call("tf.train.Saver.save")
def tell_saver(site: CallSite) -> Diagnoses:
    """Tell of checkpoints that every process would write."""
    file = site.file
    if not _trains(site) or any(
        "RANK" in file.text(test).upper() for test in conditions_around(site.node)
    ):
        return
    yield RULE.manual(
        site,
        f"{site.callee} writes the same checkpoint from every process",
        todo=f"Save on one rank only: put it under `if {_ON_RANK_0}:`.",
    )
