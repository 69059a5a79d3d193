"""Load the state of a GradScaler from checkpoints that were written on a GPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.nodes import last_name
from ascendify.source.values import Instance

RULE = Rule(
    code="TORCH-AMP-4",
    title="Load the state of a GradScaler that was saved on a GPU",
    why=(
        "The state of the NPU's GradScaler has a key dynamic, which must exist when it is loaded. "
        "A state that was saved on a GPU has no such key, so loading it raises KeyError."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="scaler.load_state_dict(checkpoint['scaler'])",
    after="scaler.load_state_dict({'dynamic': True, **checkpoint['scaler']})",
)

_NPU = ("torch.cuda.amp.GradScaler", "torch.npu.amp.GradScaler")
"""Classes that are the NPU's after the migration; torch.amp.GradScaler stays torch's."""
_LOAD = "torch.amp.GradScaler.load_state_dict"


@RULE.call(_LOAD, *(f"{name}.load_state_dict" for name in _NPU))
def add_key(site: CallSite) -> Diagnoses:
    """Add a default for the key, which a value in the loaded state overrides."""
    file = site.file
    receiver = site.receiver
    if receiver is None or not _is_npu(site, receiver) or len(site.node.args) != 1:
        return
    state = site.node.args[0]
    if isinstance(state, (ast.Starred, ast.Dict)) or _is_own(state):
        return
    fix = site.fix()
    fix.wrap(state, "{'dynamic': True, **", "}")
    yield RULE.auto(
        site,
        f"{site.brief} needs a key that checkpoints from a GPU do not have",
        done=f"Added a default for the key dynamic to {file.brief(state)}.",
        fix=fix,
    )


def _is_npu(site: CallSite, receiver: ast.expr) -> bool:
    values = site.file.resolver.infer(site.file.module, receiver)
    return any(isinstance(value, Instance) and value.kind in _NPU for value in values)


def _is_own(state: ast.expr) -> bool:
    """Whether the state comes from a scaler of the program itself."""
    return (
        isinstance(state, ast.Call)
        and isinstance(state.func, ast.Attribute)
        and state.func.attr == "state_dict"
    )


@RULE.guess("load_state_dict")
def report_possible(site: CallSite) -> Diagnoses:
    """Report an object that is a scaler according to its name."""
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
        f"{site.brief} may load a state that was saved on a GPU",
        todo=(
            "If it is a torch.npu.amp.GradScaler, add the key that such a state lacks: "
            f"{site.callee}({{'dynamic': True, **{text}}})."
        ),
    )
