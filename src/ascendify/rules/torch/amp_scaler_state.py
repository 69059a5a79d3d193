"""Saved scalers: a checkpoint written on a GPU lacks a key that the NPU's GradScaler wants."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.nodes import last_name
from ascendify.source.values import Instance

RULE = Rule(
    code="TORCH-AMP-4",
    title="Load the state of a GradScaler that a GPU wrote",
    why=(
        "The NPU's GradScaler saves whether it is dynamic and insists on finding that key again. "
        "The state a GPU's scaler saved has no such key, so loading it raises KeyError."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="scaler.load_state_dict(checkpoint['scaler'])",
    after="scaler.load_state_dict({'dynamic': True, **checkpoint['scaler']})",
)

_NPU = ("torch.cuda.amp.GradScaler", "torch.npu.amp.GradScaler")
"""Classes that are the NPU's once migrated; torch.amp.GradScaler stays torch's own."""
_LOAD = "torch.amp.GradScaler.load_state_dict"


@RULE.call(_LOAD, *(f"{name}.load_state_dict" for name in _NPU))
def give_key(site: CallSite) -> Diagnoses:
    """Put the key in front of the loaded state, whose own value wins where it has one."""
    file = site.file
    receiver = site.receiver
    if receiver is None or not _is_npu(site, receiver) or len(site.node.args) != 1:
        return
    state = site.node.args[0]
    if isinstance(state, (ast.Starred, ast.Dict)) or _is_own(site, state):
        return
    fix = site.fix()
    fix.wrap(state, "{'dynamic': True, **", "}")
    yield RULE.auto(
        site,
        f"{site.brief} needs a key that a checkpoint written on a GPU does not have",
        done=f"Put the key dynamic in front of {file.brief(state)}.",
        fix=fix,
    )


def _is_npu(site: CallSite, receiver: ast.expr) -> bool:
    values = site.file.resolver.infer(site.file.module, receiver)
    return any(isinstance(value, Instance) and value.kind in _NPU for value in values)


def _is_own(site: CallSite, state: ast.expr) -> bool:
    """Whether the state was just read from a scaler of the program."""
    return (
        isinstance(state, ast.Call)
        and isinstance(state.func, ast.Attribute)
        and state.func.attr == "state_dict"
    )


@RULE.guess("load_state_dict")
def may_be_scaler(site: CallSite) -> Diagnoses:
    """A receiver that is only known by its name."""
    receiver = site.receiver
    last = last_name(receiver)
    if "scaler" not in last.lower() or len(site.node.args) != 1:
        return
    state = site.node.args[0]
    if isinstance(state, (ast.Starred, ast.Dict)):
        return
    text = site.file.brief(state)
    yield RULE.manual(
        site,
        f"{site.brief} may load what a GPU's GradScaler saved",
        todo=(
            "If it is a torch.npu.amp.GradScaler, give it the key that such a state lacks: "
            f"{site.callee}({{'dynamic': True, **{text}}})."
        ),
    )
