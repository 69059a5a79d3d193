"""Estimators: use NPUEstimator where the run config allows it, else change the run config."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.catalog import signatures
from ascendify.rules.kit import (
    Arguments,
    CallSite,
    Diagnoses,
    Diagnosis,
    Effort,
    File,
    Rule,
    Status,
)
from ascendify.rules.kit.callees import is_direct
from ascendify.rules.tf1 import _estimator, _npu
from ascendify.rules.tf1 import _estimator_edits as edits
from ascendify.source.scopes import scope_of
from ascendify.source.values import Class

RULE = Rule(
    code="TF1-EST-2",
    title="Make every estimator train on the NPU",
    why=(
        "An estimator creates its own sessions. Without NPUEstimator or a run config that carries "
        "the NPU's session config it trains on the host CPU and says nothing."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="estimator = tf.estimator.Estimator(model_fn, 'out', run_config, params)",
    after=(
        "estimator = NPUEstimator(model_fn=model_fn, model_dir='out', config=run_config, "
        "params=params)"
    ),
    safety=(
        "Arguments are passed by keyword, because the fifth one of NPUEstimator differs. Canned "
        "estimators, subclasses and estimators whose run config cannot be followed keep their "
        "class and get their config through npu_run_config_init. Without a model_dir anywhere "
        "NPUEstimator makes a folder in the working directory instead of a temporary one."
    ),
)


@RULE.call(_estimator.ESTIMATOR)
def convert(site: CallSite) -> Diagnoses:
    """Convert a plain estimator."""
    if _config_is_unseen(site, site.args):
        yield _by_hand(site)
        return
    plan = _estimator.plan_estimator(site.file, site)
    if plan.native:
        yield _native(site, plan)
    else:
        yield from _light(site, plan, site.args)


@RULE.call(*_estimator.CANNED)
def wrap_canned(site: CallSite) -> Diagnoses:
    """Give a canned estimator a run config for the NPU."""
    if signatures.signature(site.name) is None or _config_is_unseen(site, site.args):
        yield _by_hand(site)
    else:
        yield from _light(site, _estimator.plan_estimator(site.file, site), site.args)


@RULE.call(*(f"{name}.__init__" for name in (_estimator.ESTIMATOR, *_estimator.CANNED)))
def wrap_in_constructor(site: CallSite) -> Diagnoses:
    """Give the base class of a user's estimator a run config for the NPU."""
    receiver = site.receiver
    unbound = receiver is not None and site.file.name(receiver) is not None
    signature = signatures.signature(site.name.rpartition(".")[0])
    arguments = Arguments.bind(site.node, signature, skip=1 if unbound else 0)
    if _config_is_unseen(site, arguments):
        yield _by_hand(site)
    else:
        plan = _estimator.plan_estimator(site.file, site, arguments)
        plan.reason = "a subclass of Estimator builds itself"
        yield from _light(site, plan, arguments)


@RULE.file
def wrap_subclasses(file: File) -> Diagnoses:
    """Give instances of a user's estimator class without a constructor a run config for the NPU."""
    for call, cls in _constructions(file):
        base = file.resolver.external_bases(cls)[0]
        site = CallSite(file, call, f"{base}.__init__")
        arguments = Arguments.bind(call, signatures.signature(base))
        if _config_is_unseen(site, arguments):
            yield _by_hand(site)
            continue
        plan = _estimator.plan_estimator(file, site, arguments)
        plan.reason = f"{cls.node.name} is a subclass of Estimator"
        yield from _light(site, plan, arguments)


@RULE.call("tf.contrib.learn.Estimator")
def report_contrib(site: CallSite) -> Diagnoses:
    """Estimators of tf.contrib.learn, which cannot train on the NPU."""
    yield RULE.manual(
        site,
        f"{site.callee} is deprecated in TensorFlow 1.15 and cannot train on an NPU",
        todo=(
            "Move to tf.estimator.Estimator (input_fn, and an EstimatorSpec from model_fn), then "
            "migrate again."
        ),
        effort=Effort.HOURS,
    )


