"""Keras optimizers: wrap each once, so that it reduces gradients over the ranks."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.kit.tests import in_test, outside_tests
from ascendify.rules.tensorflow.passing import origins, uses
from ascendify.rules.tf2 import _optimizers, _ranks
from ascendify.source.module import Module
from ascendify.source.nodes import is_literal, keyword_value
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-DIST-2",
    title="Wrap the optimizers that Keras trains with",
    why=(
        "One process trains on each device, and fit() of each applies the gradients of its own "
        "samples. The wrapper of npu_device reduces them over the ranks first; without it every "
        "device trains a model of its own, and nothing says so."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    foretells=("EMU-HCCL-3",),
    before="model.compile(optimizer='adam', loss='mse')",
    after=(
        "model.compile(optimizer=npu_device.distribute.npu_distributed_keras_optimizer_wrapper("
        "'adam'), loss='mse')"
    ),
    safety=(
        "The wrapper changes the object that it is given and returns it; with one rank it reduces "
        "nothing. Copies made with from_config() and models that load_model() compiles have "
        "optimizers without it."
    ),
)

_COMPILE = "tf2.keras.Model.compile"
_DEFAULT = "'rmsprop'"
_OWN = (
    "Wrap it where compile() is given it, with "
    "npu_device.distribute.npu_distributed_keras_optimizer_wrapper(). The wrapper replaces "
    "apply_gradients() and reads get_gradients() and _compute_gradients() of the optimizer: check "
    "that its class has all three."
)


@RULE.call(_COMPILE)
@outside_tests
def wrap_in_compile(site: CallSite) -> Diagnoses:
    """Wrap the optimizer of ``compile()``: a name, an object made here, or one made elsewhere."""
    file = site.file
    if not _ranks.is_strategy_run(file):
        return
    found = f"{site.callee} trains with the gradients of one device"
    given = site.args.get("optimizer")
    if given is None:
        if site.args.starred:
            yield RULE.manual(site, found, todo=f"Where its arguments are made: {_OWN}")
            return
        fix = site.fix()
        fix.add_argument(site.node, f"optimizer={_ranks.function(fix, _ranks.WRAPPER)}({_DEFAULT})")
        done = f"Wrapped the optimizer that Keras takes without one, {_DEFAULT}."
        yield RULE.auto(site, found, done=done, fix=fix)
        return
    if is_literal(given.value, None) or _optimizers.is_reducing(file, given.value):
        return
    yield from _wrapped(file, given.value, site, found)


def _wrapped(file: File, node: ast.expr, site: CallSite, found: str) -> Diagnoses:
    """Wrap an expression, or the optimizer inside a loss-scaling one."""
    made = origins(file.resolver, file.module, node)
    if any(_is_for_minimize(file, module, call) for module, call in made.calls):
        return  # wrapped where it is made
    inner = _inside_loss_scale(file, node)
    if inner is None and _is_loss_scale_elsewhere(file, made.calls):
        yield RULE.manual(
            site,
            f"{found}, and its loss-scaling optimizer is made in another place",
            todo=(
                "Wrap the optimizer that it is given: LossScaleOptimizer(npu_device.distribute."
                f"{_ranks.WRAPPER}(optimizer))."
            ),
        )
        return
    if any(_optimizers.is_custom(file, module, call) for module, call in made.calls):
        yield RULE.manual(site, f"{found}, by an optimizer of another class", todo=_OWN)
        return
    target = node if inner is None else inner
    if inner is not None and _optimizers.is_reducing(file, inner):
        return
    fix = file.fix()
    fix.wrap(target, f"{_ranks.function(fix, _ranks.WRAPPER)}(")
    known = file.literal(node) is not None or (made.calls and not made.unknown)
    todo = (
        "" if known else f"Where {file.brief(target)} is an optimizer of a class of its own: {_OWN}"
    )
    done = f"Wrapped {file.brief(target)} in {_ranks.WRAPPER}()."
    yield RULE.fixed(file.at(target), found, done=done, todo=todo, fix=fix)


def _inside_loss_scale(file: File, node: ast.expr) -> ast.expr | None:
    """The optimizer inside a loss-scaling one, if this file makes it."""
    made = origins(file.resolver, file.module, node).calls
    if len(made) != 1 or made[0][0] is not file.module:
        return None
    return _optimizers.wrapped_by(file, made[0][1])


def _is_loss_scale_elsewhere(file: File, made: list[tuple[Module, ast.Call]]) -> bool:
    return any(_optimizers.wrapped_by(file.of(module), call) is not None for module, call in made)


@RULE.guess("compile")
@outside_tests
def report_possible(site: CallSite) -> Diagnoses:
    """``x.compile(optimizer=...)`` of an object nothing is known of."""
    given = keyword_value(site.node, "optimizer")
    if given is None or not _ranks.is_strategy_run(site.file):
        return
    if _optimizers.is_reducing(site.file, given):
        return
    yield RULE.manual(
        site,
        f"{site.callee} may train with the gradients of one device",
        todo=(
            "If it is a model of Keras, wrap its optimizer: npu_device.distribute."
            f"{_ranks.WRAPPER}({site.file.brief(given)})."
        ),
    )


@RULE.file
def wrap_for_minimize(file: File) -> Diagnoses:
    """Wrap optimizers whose ``minimize()`` computes and applies gradients."""
    if not _ranks.is_strategy_run(file):
        return
    for call in file.module.index.calls:
        if not _optimizers.makes(file, call) or in_test(file, call):
            continue
        if not _is_for_minimize(file, file.module, call) or _is_wrapped(file, call):
            continue
        yield _at_construction(file, call)


def _at_construction(file: File, call: ast.Call) -> Diagnosis:
    fix = file.fix()
    fix.wrap(call, f"{_ranks.function(fix, _ranks.WRAPPER)}(")
    shown = file.brief(call.func)
    return RULE.auto(
        file.at(call),
        f"{shown} applies the gradients of one device",
        done=f"Wrapped {shown}(...) in {_ranks.WRAPPER}().",
        fix=fix,
    )


def _is_for_minimize(file: File, module: Module, call: ast.Call) -> bool:
    flow = uses(file.resolver, module, call)
    return any(node.attr == "minimize" for _, node in flow.attributes)


def _is_wrapped(file: File, call: ast.Call) -> bool:
    around = parent(call)
    if isinstance(around, ast.Call) and file.name(around.func) in _ranks.WRAPPERS:
        return True
    return any(
        name in _ranks.WRAPPERS
        for use in uses(file.resolver, file.module, call).calls
        for name in file.resolver.names(use.module, use.call.func)[0]
    )


@RULE.call(f"{_optimizers.BASE}.from_config", "tf2.keras.optimizers.deserialize")
@outside_tests
def report_copies(site: CallSite) -> Diagnoses:
    """A copy of an optimizer has its settings, and no wrapper."""
    if not _ranks.is_strategy_run(site.file) or _is_wrapped(site.file, site.node):
        return
    yield RULE.manual(
        site,
        f"{site.callee} gives an optimizer that reduces no gradients",
        todo=f"Wrap what it gives in npu_device.distribute.{_ranks.WRAPPER}() before training.",
    )


@RULE.call("tf2.keras.models.load_model")
@outside_tests
def report_loaded(site: CallSite) -> Diagnoses:
    """Report a loaded model, which brings its own optimizer unless it is compiled again."""
    file = site.file
    compiled = site.args.value("compile")
    if not _ranks.is_strategy_run(file) or (compiled is not None and is_literal(compiled, False)):
        return
    methods = {node.attr for _, node in uses(file.resolver, file.module, site.node).attributes}
    if "compile" in methods or not methods & {"fit", "train_on_batch"}:
        return
    yield RULE.manual(
        site,
        f"{site.callee} brings an optimizer that reduces no gradients",
        todo=(
            "Wrap it before fit(): model.optimizer = npu_device.distribute."
            f"{_ranks.WRAPPER}(model.optimizer), or compile the model again with a wrapped one."
        ),
    )
