"""Session loops on several devices: start all from the variables of rank 0, and save on one."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status, names
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf1 import _distributed, _npu, _training
from ascendify.source.flow import backward
from ascendify.source.nodes import conditions_around, position
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
_ON_RANK_0 = f"{_npu.RANK_ID} == 0"
_ASSIGN = "tf.assign(v, hccl_ops.broadcast([v], 0)[0])"


@RULE.call("tf.Session.run")
@outside_tests
def broadcast(site: CallSite) -> Diagnoses:
    """Broadcast after the run that initialises the variables of a training loop."""
    file = site.file
    fetches = site.args.value("fetches")
    if fetches is None or not _initialises(file, fetches, 4) or not _trains(site):
        return
    if _broadcasts(file) or _in_function_twice(file, site):
        return
    found = f"{site.brief} initialises variables separately in every process"
    if not isinstance(parent(site.node), ast.Expr) or site.receiver is None:
        session = "sess" if site.receiver is None else file.brief(site.receiver)
        todo = (
            f"After it run once in {session}: tf.group() over {_ASSIGN} for every float variable v "
            "of tf.global_variables()."
        )
        yield RULE.manual(site, found, todo=todo, effort=Effort.HOURS)
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


def _broadcasts(file: File) -> bool:
    return next(file.references(*_BROADCASTS), None) is not None


def _trains(site: CallSite) -> bool:
    return _distributed.is_strategy_run(site.file) and _training.trains(site.file, site.node)


def _in_function_twice(file: File, site: CallSite) -> bool:
    """Whether an earlier run of the same function initialises the same session."""
    return any(
        position(other.node) < position(site.node)
        and scope_of(other.node) is scope_of(site.node)
        and (fetches := other.args.value("fetches")) is not None
        and _initialises(file, fetches, 4)
        for other in file.calls("tf.Session.run")
    )


def _initialises(file: File, node: ast.expr, depth: int) -> bool:
    """Whether what is run initialises all variables: itself, in a list or group, or by a name."""
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


@RULE.call("tf.train.MonitoredTrainingSession")
@outside_tests
def append_hook(site: CallSite) -> Diagnoses:
    """Give a monitored session the hook that broadcasts."""
    if _distributed.is_strategy_run(site.file) and not _broadcasts(site.file):
        todo = (
            "Give checkpoint_dir on rank 0 only, so that one process saves: checkpoint_dir=... if "
            f"{_ON_RANK_0} else None."
        )
        yield _distributed.append_broadcast(RULE, site, "hooks", todo)


@RULE.call("tf.train.Supervisor", "tf.contrib.slim.learning.train", "tf.contrib.training.train")
def report_managed(site: CallSite) -> Diagnoses:
    """Functions that create and initialise a session themselves."""
    if not _distributed.is_strategy_run(site.file) or _broadcasts(site.file):
        return
    yield RULE.manual(
        site,
        f"{site.callee} initialises variables separately in every process",
        todo=(
            f"Before it, while the graph can still be changed, build sync = tf.group(*[{_ASSIGN} "
            "for v in tf.global_variables() if "
            "v.dtype.base_dtype.is_floating]) and run it once from init_fn (init_fn=lambda sess: "
            f"sess.run(sync)); give logdir on rank 0 only ({_ON_RANK_0})."
        ),
    )


@RULE.call("tf.train.Saver.save")
def report_saver(site: CallSite) -> Diagnoses:
    """Checkpoints that every process would write."""
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
