"""Estimators: choose native or light style for a run config and all estimators it is given to.

Native style is ``NPURunConfig`` and ``NPUEstimator``; light style keeps TensorFlow's classes and
passes the config through ``npu_run_config_init``. ``NPUEstimator`` takes nothing but an
``NPURunConfig``, so one decision holds for a ``RunConfig`` and all estimators it reaches, also in
other files. Every rule about estimators takes it from here.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ascendify.catalog import types
from ascendify.rules.kit import Arguments, CallSite, File
from ascendify.rules.kit.callees import is_direct
from ascendify.rules.tensorflow.passing import Origins, OutsideCall, ValueUses, origins, uses
from ascendify.rules.tf1 import _npu
from ascendify.source.module import Module
from ascendify.source.values import Class

RUN_CONFIG = "tf.estimator.RunConfig"
ESTIMATOR = "tf.estimator.Estimator"
FROM_KERAS = "tf.keras.estimator.model_to_estimator"
CONVERTIBLE = (ESTIMATOR, FROM_KERAS)
"""Calls that have a native counterpart, which takes an NPURunConfig."""
NATIVE = ("npu.NPUEstimator", "npu.keras_to_npu.model_to_npu_estimator")
TPU_RUN_CONFIGS = ("tf.estimator.tpu.RunConfig", "tf.contrib.tpu.RunConfig")
TPU_ESTIMATORS = ("tf.estimator.tpu.TPUEstimator", "tf.contrib.tpu.TPUEstimator")
_CANNED = {
    "tf.estimator": """
        BaselineClassifier BaselineEstimator BaselineRegressor BoostedTreesClassifier
        BoostedTreesEstimator BoostedTreesRegressor DNNClassifier DNNEstimator
        DNNLinearCombinedClassifier DNNLinearCombinedEstimator DNNLinearCombinedRegressor
        DNNRegressor LinearClassifier LinearEstimator LinearRegressor experimental.KMeans""",
    "tf.contrib.estimator": """
        RNNClassifier RNNEstimator SavedModelEstimator DNNEstimator LinearEstimator
        DNNLinearCombinedEstimator BaselineEstimator BoostedTreesEstimator""",
    "tf.contrib.factorization": "KMeansClustering",
    "tf.compat.v2.estimator": """
        Estimator BaselineClassifier BaselineEstimator BaselineRegressor DNNClassifier DNNEstimator
        DNNLinearCombinedClassifier DNNLinearCombinedEstimator DNNLinearCombinedRegressor
        DNNRegressor LinearClassifier LinearEstimator LinearRegressor BoostedTreesClassifier
        BoostedTreesEstimator BoostedTreesRegressor""",
}
CANNED = tuple(f"{module}.{name}" for module, names in _CANNED.items() for name in names.split())
"""Estimators with their own model_fn; these have no NPU counterpart."""
_REBUILDERS = (
    "tf.estimator.add_metrics",
    "tf.contrib.estimator.add_metrics",
    "tf.contrib.estimator.forward_features",
    "tf.contrib.estimator.clip_gradients_by_norm",
)
"""Functions that take an estimator and return a new, plain one."""


# --- the decision -----------------------------------------------------------------------------


@dataclass
class RunConfigPlan:
    """The style of a run config and of the estimators that share it."""

    native: bool = True
    reason: str = ""
    """Why it is not native, as the end of a sentence."""
    reached: bool = False
    """Some estimator takes the config."""
    foreign: str = ""
    """A call outside the project, or one that cannot be followed, that takes the config."""
    done: bool = False
    """The config already has the NPU's session config."""

    def light(self, reason: str) -> None:
        """Rule native style out; the first reason is kept."""
        self.native = False
        self.reason = self.reason or reason


def plan_config(file: File, call: ast.Call) -> RunConfigPlan:
    """The decision for a ``RunConfig(...)`` call."""
    group = _Group(file)
    group.add("config", file.module, call)
    plan = group.decide()
    flow = group.uses(file.module, call)
    for use in flow.calls:
        role = group.role(use)
        if role is None:
            plan.foreign = plan.foreign or _spelled(file.of(use.module), use.call)
        else:
            plan.reached = True
    if flow.escapes is not None:
        module, node = flow.escapes
        plan.foreign = plan.foreign or _spelled(file.of(module), node)
    plan.done = has_npu_session(file, call)
    return plan


