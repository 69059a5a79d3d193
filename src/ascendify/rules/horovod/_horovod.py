"""What the Horovod rules share: names, how they are spelled on an NPU, and common edits."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, File
from ascendify.source.flow import backward
from ascendify.source.nodes import position
from ascendify.source.scopes import Scope, parent, scope_of
from ascendify.source.values import Package, Ref

TF = "horovod.tensorflow"
KERAS = ("horovod.tensorflow.keras", "horovod.keras")
MODULES = frozenset({"horovod", TF, *KERAS})
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
"""Rank queries and the functions of hccl.manage.api that answer them."""
OPTIMIZERS = tuple(f"{module}.DistributedOptimizer" for module in (TF, *KERAS))
HOOK = f"{TF}.BroadcastGlobalVariablesHook"
CALLBACKS = tuple(f"{module}.callbacks.BroadcastGlobalVariablesCallback" for module in KERAS)
BROADCASTS = (f"{TF}.broadcast_global_variables", f"{TF}.broadcast_variables")
COLLECTIVES = tuple(
    f"{TF}.{name}" for name in ("allreduce", "allgather", "broadcast", "grouped_allreduce")
)
CALLED = frozenset((INIT, SHUTDOWN, *OPTIMIZERS, HOOK, *CALLBACKS, *BROADCASTS, *COLLECTIVES))
"""What is rewritten where it is called."""
TAPES = (f"{TF}.DistributedGradientTape",)
CALLED_EAGERLY = frozenset(
    (
        *(INIT, SHUTDOWN, *OPTIMIZERS, *CALLBACKS, f"{TF}.broadcast_variables"),
        *(*COLLECTIVES, *(f"{module}.allreduce" for module in KERAS), *TAPES),
    )
)
"""The same in programs for TensorFlow 2."""


def concerns(name: str) -> bool:
    """Whether a dotted name is Horovod's, and not of its part for another framework."""
    return (name == "horovod" or name.startswith("horovod.")) and not name.startswith(OTHERS)


def is_eager(file: File) -> bool:
    """Whether a file is for TensorFlow 2."""
    return file.facts.releases.get(file.path) == "tf2"


def is_direct(file: File, node: ast.expr) -> bool:
    """Whether the name itself stands here: ``hvd.rank`` or an import, not a variable that holds it.

    Where a variable or attribute holds it, the place that filled it is rewritten instead.
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


def is_statement(node: ast.AST) -> bool:
    """Whether an expression is a statement of its own."""
    return isinstance(parent(node), ast.Expr)


def running_scope(node: ast.AST) -> Scope:
    """The function whose run evaluates a node, or the module."""
    scope = scope_of(node)
    while scope.kind in ("class", "comprehension") and scope.parent is not None:
        scope = scope.parent
    return scope


def calls(file: File, name: str, scope: Scope) -> list[CallSite]:
    """Calls of a name in one scope, in source order."""
    found = [site for site in file.calls(name) if running_scope(site.node) is scope]
    return sorted(found, key=lambda site: position(site.node))
