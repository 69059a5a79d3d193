"""Run configs: use NPURunConfig where the estimator is an NPUEstimator, else change the config."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Argument, CallSite, Diagnoses, Diagnosis, File, Fix, Rule, Status
from ascendify.rules.tf1 import _estimator, _npu, _strategy
from ascendify.rules.tf1 import _estimator_edits as edits
from ascendify.source.nodes import is_literal
from ascendify.source.scopes import parent
from ascendify.source.values import Const

RULE = Rule(
    code="TF1-EST-1",
    title="Make the run config of an estimator one for the NPU",
    why=(
        "NPUEstimator takes nothing but an NPURunConfig, whose arguments and defaults differ from "
        "those of RunConfig; an Estimator with a plain RunConfig trains on the host CPU."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK),
    before=(
        "config = tf.estimator.RunConfig('out', save_checkpoints_steps=1000)\n"
        "estimator = tf.estimator.Estimator(model_fn, config=config)"
    ),
    after=(
        "config = NPURunConfig(model_dir='out', save_checkpoints_steps=1000,\n"
        "        session_config=tf.ConfigProto(allow_soft_placement=True, "
        "log_device_placement=False),\n"
        "        save_summary_steps=100)\n"
        "estimator = tf.estimator.Estimator(model_fn, config=config)"
    ),
    safety=(
        "TensorFlow's defaults are written out because those of NPURunConfig differ. In runs on "
        "several devices checkpoints are saved by steps, as saving by time is not allowed there. "
        "Arguments without a counterpart are dropped and named in the finding. A RunConfig that "
        "also reaches a canned estimator, a subclass of Estimator or unknown code stays one."
    ),
)

_STRATEGY = "one process drives one device, and the optimizer averages gradients over the ranks"
_DROPPED = {
    "train_distribute": _STRATEGY,
    "eval_distribute": _STRATEGY,
    "experimental_distribute": _STRATEGY,
    "device_fn": "the NPU places operators itself",
    "protocol": "NPURunConfig does not take it",
    "experimental_max_worker_delay_secs": "NPURunConfig does not take it",
    "session_creation_timeout_secs": "NPURunConfig does not take it",
}
"""Arguments of RunConfig that NPURunConfig rejects or reserves, and why they can be dropped."""
_DISTRIBUTE = ("train_distribute", "eval_distribute", "experimental_distribute")


@RULE.call(_estimator.RUN_CONFIG)
def convert(site: CallSite) -> Diagnoses:
    """Convert the run config, or change its session config where it must stay a RunConfig."""
    plan = _estimator.plan_config(site.file, site.node)
    if plan.native and plan.reached:
        yield _native(site)
    elif not plan.done and (plan.reached or plan.foreign):
        yield from _light(site, plan)


@RULE.call("tf.estimator.RunConfig.replace")
def drop_strategy(site: CallSite) -> Diagnoses:
    """Remove distribution strategies from ``config.replace(...)``."""
    dropped = _strategies(site)
    if not dropped:
        return
    fix = site.fix()
    edits.ArgumentList(site.file, fix, site.args).change(drop=dropped)
    yield RULE.auto_check(
        site,
        f"{site.callee} sets a distribution strategy",
        done=_removed(site, dropped),
        todo=_strategy_todo(site, dropped),
        fix=fix,
    )


@RULE.call("tf.estimator.RunConfig.replace")
def keep_session(site: CallSite) -> Diagnoses:
    """Add the NPU's entry to a session config that replaces one with the entry."""
    file = site.file
    given = site.args.value("session_config")
    if given is None or site.receiver is None or _npu.is_session_config(file, given):
        return
    if not _estimator.brings_session(file, site.receiver):
        return
    fix = site.fix()
    function, keyword = _npu.session_config(file, fix)
    fix.wrap(given, f"{function}({keyword}")
    yield RULE.auto(
        site,
        f"replace(session_config={file.brief(given)}) sets a session config without the NPU entry",
        done=f"Wrapped {file.brief(given)} in {function}().",
        fix=fix,
    )