@dataclass
class EstimatorPlan(RunConfigPlan):
    """The decision for one estimator: rewrite it to the NPU's class, or keep TensorFlow's."""

    config: ast.expr | None = None
    """The run config it is given; None when there is none, or when it certainly is None."""
    origins: Origins = field(default_factory=Origins)


def plan_estimator(file: File, site: CallSite, arguments: Arguments | None = None) -> EstimatorPlan:
    """The decision for a call that makes an estimator."""
    arguments = arguments or site.args
    given = arguments.value("config")
    if given is not None and file.literal(given) == (None,):
        given = None
    plan = EstimatorPlan(config=given)
    if site.name not in CONVERTIBLE:
        plan.light("canned estimators have no counterpart on the NPU")
    group = _Group(file)
    group.add("estimator", file.module, site.node)
    decided = group.decide()
    if not decided.native:
        plan.light(decided.reason)
    if given is None:
        return plan
    plan.origins = origins(file.resolver, file.module, given)
    plan.done = _all_ready(file, plan.origins)
    return plan


class _Group:
    """A run config with the estimators that use it, their other run configs, and so on."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.plan = RunConfigPlan()
        self._pending: list[tuple[str, Module, ast.Call]] = []
        self._seen: set[ast.AST] = set()
        self._uses: dict[ast.AST, ValueUses] = {}

    def add(self, what: str, module: Module, call: ast.Call) -> None:
        """Visit a call that makes a config or an estimator, once."""
        if call not in self._seen:
            self._seen.add(call)
            self._pending.append((what, module, call))

    def decide(self) -> RunConfigPlan:
        """Visit every run config and estimator of the group."""
        while self._pending:
            what, module, call = self._pending.pop()
            if what == "config":
                self._config(module, call)
            else:
                self._estimator(module, call)
        return self.plan

    def uses(self, module: Module, call: ast.Call) -> ValueUses:
        """The uses of a run config."""
        if call not in self._uses:
            self._uses[call] = uses(self.file.resolver, module, call)
        return self._uses[call]

    def _config(self, module: Module, call: ast.Call) -> None:
        file = self.file.of(module)
        arguments = CallSite(file, call, RUN_CONFIG).args
        if arguments.starred or arguments.surplus or not is_direct(file, call.func):
            self.plan.light(f"{self._at(module, call)} gets arguments that are not visible")
        if has_npu_session(file, call):
            self.plan.light("its session config is already one for the NPU")
        flow = self.uses(module, call)
        if flow.escapes is not None:
            self.plan.light(
                f"the run config goes to {self._at(*flow.escapes)}, where it cannot be followed"
            )
        for use in flow.calls:
            role = self.role(use)
            if role == "estimator":
                self.add("estimator", use.module, use.call)
            elif role != "native":
                self.plan.light(f"the run config goes to {self._at(use.module, use.call)}")

    def role(self, use: OutsideCall) -> str | None:
        """The kind of call that gets a run config: estimator, native, light; None if unknown."""
        file = self.file.of(use.module)
        name = file.name(use.call.func)
        if name is None:
            is_estimator = any(
                isinstance(value, Class) and is_estimator_class(file, value)
                for value in file.resolver.infer(use.module, use.call.func)
            )
            return "light" if is_estimator else None
        if name == "npu.npu_run_config_init":
            return "light"
        if name in NATIVE:
            return "native"
        if types.is_a(name, ESTIMATOR) or name in CONVERTIBLE:
            given = CallSite(file, use.call, name).args.value("config")
            if given is not use.value:
                return None
            return "estimator" if name in CONVERTIBLE else "light"
        return "light" if name == f"{ESTIMATOR}.__init__" else None

    def _estimator(self, module: Module, call: ast.Call) -> None:
        file = self.file.of(module)
        name = file.name(call.func)
        if name not in CONVERTIBLE:
            self.plan.light(f"{self._at(module, call)} has no counterpart on the NPU")
            return
        site = CallSite(file, call, name)
        if not takes_what_it_shows(site):
            self.plan.light(f"{self._at(module, call)} gets arguments that are not visible")
        rebuilt = uses(file.resolver, module, call)
        if any(file.of(use.module).name(use.call.func) in _REBUILDERS for use in rebuilt.calls):
            self.plan.light("the estimator is rebuilt as a plain one by add_metrics or the like")
        config = site.args.value("config")
        if config is None or file.literal(config) == (None,):
            return
        found = origins(file.resolver, module, config)
        if found.unknown or not found.calls:
            self.plan.light(f"nothing in the project shows where {file.brief(config)} comes from")
        if found.nothing:
            self.plan.light(f"{file.brief(config)} may be None")
        for origin_module, origin in found.calls:
            made_by = file.of(origin_module).name(origin.func)
            if made_by == RUN_CONFIG:
                self.add("config", origin_module, origin)
            elif made_by != "npu.NPURunConfig":
                self.plan.light(f"{self._at(origin_module, origin)} makes its run config")

    def _at(self, module: Module, node: ast.AST) -> str:
        where = "" if module is self.file.module else f"{module.path} "
        return f"{_spelled(self.file.of(module), node)} ({where}line {getattr(node, 'lineno', 1)})"


def is_trained(file: File, call: ast.Call) -> bool:
    """Whether an estimator that a call makes, or that gets the run config it makes, is trained.

    An estimator that is passed on counts as trained; a run config that is passed on does not.
    """
    flow = uses(file.resolver, file.module, call)
    name = file.name(call.func)
    if name in (RUN_CONFIG, "npu.NPURunConfig", "npu.npu_run_config_init", *TPU_RUN_CONFIGS):
        group = _Group(file)
        return any(
            is_trained(file.of(use.module), use.call)
            for use in flow.calls
            if group.role(use) is not None
        )
    trains = any(attribute.attr == "train" for _, attribute in flow.attributes)
    return trains or flow.escapes is not None or bool(flow.calls)


def _spelled(file: File, node: ast.AST) -> str:
    """The call or function that gets a run config, as the user writes it, for a message."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return f"the callers of {node.name}()"
    return file.brief(node.func if isinstance(node, ast.Call) else node)


