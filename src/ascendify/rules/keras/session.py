"""Keras sessions: set one for the NPU before the first layer is built."""

from __future__ import annotations

import ast

from ascendify.rules.keras import _script_run
from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.statements import lone_call
from ascendify.rules.tf1 import _npu
from ascendify.source.nodes import DEFINITIONS
from ascendify.source.scopes import scope_of
from ascendify.source.values import Function, Member, Ref

RULE = Rule(
    code="TF1-KERAS-1",
    title="Run Keras in a session for the NPU",
    why=(
        "Keras creates its session itself, without the NPU's entry, when the first variable needs "
        "one. The NPU's session must be set before, once per process, and be closed at its end."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="model = tf.keras.Sequential(layers)\nmodel.fit(x, y)",
    after=(
        "npu_keras_sess = set_keras_session_npu_config()\n"
        "atexit.register(npu_keras_sess.close)\n"
        "model = tf.keras.Sequential(layers)\n"
        "model.fit(x, y)"
    ),
    safety=(
        "The close is registered rather than written at the end: tf.app.run() and sys.exit() never "
        "come back."
    ),
)

_NPU_INIT = "npu_bridge.npu_init"


@RULE.file
def set_session(file: File) -> Diagnoses:
    """Insert the session in the script that trains, before the model is built."""
    if not _is_script(file) or not _script_run.may_train(file):
        return
    block = _script_run.main_block(file)
    run = _script_run.follow(file, block)
    if run.own_session or run.estimator:
        return
    if not run.training:
        yield from _guess(file, run)
        return
    place = _place(file, block)
    if place is None:
        return
    fix = file.fix()
    session = fix.fresh("npu_keras_sess")
    config = _npu.config_argument(file, fix)
    make = f"{session} = {fix.use(_NPU_INIT, 'set_keras_session_npu_config')}({config})"
    fix.insert_before(place, f"{make}\n{fix.use('atexit')}.register({session}.close)")
    yield RULE.auto(
        file.at(place),
        f"{_first_training(file, run)} runs in a session that Keras creates, without the NPU entry",
        done=(
            "Set a session for the NPU before the model is built and registered its close for the "
            "end of the process."
        ),
        fix=fix,
    )


@RULE.call("tf.keras.backend.clear_session")
def clear_session(site: CallSite) -> Diagnoses:
    """Clear the session and set a new one for the NPU."""
    if site.node.args or site.node.keywords:
        return
    fix = site.fix()
    function = fix.use(_NPU_INIT, "npu_clear_session")
    fix.replace(site.node, f"{function}({_npu.config_argument(site.file, fix)})")
    yield RULE.auto(
        site,
        f"{site.brief} leaves Keras without the NPU's session",
        done=f"Replaced it by {function}(), which clears and sets a fresh session for the NPU.",
        fix=fix,
    )


def _is_script(file: File) -> bool:
    """A file that is run, a notebook, or a file that trains when it is loaded."""
    if file.is_entry or file.path.endswith(".ipynb"):
        return True
    return any(
        scope_of(call).kind == "module" and file.name(call.func) in _script_run.TRAINING
        for method in _script_run.METHODS
        for call in file.module.index.calls_by_name.get(method, ())
    )


def _place(file: File, block: list[ast.stmt]) -> ast.stmt | None:
    """The first statement that builds something, None where a session was just set by clearing."""
    for node in block:
        if _is_clear(file, node):
            return None
        if isinstance(node, DEFINITIONS):
            continue
        if _script_run.leads_to_keras(file, node):
            if isinstance(node, ast.With) and _makes_graph(file, node):
                return _place(file, node.body)
            return None if _starts_by_clearing(file, node) else node
    return None


def _starts_by_clearing(file: File, node: ast.stmt) -> bool:
    """Whether every function a statement builds with clears the session first."""
    found = False
    for call in (item for item in ast.walk(node) if isinstance(item, ast.Call)):
        for value in file.resolver.infer(file.module, call.func):
            if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
                other = file.of(value.module)
                run = _script_run.follow(other, value.node.body)
                if run.leads_to_keras:
                    found = True
                    if _place(other, value.node.body) is not None:
                        return False
            elif isinstance(value, (Ref, Member)) and _script_run.is_builder(value.name):
                return False
    return found


def _is_clear(file: File, node: ast.stmt) -> bool:
    call = lone_call(node)
    return call is not None and file.name(call.func) in _script_run.CLEARS


def _makes_graph(file: File, node: ast.With) -> bool:
    """Whether a with statement sets the graph that the session must belong to."""
    return any(
        isinstance(item.context_expr, ast.Call)
        and file.name(item.context_expr.func) == "tf.Graph.as_default"
        for item in node.items
    )


def _first_training(file: File, run: _script_run.ScriptRun) -> str:
    module, call = run.training[0]
    spelled = " ".join(module.segment(call.func).split())
    return spelled if module is file.module else f"{spelled} in {module.path}"


def _guess(file: File, run: _script_run.ScriptRun) -> Diagnoses:
    """A possible finding: training on an object of unknown type, in a script that uses Keras."""
    here = [call for module, call in run.guesses if module is file.module]
    if not run.builds or not run.guesses:
        return
    spelled = file.brief(here[0].func) if here else run.guesses[0][0].path
    diagnosis = RULE.manual(
        file.at(here[0] if here else None),
        f"{spelled} may train a Keras model in a session without the NPU entry",
        todo=(
            "If it is a Keras model, call set_keras_session_npu_config() of npu_bridge.npu_init "
            "before the model is built and close the session it returns at the end."
        ),
    )
    yield diagnosis.as_possible()