def _native(site: CallSite) -> Diagnosis:
    file, arguments = site.file, site.args
    fix = site.fix()
    fix.replace(site.node.func, _npu.use(fix, "NPURunConfig"))
    dropped = [item for item in arguments if item.name in _DROPPED]
    server = next((item for item in dropped if _is_server(file, item.value)), None)
    noted = [item for item in dropped if item is not server and not _is_default(file, item)]
    given = {item.name for item in arguments}
    empty = arguments.get("session_config")
    if empty is not None and file.literal(empty.value) == (None,):
        dropped.append(empty)
        given.discard("session_config")
    added = edits.defaults(file, fix, site.node, given)
    if server is not None:
        added[:0] = [f"distribute={file.text(server.value)}", "mix_compile_mode=True"]
    disabled = _keep_disabled(site, fix)
    edits.ArgumentList(file, fix, arguments).change(dropped, added)
    done = [f"Replaced {site.callee} by NPURunConfig.", _removed(site, noted)]
    if disabled:
        done.append("Wrote 0 for None, which NPURunConfig would take for every 100 steps.")
    todo = [_strategy_todo(site, noted)]
    if server is not None:
        done.append("Passed the parameter server strategy as distribute.")
        todo.append("Set TF_CONFIG in every process: the strategy needs its cluster.")
    if "save_checkpoints_steps=100" in added:
        done.append("Checkpoints are saved every 100 steps instead of every 600 seconds.")
        todo.append("Choose how many steps lie between two checkpoints.")
    todo_text = " ".join(filter(None, todo))
    return RULE.finding(
        Status.AUTO_CHECK if todo_text or noted else Status.AUTO,
        site,
        f"{site.callee} makes a run config that NPUEstimator does not take",
        done=" ".join(filter(None, done)),
        todo=todo_text,
        fix=fix,
    )


def _light(site: CallSite, plan: _estimator.RunConfigPlan) -> Diagnoses:
    """Keep the class; write the NPU's session config where no other rule will."""
    file = site.file
    fix = site.fix()
    done: list[str] = []
    todo: list[str] = []
    dropped = _strategies(site)
    if dropped:
        edits.ArgumentList(file, fix, site.args).change(drop=dropped)
        done.append(_removed(site, dropped))
        todo.append(_strategy_todo(site, dropped))
    if file.facts.has_options_module and _estimator.shows_all(site):
        if not _is_replaced(site.node):
            arguments = edits.ArgumentList(file, fix, site.args)
            given = site.args.get("session_config")
            done.append(
                _npu.set_session_config(
                    file, fix, given, "session_config", lambda text: arguments.append([text])
                )
            )
    elif plan.foreign:
        fix.wrap(site.node, f"{_npu.use(fix, 'npu_run_config_init')}(run_config=")
        done.append("Wrapped it in npu_run_config_init().")
    if plan.foreign:
        todo.append(f"Check that the estimator is built from this config: see {plan.foreign}.")
    if done:
        yield RULE.fixed(
            site,
            f"{site.callee} must stay a RunConfig: {plan.reason}",
            done=" ".join(done),
            todo=" ".join(todo),
            fix=fix,
        )


def _is_replaced(call: ast.Call) -> bool:
    """Whether the session config is replaced where the run config is made."""
    method = parent(call)
    owner = parent(method)
    return (
        isinstance(method, ast.Attribute)
        and method.attr == "replace"
        and isinstance(owner, ast.Call)
        and any(keyword.arg == "session_config" for keyword in owner.keywords)
    )


def _strategies(site: CallSite) -> list[Argument]:
    """Strategies that a RunConfig must lose in either style."""
    return [
        item
        for item in site.args
        if item.name in _DISTRIBUTE
        and not _is_default(site.file, item)
        and not _is_server(site.file, item.value)
    ]


def _is_server(file: File, value: ast.expr) -> bool:
    return file.kind(value) in _strategy.PARAMETER_SERVERS


def _is_default(file: File, item: Argument) -> bool:
    default = (7200,) if item.name == "session_creation_timeout_secs" else (None,)
    return file.literal(item.value) == default


def _removed(site: CallSite, dropped: list[Argument]) -> str:
    return " ".join(
        f"Removed {item.name}={site.file.brief(item.value, 50)}: {_DROPPED[item.name]}."
        for item in dropped
    )


def _strategy_todo(site: CallSite, dropped: list[Argument]) -> str:
    if not any(item.name in _DISTRIBUTE for item in dropped):
        return ""
    if site.file.facts.distributed == "tf_strategy":
        return "Start one process per device."  # other rules wrap optimizers and shard the data
    return (
        "Start one process per device; give each its share of the data and the batch size of one "
        "device, and wrap the optimizer in npu_distributed_optimizer_wrapper()."
    )


def _keep_disabled(site: CallSite, fix: Fix) -> bool:
    """Write 0 for None in the save settings: None means never to TensorFlow, here every 100 steps.

    Only where no setting has a value; the other one, if it may have one, decides.
    """
    file = site.file
    given = [
        item
        for name in ("save_checkpoints_steps", "save_checkpoints_secs")
        if (item := site.args.get(name)) is not None
    ]
    open_ = [item for item in given if file.literal(item.value) != (None,)]
    if given and not open_:
        fix.replace(given[0].value, "0")
        return True
    if len(open_) != 1:
        return False
    value = open_[0].value
    if isinstance(value, ast.IfExp) and (
        is_literal(value.body, None) or is_literal(value.orelse, None)
    ):
        fix.replace(value.body if is_literal(value.body, None) else value.orelse, "0")
        return True
    if any(item == Const(None) for item in file.resolver.infer(file.module, value)):
        simple = isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        fix.wrap(value, "" if simple else "(", " or 0" if simple else ") or 0")
        return True
    return False
