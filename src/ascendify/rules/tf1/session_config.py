"""Sessions: create each one with a config that has the NPU's optimizer entry."""

from __future__ import annotations

import ast

from ascendify.catalog import signatures
from ascendify.rules.kit import (
    Argument,
    Arguments,
    CallSite,
    Diagnoses,
    File,
    Rule,
    Site,
    Status,
    names,
)
from ascendify.rules.kit.bindings import bindings
from ascendify.rules.kit.once import is_first
from ascendify.rules.tf1 import _npu
from ascendify.rules.tf1._host_work import is_host_work
from ascendify.source.values import Class

RULE = Rule(
    code="TF1-SESS-1",
    title="Give every session the NPU configuration",
    why=(
        "The NPU is reached through a graph optimizer named NpuOptimizer in the session config. "
        "A session without it trains on the host CPU and says nothing."
    ),
    statuses=(Status.AUTO, Status.MANUAL, Status.INFO),
    before="with tf.Session(config=config) as sess:\n    ...",
    after="with tf.Session(config=npu_config_proto(config_proto=config)) as sess:\n    ...",
    safety=(
        "The config object is changed in place: soft placement on, placement log off, remapping "
        "and XLA off."
    ),
)

_SLIM = "tf.contrib.slim."
"""Functions of slim call the parameter for the config session_config; all others config."""
_CONSTRUCTORS = (
    "tf.Session", "tf.InteractiveSession",
    *(f"tf.train.{name}" for name in (
        "MonitoredTrainingSession", "SingularMonitoredSession", "ChiefSessionCreator",
        "WorkerSessionCreator",
    )),
    *(f"{_SLIM}{name}" for name in (
        "learning.train", "evaluation.evaluate_once", "evaluation.evaluation_loop",
    )),
    *(f"tf.contrib.training.{name}" for name in ("train", "evaluate_once", "evaluate_repeatedly")),
)  # fmt: skip
"""Functions and classes that create a session."""
_METHODS = (
    *(f"tf.train.Supervisor.{name}" for name in (
        "managed_session", "prepare_or_wait_for_session", "PrepareSession",
    )),
    *(f"tf.train.SessionManager.{name}_session" for name in ("prepare", "recover", "wait_for")),
    *(f"tf.test.TestCase.{name}" for name in ("test_session", "session", "cached_session")),
)  # fmt: skip
_SHARED = ("tf.test.TestCase.test_session", "tf.test.TestCase.cached_session")
"""Methods that return one session for a whole test; cached_session refuses a second config."""
_BASES = ("tf.Session", "tf.InteractiveSession")
"""Session classes people derive from."""
_GUESSED = {
    "managed_session": "tf.train.Supervisor.managed_session",
    "prepare_or_wait_for_session": "tf.train.Supervisor.prepare_or_wait_for_session",
}
"""Methods that only a supervisor has."""


@RULE.call(*_CONSTRUCTORS, *_METHODS)
def wrap_config(site: CallSite) -> Diagnoses:
    """Wrap the config that is given, or add one."""
    if site.name in _CONSTRUCTORS and _is_partial(site.file, site.node.func):
        # the arguments of a partial are not visible here; its config is wrapped where it is made
        given = site.args.get(_parameter(site.name))
        if given is None or given.keyword is None:
            return
    yield from _configured(site, site.args, _parameter(site.name))


@RULE.call("tf.train.MonitoredSession")
def give_creator(site: CallSite) -> Diagnoses:
    """``MonitoredSession()`` makes its own creator of sessions, without a config."""
    file, given = site.file, site.args.get("session_creator")
    made = given is not None and file.literal(given.value) != (None,)
    if made or site.args.starred or is_host_work(file):
        return
    fix = site.fix()
    function, _ = _npu.session_config(file, fix)
    creator = f"{names.tensorflow(fix, site.node)}.train.ChiefSessionCreator(config={function}())"
    if given is None:
        fix.add_argument(site.node, f"session_creator={creator}")
    else:
        fix.replace(given.value, creator)
    yield RULE.auto(
        site,
        f"{site.callee} creates a session without the NPU configuration",
        done="Gave it the creator that it would make, with the configuration.",
        fix=fix,
    )


@RULE.guess(*_GUESSED)
def may_create_session(site: CallSite) -> Diagnoses:
    """A method that only a supervisor has, on an object of unknown type."""
    arguments = Arguments.bind(site.node, signatures.signature(_GUESSED[site.name]))
    yield from _configured(site, arguments, "config")


