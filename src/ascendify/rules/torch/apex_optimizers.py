"""Replace apex' fused optimizers by the optimizers of torch that compute the same."""

from __future__ import annotations

import ast
from dataclasses import replace

from ascendify.catalog import replacements
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, Rule, Site, Status
from ascendify.rules.torch import _apex
from ascendify.rules.torch._apex import ApexReplacement
from ascendify.source.nodes import is_called

RULE = Rule(
    code="TORCH-APEX-1",
    title="Replace the fused optimizers of apex",
    why=(
        "The fused optimizers of apex are CUDA kernels. Those of torch compute the same on an NPU "
        "and work with zero_grad, parameter groups and gradient scaling as before. torch_npu.optim "
        "has faster ones with restrictions, which TORCH-OPT-1 explains."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="optimizer = apex.optimizers.FusedAdam(model.parameters(), lr=lr)",
    after="optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.0)",
    safety=(
        "Optimizer states that apex saved in a checkpoint have another layout and cannot be loaded."
    ),
)

_HOME = "apex.optimizers"
_TARGETS = {
    f"{_HOME}.FusedAdam": ApexReplacement(
        "optim.AdamW",
        {"bias_correction": (True,), "adam_w_mode": (True, False, 0, 1)},
        ("set_grad_none", "master_weights", "capturable"),
        keep=2,
    ),
    f"{_HOME}.FusedSGD": ApexReplacement(
        "optim.SGD",
        {"wd_after_momentum": (False,)},
        ("materialize_master_grads", "set_grad_none"),
        keep=6,
    ),
    f"{_HOME}.FusedAdagrad": ApexReplacement(
        "optim.Adagrad", {"adagrad_w_mode": (False,)}, ("set_grad_none",), keep=2
    ),
}
_OTHERS = replacements.texts("apex-optimizers")
_TODO_STATE = "Do not load optimizer states that apex saved: start with a new state."
_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp)


@RULE.call(*_TARGETS)
def replace_class(site: CallSite) -> Diagnoses:
    """Call torch's class with the same arguments."""
    target = _TARGETS[site.name]
    mode = site.args.value("adam_w_mode")
    modes = (True,) if mode is None else site.file.literal(mode) or (True, False)
    if not modes[0]:
        target = replace(target, name="optim.Adam")
    fix = _apex.replace_call(site, target) if len(modes) == 1 else None
    if fix is None:
        yield _report_arguments(site, target, modes)
        return
    if target.name == "optim.AdamW" and "weight_decay" not in site.args:
        fix.add_argument(site.node, "weight_decay=0.0")
    if target.name == "optim.Adagrad" and "lr" not in site.args:
        fix.add_argument(site.node, "lr=0.01")
    yield RULE.auto_check(
        site,
        f"{site.callee} is a CUDA kernel of apex",
        done=f"Replaced it by torch.{target.name}, which computes the same.",
        todo=_TODO_STATE,
        effort=Effort.NONE,
        fix=fix,
    )


def _report_arguments(
    site: CallSite, target: ApexReplacement, modes: tuple[object, ...]
) -> Diagnosis:
    """Report a call whose arguments torch's class does not take."""
    name = f"torch.{target.name}"
    if "AdamW" in name and (not all(modes) or site.args.starred):
        name = "torch.optim.AdamW (torch.optim.Adam where adam_w_mode is False)"
    if site.args.starred:
        found = f"{site.brief} gets arguments from * or **, which are not visible here"
    else:
        found = f"{site.brief} has arguments that {name} does not have"
    decay = " Pass weight_decay=0.0 where none was given." if "AdamW" in target.name else ""
    bert = (
        " Without bias correction, torch_npu.optim.NpuFusedBertAdam is the closest."
        if "bias_correction" in site.args
        else ""
    )
    return RULE.manual(
        site,
        found,
        todo=(
            f"Use {name} with the arguments that both classes have: "
            f"{', '.join(target.required)} do not exist there, and {', '.join(target.ignored)} "
            f"are not needed.{decay}{bert} {_TODO_STATE}"
        ),
    )


@RULE.reference(*_TARGETS)
def report_class(site: Site) -> Diagnoses:
    """Report a class that is passed on, so that its call is not visible."""
    if not is_called(site.node) and not isinstance(site.parent, _TESTS):
        target = _TARGETS[site.name]
        yield RULE.manual(
            site,
            f"{site.text} is a CUDA kernel of apex",
            todo=f"Use {_either(target)}, which has no {' and no '.join(target.required)}.",
        )


def _either(target: ApexReplacement) -> str:
    """The class of torch for a class of apex whose arguments are not visible."""
    if "AdamW" in target.name:
        return "torch.optim.AdamW, or torch.optim.Adam where adam_w_mode is False"
    return f"torch.{target.name}"


@RULE.reference(*(f"{_HOME}.{name}" for name in _OTHERS))
def report_without_equal(site: Site) -> Diagnoses:
    """Report optimizers that torch and torch_npu do not have."""
    if not isinstance(site.parent, _TESTS):
        yield RULE.manual(
            site,
            f"{site.text} is a CUDA kernel of apex, and no optimizer for NPUs computes the same",
            todo=f"Choose another: {_OTHERS[site.name.rpartition('.')[2]]}.",
            effort=Effort.HOURS,
        )