def _native(site: CallSite, plan: _estimator.EstimatorPlan) -> Diagnosis:
    file = site.file
    fix = site.fix()
    has_config = plan.config is not None
    done = edits.make_native(site, fix, _npu.use(fix, "NPUEstimator"), has_config)
    todo: list[str] = []
    if not has_config and file.facts.distributed != "none":
        todo.append("Choose how many steps lie between two checkpoints.")
    if not _has_model_dir(file, site, plan):
        todo.append(
            "No model_dir is given: checkpoints go to a new folder model_dir_<random> in the "
            "working directory instead of a temporary one. Give a model_dir."
        )
    return RULE.fixed(
        site,
        f"{site.callee} makes an estimator that trains on the host",
        done=done,
        todo=" ".join(todo),
        fix=fix,
    )


def _light(site: CallSite, plan: _estimator.EstimatorPlan, arguments: Arguments) -> Diagnoses:
    file = site.file
    if plan.done:
        return
    fix = site.fix()
    given = arguments.get("config")
    todo = ""
    if plan.config is None:
        if file.facts.has_options_module:
            run_config = edits.tensorflow(fix, site.node, "estimator.RunConfig")
            config = f"{run_config}(session_config={_npu.session_config(file, fix)[0]}())"
        else:
            config = f"{_npu.use(fix, 'npu_run_config_init')}()"
        if given is None:
            edits.ArgumentList(file, fix, arguments).append([f"config={config}"])
        else:
            fix.replace(given.value, config)
        done = f"Gave it config={config}."
    else:
        done = edits.pass_through_init(file, fix, plan.config)
        if file.facts.has_options_module:
            todo = (
                "The requested NPU options do not reach this estimator: where its run config is "
                f"made, give it session_config={_npu.OPTIONS_MODULE}.session_config()."
            )
    yield RULE.fixed(
        site,
        f"{site.callee} makes an estimator that trains on the host; it keeps its "
        f"class because {plan.reason}",
        done=done,
        todo=todo,
        fix=fix,
    )


def _config_is_unseen(site: CallSite, arguments: Arguments) -> bool:
    """Whether a config may be given out of our sight."""
    seen = not arguments.starred and not arguments.surplus
    if not site.name.endswith(".__init__"):
        seen = seen and is_direct(site.file, site.node.func)
    return "config" not in arguments and not seen


def _by_hand(site: CallSite) -> Diagnosis:
    return RULE.manual(
        site,
        f"{site.callee} may get its config from arguments that are not visible here",
        todo="Where that config is made, pass it through npu_run_config_init(run_config=...).",
    )


def _has_model_dir(file: File, site: CallSite, plan: _estimator.EstimatorPlan) -> bool:
    """Whether the estimator or its run config has a folder, or may have one."""
    given = site.args.value("model_dir")
    if given is not None or site.args.starred:
        return given is None or file.literal(given) != (None,)
    for module, call in plan.origins.calls:
        other = file.of(module)
        arguments = CallSite(other, call, _estimator.RUN_CONFIG).args
        if arguments.starred or "model_dir" in arguments or other.name(call.func) is None:
            return True
    return _is_replaced(file, plan.config)


def _is_replaced(file: File, config: ast.expr | None) -> bool:
    """Whether some ``replace(model_dir=...)`` of the file may name the folder later."""
    return config is not None and any(
        keyword.arg in (None, "model_dir")
        for call in file.module.index.calls_by_name.get("replace", ())
        for keyword in call.keywords
    )


def _constructions(file: File) -> Iterator[tuple[ast.Call, Class]]:
    """Calls that make an instance of a project class whose constructor is Estimator's.

    Only in files that mention estimators, because inferring every class is slow.
    """
    if "stimator" not in file.module.source.text:
        return
    for name, calls in file.module.index.calls_by_name.items():
        if not name[:1].isupper():
            continue
        for call in calls:
            for value in file.resolver.infer(file.module, call.func):
                if (
                    isinstance(value, Class)
                    and _estimator.is_estimator_class(file, value)
                    and not _has_constructor(file, value)
                ):
                    yield call, value


def _has_constructor(file: File, cls: Class) -> bool:
    if "__init__" in scope_of(cls.node).bindings:
        return True
    return any(
        isinstance(value, Class) and _has_constructor(file, value)
        for base in cls.node.bases
        for value in file.resolver.infer(cls.module, base)
    )