@RULE.call(*(f"{base}.__init__" for base in _BASES))
def wrap_super(site: CallSite) -> Diagnoses:
    """``super().__init__(...)`` in a session class, or ``tf.Session.__init__(self, ...)``."""
    base = site.name.rpartition(".")[0]
    owner = site.node.func.value
    explicit = 0 if isinstance(owner, ast.Call) else 1
    yield from _configured(site, Arguments.bind(site.node, signatures.signature(base), explicit))


@RULE.reference(*_CONSTRUCTORS)
def wrap_elsewhere(site: Site) -> Diagnoses:
    """``functools.partial(tf.Session, ...)``, and classes derived from a session."""
    around = site.parent
    if isinstance(around, ast.ClassDef) and site.name in _BASES:
        yield from _created(site, around)
    elif (
        isinstance(around, ast.Call)
        and around.args[:1] == [site.node]
        and site.file.name(around.func) == "functools.partial"
    ):
        arguments = Arguments.bind(around, signatures.signature(site.name), skip=1)
        partial = CallSite(site.file, around, site.name, site.certain)
        yield from _configured(partial, arguments, _parameter(site.name))


def _parameter(name: str) -> str:
    return "session_config" if name.startswith(_SLIM) else "config"


def _created(site: Site, cls: ast.ClassDef) -> Diagnoses:
    """Objects of a session class without its own constructor, created in the same file."""
    if any(isinstance(item, ast.FunctionDef) and item.name == "__init__" for item in cls.body):
        return
    file = site.file
    for call in file.module.index.calls_by_name.get(cls.name, ()):
        values = file.resolver.infer(file.module, call.func)
        if values == (Class(file.module, cls),):
            made = CallSite(file, call, site.name, site.certain)
            yield from _configured(made, made.args)


def _configured(site: CallSite, arguments: Arguments, parameter: str = "config") -> Diagnoses:
    file = site.file
    given = arguments.get(parameter)
    if given is not None and _is_ready(file, given.value):
        return
    called = site.callee
    if given is None and arguments.starred:
        yield RULE.manual(
            site,
            f"{called} may get its {parameter} from * or ** arguments",
            todo=(
                f"Find where the {parameter} is made and wrap it there: "
                f"npu_config_proto(config_proto=<{parameter}>). Where none is passed, add "
                f"{parameter}=npu_config_proto()."
            ),
        )
        return
    if is_host_work(file):
        yield RULE.info(
            site, f"{called} runs on the host: the file only reads, decodes and writes data"
        )
        return
    if given is None and _is_shared(site):
        if not is_first(site, *_SHARED):
            return
        yield RULE.info(
            site,
            f"{called} shares one session in a test, and the session takes one config object only",
            todo=(
                "To run the test on the NPU, make one config in setUp, self.config = "
                "npu_config_proto(), and give config=self.config to every call in it."
            ),
        )
        return
    fix = site.fix()
    done = _npu.set_session_config(
        file, fix, given, parameter, lambda text: fix.add_argument(site.node, text)
    )
    if done.startswith("Wrapped") and not _is_known(file, given):
        done += " It takes a tf.ConfigProto or None; anything else it replaces by an empty config."
    found = f"{called} creates a session without the NPU entry"
    yield RULE.auto(site, found, done=done, fix=fix)


def _is_shared(site: CallSite) -> bool:
    """Whether calls of a test may get the same session, which needs the same config each time."""
    cached = "cached_session" in site.file.module.index.calls_by_name
    return site.name in _SHARED and cached


def _is_ready(file: File, config: ast.expr) -> bool:
    """Whether a config is one for the NPU already, with the options that were requested."""
    if file.facts.has_options_module:
        return _npu.has_options(file, config)
    return _npu.is_session_config(file, config)


def _is_known(file: File, given: Argument | None) -> bool:
    """Whether a config surely is a tf.ConfigProto, or the function that takes it does not care."""
    known = given is None or file.is_a(given.value, "tf.ConfigProto")
    return bool(known or file.facts.has_options_module)


def _is_partial(file: File, func: ast.expr) -> bool:
    """Whether a callable may be a ``functools.partial``, which holds arguments of its own."""
    return isinstance(func, ast.Call) or any(
        binding.kind == "param" or isinstance(binding.value, ast.Call)
        for _, binding in bindings(file.resolver, file.module, func)
    )