def takes_what_it_shows(site: CallSite) -> bool:
    """Whether all positional arguments of a call are visible, so that each can be named."""
    starred = any(isinstance(item, ast.Starred) for item in site.node.args)
    return not starred and not site.args.surplus and is_direct(site.file, site.node.func)


def shows_all(site: CallSite) -> bool:
    """Whether all arguments of a call are visible, so that one can be added."""
    return not site.args.starred and takes_what_it_shows(site)


def is_estimator_class(file: File, cls: Class) -> bool:
    """Whether a class of the project derives from TensorFlow's Estimator."""
    return any(types.is_a(base, ESTIMATOR) for base in file.resolver.external_bases(cls))


def has_npu_session(file: File, call: ast.Call) -> bool:
    """Whether a run config is made with a session config for the NPU."""
    given = Arguments.bind(call, None).value("session_config")
    return given is not None and _npu.is_session_config(file, given)


def brings_session(file: File, config: ast.expr) -> bool:
    """Whether a run config has a session config that remains, or gets one from another rule."""
    for module, call in origins(file.resolver, file.module, config).calls:
        other = file.of(module)
        name = other.name(call.func)
        if name == "npu.npu_run_config_init" or name in TPU_RUN_CONFIGS:
            return True
        if name == RUN_CONFIG and not plan_config(other, call).native and _is_ready(other, call):
            return True
    return False


def _all_ready(file: File, found: Origins) -> bool:
    """Whether every run config it may come from has the NPU's session config, or is given it."""
    if found.unknown or found.nothing or not found.calls:
        return False
    return all(_is_ready(file.of(module), call) for module, call in found.calls)


def _is_ready(file: File, call: ast.Call) -> bool:
    name = file.name(call.func)
    if name in ("npu.npu_run_config_init", *TPU_RUN_CONFIGS):
        return True
    if name != RUN_CONFIG:
        return False
    if has_npu_session(file, call):
        return True
    if file.facts.has_options_module and shows_all(CallSite(file, call, RUN_CONFIG)):
        return True
    return bool(plan_config(file, call).foreign)
