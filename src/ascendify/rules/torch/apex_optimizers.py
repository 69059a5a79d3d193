"""Optimizers of apex: torch's own take their place where they compute the same."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, Rule, Site, Status
from ascendify.rules.torch import _apex

RULE = Rule(
    code="TORCH-APEX-1",
    title="Replace the fused optimizers of apex",
    why=(
        "The fused optimizers of apex are CUDA kernels. Those of torch compute the same on an NPU "
        "and keep zero_grad, parameter groups and gradient scaling as they are; torch_npu.optim "
        "has faster ones with conditions attached, which TORCH-OPT-1 tells about."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="optimizer = apex.optimizers.FusedAdam(model.parameters(), lr=lr)",
    after="optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.0)",
    safety=(
        "The state that apex' optimizers save in a checkpoint has another layout and does not load."
    ),
)

_OPTIMIZERS = "apex.optimizers"


@dataclass(frozen=True)
class _Target:
    """What takes an optimizer's place."""

    name: str
    required: dict[str, tuple[object, ...]]
    """Parameters torch does not have, and the values with which it computes the same."""
    dropped: tuple[str, ...]
    """Parameters that only say how apex goes about it."""
    keep: int
    """How many positional arguments have the same place in both."""


_TARGETS = {
    f"{_OPTIMIZERS}.FusedAdam": _Target(
        "optim.AdamW",
        {"bias_correction": (True,), "adam_w_mode": (True, False, 0, 1)},
        ("set_grad_none", "master_weights", "capturable"),
        2,
    ),
    f"{_OPTIMIZERS}.FusedSGD": _Target(
        "optim.SGD",
        {"wd_after_momentum": (False,)},
        ("materialize_master_grads", "set_grad_none"),
        6,
    ),
    f"{_OPTIMIZERS}.FusedAdagrad": _Target(
        "optim.Adagrad", {"adagrad_w_mode": (False,)}, ("set_grad_none",), 2
    ),
}
_OTHERS = {
    "FusedLAMB": (
        "torch_npu.optim.NpuFusedLamb(params, lr, betas, eps, weight_decay, "
        "use_global_grad_norm=True) is the nearest; it corrects no bias, clips by the global norm, "
        "and its weight_decay is 0 unless given"
    ),
    "FusedMixedPrecisionLamb": (
        "torch_npu.optim.NpuFusedLamb under autocast is the nearest; it keeps no float32 copies "
        "of its own"
    ),
    "FusedNovoGrad": "write NovoGrad with torch operations, or take torch.optim.AdamW and tune it",
}
_TODO_STATE = "Do not load optimizer states that apex saved: begin with fresh ones."


@RULE.call(*_TARGETS)
def replace(site: CallSite) -> Diagnoses:
    """Call torch's class with the same arguments."""
    file = site.file
    target = _TARGETS[site.name]
    arguments = site.args
    if arguments.starred or not all(
        _apex.is_default(file, arguments.get(name), *values)
        for name, values in target.required.items()
    ):
        yield _manual(site, target)
        return
    name = target.name
    mode = arguments.value("adam_w_mode")
    modes = () if mode is None else file.literal(mode) or ()
    if len(modes) > 1:
        yield _manual(site, target)
        return
    if modes and not modes[0]:
        name = "optim.Adam"
    fix = site.fix()
    fix.replace(site.node.func, _apex.use_torch(fix, site, name))
    gone = _apex.dropped(site, (*target.required, *target.dropped))
    _apex.name_positional(fix, site, target.keep, gone)
    fix.remove_arguments(site.node, gone)
    if name == "optim.AdamW" and "weight_decay" not in arguments:
        fix.add_argument(site.node, "weight_decay=0.0")
    if site.name.endswith("FusedAdagrad") and "lr" not in arguments:
        fix.add_argument(site.node, "lr=0.01")
    yield RULE.auto_check(
        site,
        f"{site.callee} is a CUDA kernel of apex",
        done=f"Replaced it by torch.{name}, which computes the same.",
        todo=_TODO_STATE,
        effort=Effort.NONE,
        fix=fix,
    )


def _manual(site: CallSite, target: _Target) -> Diagnosis:
    if site.args.starred:
        found = f"{site.brief} gets arguments that cannot be seen here"
    else:
        found = f"{site.brief} has arguments that torch.{target.name} does not know"
    decay = " Give it weight_decay=0.0 where none was given." if "AdamW" in target.name else ""
    bert = (
        " Without correction of the bias, torch_npu.optim.NpuFusedBertAdam is the nearest."
        if "bias_correction" in site.args
        else ""
    )
    return RULE.manual(
        site,
        found,
        todo=(
            f"Create torch.{target.name} with the arguments it shares with apex' class: "
            f"{_listed(tuple(target.required))} do not exist there, {_listed(target.dropped)} "
            f"have no meaning.{decay}{bert} {_TODO_STATE}"
        ),
    )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)


@RULE.reference(*_TARGETS)
def passed_on(site: Site) -> Diagnoses:
    """The class itself goes somewhere, and cannot be seen to be called there."""
    around = site.parent
    if isinstance(around, ast.Call) and around.func is site.node:
        return
    if isinstance(around, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
        return
    target = _TARGETS[site.name]
    yield RULE.manual(
        site,
        f"{site.text} is a CUDA kernel of apex",
        todo=f"Use torch.{target.name}; its arguments {', '.join(target.required)} do not exist.",
    )


@RULE.reference(*(f"{_OPTIMIZERS}.{name}" for name in _OTHERS))
def without_equal(site: Site) -> Diagnoses:
    """Optimizers that nothing on the NPU equals."""
    if isinstance(site.parent, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
        return
    yield RULE.manual(
        site,
        f"{site.text} is a CUDA kernel of apex, and nothing on the NPU computes quite the same",
        todo=f"Choose another: {_OTHERS[site.name.rpartition('.')[2]]}.",
        effort=Effort.HOURS,
    )
