"""Names of Horovod that rules match, and which uses of them are rewritten."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterable

from ascendify.rules.kit import CallSite, Diagnosis, File, Fix, Rule
from ascendify.rules.kit.bindings import running_scope
from ascendify.source.flow import backward
from ascendify.source.nodes import last_name, position
from ascendify.source.scopes import Scope, parent
from ascendify.source.values import Package, Ref

_Handler = Callable[[CallSite], Iterable[Diagnosis]]
TF = "horovod.tensorflow"
KERAS = ("horovod.tensorflow.keras", "horovod.keras")
MODULES = frozenset({"horovod", TF, *KERAS})
_OPS = {"Average": "mean", "Sum": "sum", "Min": "min", "Max": "max", "Product": "prod"}
"""Horovod's reductions -> their names in HCCL."""
OTHERS = ("horovod.torch", "horovod.mxnet")
"""Parts of Horovod that serve other frameworks."""

INIT = f"{TF}.init"
SHUTDOWN = f"{TF}.shutdown"
RANKS = {
    f"{TF}.rank": "get_rank_id",
    f"{TF}.size": "get_rank_size",
    f"{TF}.local_rank": "get_local_rank_id",
    f"{TF}.local_size": "get_local_rank_size",
}
"""Rank queries and the functions of hccl.manage.api that replace them."""
OPTIMIZERS = tuple(f"{module}.DistributedOptimizer" for module in (TF, *KERAS))
HOOK = f"{TF}.BroadcastGlobalVariablesHook"
CALLBACKS = tuple(f"{module}.callbacks.BroadcastGlobalVariablesCallback" for module in KERAS)
BROADCASTS = (f"{TF}.broadcast_global_variables", f"{TF}.broadcast_variables")
COLLECTIVES = tuple(
    f"{TF}.{name}" for name in ("allreduce", "allgather", "broadcast", "grouped_allreduce")
)
SUM = f"{TF}._allreduce"
"""The operator below ``allreduce``, which programs took when that averaged without an option."""
_NAMED = re.compile(r"_*(?:hvd|horovod)", re.I)
SCHEDULES = tuple(
    f"{module}.callbacks.{name}"
    for module in KERAS
    for name in (
        "LearningRateScheduleCallback", "LearningRateWarmupCallback", "MetricAverageCallback",
    )
)  # fmt: skip
"""Callbacks that a helper module has, too."""
CALLED = frozenset(
    (INIT, SHUTDOWN, *OPTIMIZERS, HOOK, *CALLBACKS, *SCHEDULES, *BROADCASTS, *COLLECTIVES, SUM)
)
"""Names that are rewritten where they are called."""
TAPES = (f"{TF}.DistributedGradientTape",)
CALLED_EAGERLY = frozenset(
    (
        *(INIT, SHUTDOWN, *OPTIMIZERS, *CALLBACKS, f"{TF}.broadcast_variables"),
        *(*COLLECTIVES, *TAPES),
        *(
            f"{module}.{name}"
            for module in KERAS
            for name in ("allreduce", "allgather", "broadcast")
        ),
    )
)
"""The rank queries and their replacements, in programs for TensorFlow 2."""


def concerns(name: str) -> bool:
    """Whether a dotted name is Horovod's, and not of its part for another framework."""
    return (name == "horovod" or name.startswith("horovod.")) and not name.startswith(OTHERS)


def is_named(node: ast.expr) -> bool:
    """Whether an attribute is read from something that is called like the module: ``m.hvd.rank``.

    Models get the module as an argument and keep it, from callers that nobody can see.
    """
    return isinstance(node, ast.Attribute) and _NAMED.fullmatch(last_name(node.value)) is not None


def is_rank_of_kept(file: File, node: ast.expr) -> bool:
    """Whether an expression queries a rank of a kept module whose origin cannot be seen."""
    return (
        isinstance(node, ast.Attribute)
        and file.facts.distributed == "horovod"
        and f"{TF}.{node.attr}" in RANKS
        and is_named(node)
        and not file.names(node)[0]
    )


def is_eager(file: File) -> bool:
    """Whether a file is for TensorFlow 2."""
    return file.facts.releases.get(file.path) == "tf2"


def is_direct(file: File, node: ast.expr) -> bool:
    """Whether a node names Horovod itself: ``hvd.rank`` or an import, not a variable.

    Where a variable or attribute holds the name, the assignment is rewritten instead.
    """
    if isinstance(node, ast.Attribute):
        owner = file.resolver.infer(file.module, node.value)
        return any(
            isinstance(value, Package) or (isinstance(value, Ref) and concerns(value.name))
            for value in owner
        )
    if not isinstance(node, ast.Name):
        return False
    bindings = backward.bindings(node)
    # a name without a binding comes from a star import
    return not bindings or any(binding.kind == "import" for binding in bindings)


def directly(handler: _Handler) -> _Handler:
    """Make a handler ignore calls through a variable, which are rewritten where it is assigned."""

    @functools.wraps(handler)
    def guarded(site: CallSite) -> Iterable[Diagnosis]:
        return handler(site) if is_direct(site.file, site.node.func) else ()

    return guarded


def is_statement(node: ast.AST) -> bool:
    """Whether an expression is a whole statement."""
    return isinstance(parent(node), ast.Expr)


def calls(file: File, name: str, scope: Scope) -> list[CallSite]:
    """Calls of a name in one scope, in source order."""
    found = [site for site in file.calls(name) if running_scope(site.node) is scope]
    return sorted(found, key=lambda site: position(site.node))


def reduction(site: CallSite) -> str | None:
    """The reduction that the call computes; None when it cannot be read."""
    op, average = site.args.value("op"), site.args.value("average")
    if op is not None and site.file.literal(op) != (None,):
        names = site.file.names(op)[0]
        prefix, _, last = (names[0] if len(names) == 1 else "").rpartition(".")
        return _OPS.get(last) if prefix == TF else None
    if average is None:
        return "mean"
    values = site.file.literal(average)
    if values is None or len(values) != 1:
        return None
    return "mean" if values[0] or values[0] is None else "sum"


def replaced(rule: Rule, site: CallSite, fix: Fix, by: str, todo: str = "") -> Diagnosis:
    """Report a collective that a function of the NPU's replaces, and its compression as dropped."""
    compression = site.args.value("compression")
    name = None if compression is None else site.file.name(compression)
    if compression is not None and name != f"{TF}.Compression.none":
        todo = f"The compression was dropped: the tensor is sent in its own type. {todo}".rstrip()
    found = f"{site.callee} exchanges tensors with Horovod"
    return rule.fixed(site, found, done=f"Replaced {site.callee} by {by}.", todo=todo, fix=fix)
