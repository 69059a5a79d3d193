"""Ported code: broadcasts that never run, and broadcasts before variables exist."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Site, Status
from ascendify.rules.tf2 import _ranks
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import only_target
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-DIST-8",
    title="Broadcast with the function, not with the vendor's callback",
    why=(
        "NPUBroadcastGlobalVariablesCallback of npu_device defines its hook inside __init__, so "
        "that Keras never calls it: ranks start from different weights and nothing says so. "
        "npu_callbacks_append() adds that callback, and npu_broadcast_scope_wrapper() broadcasts "
        "once a process, what exists at the end of the first scope."
    ),
    statuses=(Status.MANUAL,),
    foretells=("EMU-HCCL-4",),
    before="callbacks = [NPUBroadcastGlobalVariablesCallback(0)]",
)

_BELOW = f"{_ranks.DISTRIBUTE}."
_CALLBACKS = (
    f"{_BELOW}npu_callbacks.NPUBroadcastGlobalVariablesCallback",
    f"{_BELOW}hccl.npu_callbacks_append",
    f"{_BELOW}npu_callbacks_append",
)
_SCOPE = (
    f"{_BELOW}npu_broadcast_scope_wrapper",
    f"{_BELOW}npu_callbacks.npu_broadcast_scope_wrapper",
)
_TODO = (
    "Call npu_device.distribute.broadcast(model.variables, root_rank=0) when the model is built "
    "and restored, before its first step"
)


@RULE.call(*_CALLBACKS)
def report_callback(site: CallSite) -> Diagnoses:
    """The callback that never broadcasts."""
    yield RULE.manual(
        site, f"{site.callee} never broadcasts anything", todo=f"Take it out. {_TODO}."
    )


@RULE.call(*_SCOPE)
def report_scope(site: CallSite) -> Diagnoses:
    """The scope that broadcasts once."""
    yield RULE.manual(
        site,
        f"{site.callee} broadcasts once, at the first end of a scope, what exists by then",
        todo=f"{_TODO}, and leave the strategy as it is.",
    )


@RULE.reference(*_ranks.SHARD)
def report_unused(site: Site) -> Diagnoses:
    """A dataset that is divided, and whose parts nobody reads."""
    call = parent(site.node)
    target = only_target(site.statement)
    if not isinstance(call, ast.Call) or not isinstance(target, ast.Tuple) or not target.elts:
        return
    for item, what in zip(target.elts, ("dataset", "batch size")):
        if isinstance(item, ast.Name) and item.id != "_" and not reads(item):
            yield RULE.manual(
                site.at(item),
                f"nothing reads {item.id}, the {what} of this rank",
                todo="Go on with what it gives: the undivided one trains on everything.",
            )
