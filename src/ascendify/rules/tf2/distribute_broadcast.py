"""Start values: every rank begins with the variables of rank 0."""

from __future__ import annotations

import ast

from ascendify.rules.kit import (
    CallSite,
    Diagnoses,
    Diagnosis,
    Effort,
    File,
    Rule,
    Status,
    gradients,
)
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf2 import _broadcast, _first_step, _models, _program, _ranks, _steps
from ascendify.rules.tf2._steps import StepLoop
from ascendify.source.flow import backward
from ascendify.source.module import Module
from ascendify.source.nodes import (
    FUNCTIONS,
    LOOPS,
    block_of,
    class_around,
    function_around,
    is_literal,
    last_name,
    position,
    root_name,
)
from ascendify.source.scopes import ancestors, scope_of, statement

RULE = Rule(
    code="TF2-DIST-5",
    title="Start every process from the variables of rank 0",
    why=(
        "Every process makes its own variables. Devices that start from different weights reduce "
        "gradients of different models. The vendor's callback for it never sends anything."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    foretells=("EMU-HCCL-5",),
    before="model.fit(dataset, epochs=3)",
    after=(
        "npu_device.distribute.broadcast(model.variables, root_rank=0)\n"
        "model.fit(dataset, epochs=3)"
    ),
    safety=(
        "It stands behind everything that builds and restores the model, and before its first "
        "step. With one rank it does nothing. Where a step of a loop of its own makes the "
        "variables, the step is traced, or the model called once without training, right before "
        "the first one. fit() gets a callback, which sends what its first step makes behind it."
    ),
)

_ENDS = frozenset({"gradient", "jacobian", "batch_jacobian"})


@RULE.call("tf2.keras.Model.fit", "tf2.keras.Model.fit_generator")
@outside_tests
def before_fit(site: CallSite) -> Diagnoses:
    """Broadcast before ``fit()``, or by a callback where variables may not exist by then."""
    file, model = site.file, site.receiver
    if not _ranks.is_strategy_run(file) or model is None or site.args.starred:
        return
    if _is_super(model) or _broadcast.broadcasts(file, model):
        return
    if any(item.node is not site.node for item in _earlier_fits(site)):
        return  # the first fit() of the model
    found = f"{site.callee} starts from the variables of one process"
    at = _outermost(site.node)
    if _is_plain(model) and _models.is_built(file, model, at) and _is_bound_before(model, at):
        fix = site.fix()
        line = f"{_ranks.function(fix, 'broadcast')}({file.text(model)}.variables, root_rank=0)"
        fix.insert_before(at, line)
        done = f"Broadcast the variables of rank 0 before line {at.lineno}."
        yield RULE.auto(site, found, done=done, fix=fix)
        return
    yield _by_callback(site, found)


def _by_callback(site: CallSite, found: str) -> Diagnosis:
    fix = site.fix()
    made = f"{_broadcast.callback(fix, site.node)}()"
    given = site.args.get("callbacks")
    if given is None:
        fix.add_argument(site.node, f"callbacks=[{made}]")
    elif is_literal(given.value, None):
        fix.replace(given.value, f"[{made}]")
    elif isinstance(given.value, ast.List):
        start = site.file.module.start(given.value) + 1
        comma = ", " if given.value.elts else ""
        fix.replace_range(start, start, f"{made}{comma}")
    else:
        fix.wrap(given.value, f"[{made}, *(", " or [])]")
    return RULE.auto_check(
        site,
        found,
        done="Added a callback that broadcasts the variables of rank 0 as soon as they exist.",
        todo=(
            "A model that is built by its first step is sent behind that step. To start equal, "
            "build it before: model.build(input_shape), or call it once."
        ),
        fix=fix,
    )


def _earlier_fits(site: CallSite) -> list[CallSite]:
    """Calls of ``fit`` on the same model before a given one."""
    model = ast.dump(site.receiver) if site.receiver is not None else ""
    return [
        other
        for other in site.file.calls("tf2.keras.Model.fit")
        if other.receiver is not None
        and ast.dump(other.receiver) == model
        and position(other.node) < position(site.node)
        and function_around(other.node) is function_around(site.node)
    ]


@RULE.call("tf2.GradientTape.gradient")
@outside_tests
def before_loop(site: CallSite) -> Diagnoses:
    """Broadcast before the loop that runs a step with a tape."""
    file = site.file
    if not _ranks.is_strategy_run(file):
        return
    if not _is_applied(file, site.node):
        return
    sources = site.args.value("sources")
    models = [] if sources is None else _models.of_sources(sources)
    if sources is not None and not models:
        yield from _of_variables(site, sources)
    for model in models:
        if ast.unparse(model) == "self" and not _fits_itself(site.node):
            continue  # a Keras model with its own training step, which fit() runs
        if not _broadcast.broadcasts(file, model) and _is_first(site, model):
            yield from _in_loop(site, model)


def _is_applied(file: File, node: ast.Call) -> bool:
    """Whether gradients are applied, by the function that computes them or by one that calls it."""
    block = function_around(node) or file.module.tree
    if gradients.applied(node, block, _ENDS) is not None:
        return True
    return _steps.applied_by_callers(file, node, _ENDS) is not None


def _fits_itself(step: ast.AST) -> bool:
    """Whether the class around a step has a fit() of its own, in the place of that of Keras."""
    cls = class_around(step)
    body = [] if cls is None else cls.body
    return any(isinstance(item, ast.FunctionDef) and item.name == "fit" for item in body)


def _of_variables(site: CallSite, sources: ast.expr) -> Diagnoses:
    """Broadcast variables that the program makes itself and trains without a model."""
    file = site.file
    text = file.text(sources)
    whole = _at_module_level(sources)
    known = {ast.unparse(item) for item in (sources, whole) if item is not None}
    for _, call in _program.calls(file, *_broadcast.FUNCTIONS):
        if call.args and ast.unparse(call.args[0]) in known:
            return
    found = f"{file.brief(sources)} starts from the variables of one process"
    loop = _steps.training_loop(file, file.module, site.node)
    if loop is not None and loop.module is file.module and whole is not None:
        at = loop.statement
        if all(_is_bound_for(name, at) for name in _names(whole)):
            fix = site.fix()
            given = file.text(whole)
            line = f"{_ranks.function(fix, 'broadcast')}({given}, root_rank=0)"
            fix.insert_before(at, line)
            done = f"Broadcast the variables of rank 0 before the loop on line {at.lineno}."
            yield RULE.auto(site, found, done=done, fix=fix)
            return
    yield RULE.manual(
        site,
        found,
        todo=(
            f"Call npu_device.distribute.broadcast({text}, root_rank=0) once, when these "
            "variables are made and restored, and before the loop that trains them."
        ),
    )


def _at_module_level(sources: ast.expr) -> ast.expr | None:
    """The expression for some variables, of names that the whole file has; else None.

    None for those of a model as well: it may not be built yet.
    """
    whole = sources
    if isinstance(sources, ast.Name) and scope_of(sources).find(sources.id) is not None:
        values = [item.value for item in backward.bindings(sources)]
        inner = scope_of(sources).find(sources.id)
        if inner is not None and inner.kind != "module":
            if len(values) != 1 or values[0] is None:
                return None
            whole = values[0]
    if any(
        isinstance(item, ast.Attribute) and item.attr in _models.VARIABLES
        for item in ast.walk(whole)
    ):
        return None
    names = _names(whole)
    scopes = [(name, scope_of(name).find(name.id)) for name in names]
    is_global = all(scope is None or scope.kind == "module" for _, scope in scopes)
    return whole if names and is_global else None


def _names(node: ast.expr) -> list[ast.Name]:
    return [item for item in ast.walk(node) if isinstance(item, ast.Name)]


def _is_bound_for(name: ast.Name, place: ast.stmt) -> bool:
    """Whether a name of the whole file has its value when a statement runs."""
    if scope_of(name).find(name.id) is None or scope_of(place).kind != "module":
        return True
    return all(position(item.node) < position(place) for item in backward.bindings(name))


def _is_first(site: CallSite, model: ast.expr) -> bool:
    """Whether no earlier tape of the same loop computes gradients for the same model."""
    file, text = site.file, ast.dump(model)
    loop: StepLoop | None = None
    for other in file.calls("tf2.GradientTape.gradient"):
        if other.node is site.node:
            return True
        sources = other.args.value("sources")
        known = [] if sources is None else _models.of_sources(sources)
        if not any(ast.dump(item) == text for item in known):
            continue
        if _is_applied(file, other.node):
            loop = loop or _steps.training_loop(file, file.module, site.node)
            earlier = _steps.training_loop(file, file.module, other.node)
            if loop is None or earlier is None or earlier.statement is loop.statement:
                return False
    return True


def _in_loop(site: CallSite, model: ast.expr) -> Diagnoses:
    file = site.file
    shown = file.brief(model)
    found = f"{shown} starts from the variables of one process"
    loop = _steps.training_loop(file, file.module, site.node)
    known = None if loop is None else _seen_from(file, model, loop.module, loop.statement)
    line = f"npu_device.distribute.broadcast({shown}.variables, root_rank=0)"
    if loop is None or known is None or loop.module is not file.module:
        where = "" if loop is None else f" (line {loop.statement.lineno} of {loop.module.path})"
        yield RULE.manual(
            site,
            found,
            todo=(
                f"Call {line} once, when the model is built and restored, and before the loop "
                f"that trains it{where}."
            ),
        )
        return
    at = loop.statement
    if _broadcast.broadcasts(file, known):
        return
    if not _models.is_built(file, known, at):
        yield _in_first_step(site, found, known, loop)
        return
    fix = site.fix()
    text = f"{_ranks.function(fix, 'broadcast')}({file.text(known)}.variables, root_rank=0)"
    fix.insert_before(at, text)
    done = f"Broadcast the variables of rank 0 before the loop on line {at.lineno}."
    yield RULE.auto(site, found, done=done, fix=fix)


def _beside(applied: ast.Call | None, step: ast.stmt) -> ast.stmt | None:
    """The statement that applies gradients, if it is in the same block as their computation."""
    found = None if applied is None else statement(applied)
    return found if found is not None and found in block_of(step) else None


def _in_first_step(site: CallSite, found: str, model: ast.expr, loop: StepLoop) -> Diagnosis:
    """Broadcast a model whose variables may not be there before its first step."""
    file, at = site.file, loop.statement
    found = f"{found}, and may have none before its first step"
    applied = gradients.applied(site.node, function_around(site.node) or file.module.tree, _ENDS)
    step = loop.step if loop.step is not statement(site.node) else _beside(applied, loop.step)
    steps = [] if step is None else [step, *loop.others]
    made = _made_before(site, found, model, loop)
    if made is not None:
        return made
    if steps and not any(isinstance(item, ast.Return) for item in steps):
        return _behind_first_step(site, found, model, at, steps)
    shown = file.brief(model)
    return RULE.manual(
        site,
        found,
        todo=(
            f"Build it before line {at.lineno}, with {shown}.build(input_shape) or by calling "
            f"it once on a batch, and then call npu_device.distribute.broadcast({shown}.variables, "
            "root_rank=0). A model that is not built has nothing to broadcast, without any message."
        ),
    )


def _made_before(site: CallSite, found: str, model: ast.expr, loop: StepLoop) -> Diagnosis | None:
    """Make the variables right before the first step, without training, and broadcast them."""
    file, fix = site.file, site.fix()
    flag, unit = fix.fresh(f"npu_{last_name(model)}_is_broadcast"), fix.indent_unit
    steps = [] if loop.step is None else [loop.step, *loop.others]
    lines = [(step, _first_step.trace(file, fix, step)) for step in steps]
    how = "traced, which makes all of its variables"
    if not lines or any(line is None for _, line in lines):
        called = _first_step.forward(file, site.node, loop, model)
        if called is None:
            return None
        fix = site.fix()
        lines, how = [(called[1], called[0])], "called once, without training"
    fix.insert_before(loop.statement, f"{flag} = False")
    call = f"{_ranks.function(fix, 'broadcast')}({file.text(model)}.variables, root_rank=0)"
    for step, line in lines:
        made = f"if not {flag}:\n{unit}{line}\n{unit}{call}\n{unit}{flag} = True"
        fix.insert_before(step, made)
    at = " or ".join(str(line) for line in sorted(step.lineno for step, _ in lines))
    what = "The step" if how.startswith("traced") else "The model"
    done = f"{what} on line {at} is {how}, and the variables of rank 0 are broadcast before it."
    return RULE.auto(site, found, done=done, fix=fix)


def _behind_first_step(
    site: CallSite, found: str, model: ast.expr, loop: ast.stmt, steps: list[ast.stmt]
) -> Diagnosis:
    """Broadcast when the first step has made the variables: that step is not what it should be."""
    fix = site.fix()
    flag, unit = fix.fresh(f"npu_{last_name(model)}_is_broadcast"), fix.indent_unit
    fix.insert_before(loop, f"{flag} = False")
    call = f"{_ranks.function(fix, 'broadcast')}({site.file.text(model)}.variables, root_rank=0)"
    for step in steps:
        fix.insert_after(step, f"if not {flag}:\n{unit}{call}\n{unit}{flag} = True")
    lines = " or ".join(str(line) for line in sorted(step.lineno for step in steps))
    return RULE.finding(
        Status.MANUAL,
        site,
        found,
        effort=Effort.MINUTES,
        done=f"Broadcast the variables of rank 0 behind the first step, on line {lines}.",
        todo=(
            "The first step runs on the variables of each rank, so its gradients are not those of "
            f"one device. To start equal, build the model before line {loop.lineno}, with "
            "build(input_shape) or by calling it once, and broadcast it there."
        ),
        fix=fix,
    )


def _seen_from(
    file: File, model: ast.expr, module: Module, place: ast.stmt, depth: int = 4
) -> ast.expr | None:
    """An expression for the model at a loop; None if there is none for certain."""
    root = root_name(model)
    if root is None or module is not file.module or depth == 0:
        return None
    if root.id == "self":
        return model if class_around(place) is class_around(root) else None
    scope = scope_of(root).find(root.id)
    bindings = backward.bindings(root)
    if scope is None or not bindings:
        return None
    argument = bindings[0].node
    if len(bindings) == 1 and isinstance(argument, ast.arg) and isinstance(model, ast.Name):
        if function_around(place) is function_around(argument):
            return model
        given = list(backward.passed(file.resolver, file.module, argument))
        if len(given) != 1 or given[0][1] is None or given[0][0] is not file.module:
            return None
        return _seen_from(file, given[0][1], module, place, depth - 1)
    if scope_of(place).find(root.id) is not scope:
        return None
    return model if _is_bound_before(model, place) else None


def _is_bound_before(model: ast.expr, place: ast.stmt) -> bool:
    """Whether a model's variable is assigned before a statement of the same function."""
    root = root_name(model)
    if root is None:
        return False
    scope = scope_of(root).find(root.id)
    if root.id == "self" or scope is not scope_of(place):
        return True
    return all(
        isinstance(item.node, ast.arg) or position(item.node) < position(place)
        for item in backward.bindings(root)
    )


def _is_plain(model: ast.expr) -> bool:
    """Whether an expression is ``model`` or ``self.model``, which can be repeated."""
    return root_name(model) is not None


def _is_super(model: ast.expr) -> bool:
    return isinstance(model, ast.Call)


def _outermost(node: ast.AST) -> ast.stmt:
    """The outermost loop around a call in its function, or else its own statement."""
    found = statement(node)
    for item in ancestors(node):
        if isinstance(item, FUNCTIONS):
            break
        if isinstance(item, LOOPS):
            found = item
    return found
