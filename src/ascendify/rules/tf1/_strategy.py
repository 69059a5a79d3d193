"""tf.distribute strategies: find all uses of one, and rewrite them without it.

A strategy can be removed only as a whole: its construction, its scopes and its other uses, in all
files it reaches. A use that no edit is known for stops the removal.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from ascendify.rules.kit import Arguments, CallSite, File, Fix
from ascendify.rules.tensorflow.passing import origins, uses
from ascendify.rules.tf1 import _npu
from ascendify.source.edits import conflict
from ascendify.source.flow import backward
from ascendify.source.flow.forward import reads
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import FUNCTIONS, assigned_name
from ascendify.source.scopes import ancestors, parent

_SPACES = ("tf.distribute", "tf.distribute.experimental", "tf.contrib.distribute",
           "tf.compat.v2.distribute", "tf.compat.v2.distribute.experimental")  # fmt: skip
_CLASSES = ("MirroredStrategy", "MultiWorkerMirroredStrategy", "CollectiveAllReduceStrategy",
            "CentralStorageStrategy", "OneDeviceStrategy")  # fmt: skip
STRATEGIES = frozenset(f"{space}.{cls}" for space in _SPACES for cls in _CLASSES)
"""Strategies that are replaced by one process per device."""
PARAMETER_SERVERS = (
    "tf.distribute.experimental.ParameterServerStrategy",
    "tf.contrib.distribute.ParameterServerStrategy",
)
_HARMLESS_CALLS = frozenset(
    {
        "tf.estimator.RunConfig",
        "tf.estimator.tpu.RunConfig",
        "tf.contrib.tpu.RunConfig",
        "tf.contrib.distribute.DistributeConfig",
        "npu.NPURunConfig",
    }
)
"""Calls that take a strategy and work without one."""
_COMPILE = "tf.keras.Model.compile"
USES = frozenset(
    {
        "scope", "num_replicas_in_sync", "experimental_distribute_dataset", "experimental_run_v2",
        "reduce",
    }
)  # fmt: skip
"""Members of a strategy whose uses can be rewritten."""
_REDUCTIONS = {
    "tf.distribute.ReduceOp.SUM": "sum",
    "tf.distribute.ReduceOp.MEAN": "mean",
    "SUM": "sum",
    "MEAN": "mean",
}


@dataclass
class StrategyPlan:
    """Strategies that share uses, and whether all of them can be removed."""

    made: list[tuple[Module, ast.Call]] = field(default_factory=list)
    attributes: list[tuple[Module, ast.Attribute]] = field(default_factory=list)
    compiled: list[tuple[Module, ast.Call]] = field(default_factory=list)
    """``model.compile(distribute=strategy)``."""
    trouble: tuple[Module, ast.AST] | None = None
    """The first use that no edit is known for."""

    def stop(self, module: Module, node: ast.AST) -> None:
        """Record a use that stops the removal, if it is the first one."""
        if self.trouble is None:
            self.trouble = (module, node)


def plan(file: File, call: ast.Call) -> StrategyPlan:
    """A strategy made here, all its uses, and the strategies that share a use with it."""
    found = StrategyPlan()
    pending = [(file.module, call)]
    while pending:
        module, made = pending.pop()
        if any(made is other for _, other in found.made):
            continue
        found.made.append((module, made))
        flow = uses(file.resolver, module, made)
        if flow.escapes is not None:
            found.stop(*flow.escapes)
        for use in flow.calls:
            _take_call(file.resolver, found, use.module, use.call)
        for where, attribute in flow.attributes:
            if any(attribute is other for _, other in found.attributes):
                continue
            found.attributes.append((where, attribute))
            sources = origins(file.resolver, where, attribute.value)
            pending.extend(sources.calls)
            if sources.unknown or _edit(file.of(where), attribute) is None:
                found.stop(where, attribute)
    for module, made in found.made:
        names, _ = file.resolver.names(module, made.func)
        if not names or not STRATEGIES.issuperset(names):
            found.stop(module, made)
    return found


def _take_call(resolver: Resolver, found: StrategyPlan, module: Module, call: ast.Call) -> None:
    names, _ = resolver.names(module, call.func)
    if names and _HARMLESS_CALLS.issuperset(names):
        return
    if names == (_COMPILE,) and any(item.arg == "distribute" for item in call.keywords):
        found.compiled.append((module, call))
    else:
        found.stop(module, call)


# --- edits ------------------------------------------------------------------------------------

_Edit = Callable[[File, Fix], None]


def remove(file: File, found: StrategyPlan) -> list[tuple[ast.Attribute | None, Fix]]:
    """Fixes that remove the strategies of a plan from one file, to be applied one after another.

    Uses inside a scope come first, with the first of them: the scope is replaced as a whole.
    """
    here = [attribute for module, attribute in found.attributes if module is file.module]
    scopes = {id(_with(attribute)) for attribute in here if attribute.attr == "scope"}
    inside = [
        attribute
        for attribute in here
        if attribute.attr != "scope" and any(id(node) in scopes for node in ancestors(attribute))
    ]
    fixes: list[tuple[ast.Attribute | None, Fix]] = []
    if inside:
        fixes.append((inside[0], file.fix()))
    last = file.fix()
    fixes.append((None, last))
    for attribute in here:
        edit = _edit(file, attribute)
        if edit is not None:
            edit(file, fixes[0][1] if attribute in inside else last)
    _drop_all(file, last, found)
    return [] if any(conflict(fix.edits) is not None for _, fix in fixes) else fixes


def _with(attribute: ast.Attribute) -> ast.AST:
    """The with statement whose context a ``strategy.scope()`` is."""
    return parent(parent(parent(attribute)))


def _drop_all(file: File, fix: Fix, found: StrategyPlan) -> None:
    for module, call in found.compiled:
        if module is file.module:
            arguments = CallSite(file, call, _COMPILE).args
            fix.remove_argument(call, arguments.by_name["distribute"])
    for module, call in found.made:
        target = assigned_name(call)
        # the edit of ``Strategy().scope()`` removes the construction with the use
        if module is not file.module or any(item.value is call for _, item in found.attributes):
            continue
        if target is not None and not _is_read(file, found, target):
            fix.remove_statement(call)
        else:
            fix.replace(call, "None")


def _is_read(file: File, found: StrategyPlan, target: ast.Name) -> bool:
    """Whether a variable is read anywhere but in uses that are removed."""
    if len(backward.bindings(target)) != 1:
        return True
    gone = {id(attribute.value) for module, attribute in found.attributes if module is file.module}
    gone.update(
        id(item.value)
        for module, call in found.compiled
        if module is file.module
        for item in call.keywords
        if item.arg == "distribute"
    )
    if any(module is not file.module for module, _ in found.attributes):
        return True
    return any(id(node) not in gone for node in reads(target))


def _edit(file: File, attribute: ast.Attribute) -> _Edit | None:
    """The edit that rewrites one use of a strategy, None when none is known."""
    if attribute.attr == "scope":
        return _unwrapped(attribute)
    if attribute.attr == "num_replicas_in_sync":
        return _counted(attribute)
    call = parent(attribute)
    if not isinstance(call, ast.Call) or call.func is not attribute:
        return None
    name = f"tf.distribute.Strategy.{attribute.attr}"
    arguments = CallSite(file, call, name).args
    if arguments.starred or arguments.surplus:
        return None
    if attribute.attr == "experimental_distribute_dataset":
        return _sharded(call, arguments)
    if attribute.attr == "experimental_run_v2":
        return _called(call, arguments)
    if attribute.attr == "reduce":
        return _reduced(file, call, arguments)
    return None


def _unwrapped(attribute: ast.Attribute) -> _Edit | None:
    call = parent(attribute)
    item = parent(call)
    node = parent(item)
    if (
        not isinstance(call, ast.Call)
        or call.args
        or call.keywords
        or not isinstance(item, ast.withitem)
        or item.optional_vars is not None
        or not isinstance(node, ast.With)
        or len(node.items) != 1
    ):
        return None
    return lambda file, fix: fix.unwrap_with(node)


def _counted(attribute: ast.Attribute) -> _Edit | None:
    target: ast.expr = attribute
    around = parent(attribute)
    spelled = ast.dump(attribute.value)
    if isinstance(around, ast.IfExp) and around.body is attribute and _tests(around.test, spelled):
        target = around  # ``s.num_replicas_in_sync if s else 1``
    for ancestor in ancestors(target):
        if isinstance(ancestor, (ast.If, ast.IfExp)) and _tests(ancestor.test, spelled):
            return None  # never reached once there is no strategy
        if isinstance(ancestor, FUNCTIONS):
            break
    return lambda file, fix: fix.replace(
        target, "1" if file.facts.distributed == "none" else _npu.rank_size(file, fix)
    )


def _tests(test: ast.expr, spelled: str) -> bool:
    return any(
        isinstance(node, (ast.Name, ast.Attribute)) and ast.dump(node) == spelled
        for node in ast.walk(test)
    )


def _sharded(call: ast.Call, arguments: Arguments) -> _Edit | None:
    dataset = arguments.value("dataset")
    if dataset is None:
        return None

    def edit(file: File, fix: Fix) -> None:
        text = fix.operand(dataset)
        if file.facts.distributed != "none":
            text += f".shard({_npu.rank_size(file, fix)}, {_npu.rank_id(file, fix)})"
        fix.replace(call, text)

    return edit


def _called(call: ast.Call, arguments: Arguments) -> _Edit | None:
    function, given = arguments.value("fn"), arguments.value("args")
    if function is None or arguments.value("kwargs") is not None:
        return None
    if given is not None and not isinstance(given, ast.Tuple):
        return None
    items = given.elts if isinstance(given, ast.Tuple) else []
    return lambda file, fix: fix.replace(
        call, f"{fix.operand(function)}({', '.join(fix.text(item) for item in items)})"
    )


def _reduced(file: File, call: ast.Call, arguments: Arguments) -> _Edit | None:
    operation, value, axis = (arguments.value(name) for name in ("reduce_op", "value", "axis"))
    if operation is None or value is None:
        return None
    if axis is not None and file.literal(axis) != (None,):
        return None
    named = file.name(operation) or next(iter(file.literal(operation) or ()), None)
    reduction = _REDUCTIONS.get(str(named))
    if reduction is None:
        return None

    def edit(file: File, fix: Fix) -> None:
        if file.facts.distributed == "none":
            fix.replace(call, fix.operand(value))
            return
        function = fix.use("npu_bridge.npu_init", "npu_allreduce")
        fix.replace(call, f'{function}({fix.text(value)}, reduction="{reduction}")')

    return edit
