"""Report optimizer options that are slow or fail on an NPU."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import Argument, CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.torch import _fused_optimizers, _release
from ascendify.rules.torch._fused_optimizers import FUSED
from ascendify.source.nodes import is_literal
from ascendify.source.scopes import ancestors, scope_of

RULE = Rule(
    code="TORCH-OPT-1",
    title="Use optimizers that work well on the NPU",
    why=(
        "torch's optimizers run on NPUs, with two differences: the fused AdamW accepts no loss "
        "scale, and many parameter groups make the default implementation slow. The fused "
        "optimizers of torch_npu, which TORCH-TUNE-1 is about, do not set gradients to None."
    ),
    statuses=(Status.AUTO, Status.MANUAL, Status.INFO),
    before=(
        "optimizer = torch_npu.optim.NpuFusedSGD(model.parameters(), lr=0.1)\n"
        "optimizer.zero_grad(set_to_none=True)"
    ),
    after=(
        "optimizer = torch_npu.optim.NpuFusedSGD(model.parameters(), lr=0.1)\noptimizer.zero_grad()"
    ),
)

_KERNELS = {
    "torch.optim.Adam": "_fused_adam_",
    "torch.optim.AdamW": "_fused_adamw_",
    "torch.optim.SGD": "_fused_sgd_",
}
"""Optimizers that accept fused=True, and the operator that they call then."""
_FUSED_GIVEN = re.compile(r"\bfused\s*=\s*True|['\"]fused['\"]\s*:\s*True")
_SCALERS = ("torch.cuda.amp.GradScaler", "torch.npu.amp.GradScaler", "torch.amp.GradScaler")


def _sets_to_none(keyword: ast.keyword) -> bool:
    return keyword.arg == "set_to_none" and is_literal(keyword.value, True)


@RULE.call("torch.optim.AdamW", "torch.optim.Adam")
def report_fused_with_scaler(site: CallSite) -> Diagnoses:
    """Report a fused optimizer that gets the loss scale of a GradScaler."""
    file = site.file
    fused = site.args.value("fused")
    if fused is None:
        requested = site.args.starred and _FUSED_GIVEN.search(file.module.source.text) is not None
    else:
        requested = True in (file.literal(fused) or ())
    if not requested or not _is_scaled(file) or _without_kernel(site) is not None:
        return
    if _fused_optimizers.is_replaced(site):
        return
    yield RULE.manual(
        site,
        f"{site.callee} with fused=True accepts no loss scale on an NPU, and the "
        "program has a GradScaler",
        todo="Do not pass fused=True where the GradScaler is enabled.",
    )


@RULE.call(*_KERNELS)
def remove_fused(site: CallSite) -> Diagnoses:
    """Remove ``fused=True`` where the release has no kernel for it."""
    fused = _without_kernel(site)
    if fused is None:
        return
    release = _release.of(site.file.facts)
    fix = site.fix()
    fix.remove_argument(site.node, fused)
    yield RULE.auto(
        site,
        f"{release} (stack {release.stack}) has no kernel for {site.callee} with fused=True",
        done="Removed fused=True: several operators compute the same update.",
        fix=fix,
    )


def _without_kernel(site: CallSite) -> Argument | None:
    """The argument ``fused=True`` where the release to migrate for has no kernel for it."""
    fused = site.args.get("fused")
    if fused is None or site.file.literal(fused.value) != (True,):
        return None
    has = _release.of(site.file.facts).has_kernel(_KERNELS[site.name])
    return fused if has is False else None


def _is_scaled(file: File) -> bool:
    """Whether this file, or one that imports it, creates a GradScaler."""
    if next(file.calls(*_SCALERS), None) is not None:
        return True
    return any(
        "GradScaler" in module.index.calls_by_name
        for module in file.resolver.project.importers(file.path)
    )


@RULE.call(*FUSED)
def note_groups(site: CallSite) -> Diagnoses:
    """Note a parameter group for each parameter."""
    file = site.file
    params = site.args.value("params")
    if isinstance(site.node.func, ast.Call) or _fused_optimizers.is_replaced(site):
        return  # the function that returns the class may add arguments
    if params is None or "foreach" in site.args or not _is_group_each(file, params):
        return
    yield RULE.info(
        site,
        f"{file.brief(params)} has a group for each parameter",
        todo=f"Pass foreach=False to {site.callee}, which is slow with groups of one parameter.",
    )


def _is_group_each(file: File, params: ast.expr) -> bool:
    """Whether dicts with one parameter each are collected in a loop."""
    if isinstance(params, (ast.ListComp, ast.GeneratorExp)):
        return _is_single(params.elt)
    if not isinstance(params, ast.Name):
        return False
    return scope_of(params).find(params.id) is not None and any(
        isinstance(node, ast.Dict)
        and _is_single(node)
        and any(isinstance(item, (ast.For, ast.While)) for item in ancestors(node))
        and _goes_to(node, params.id)
        for node in file.module.index.of(ast.Dict)
    )


def _is_single(node: ast.expr) -> bool:
    return isinstance(node, ast.Dict) and any(
        getattr(key, "value", None) == "params"
        and isinstance(value, ast.List)
        and len(value.elts) == 1
        for key, value in zip(node.keys, node.values)
    )


def _goes_to(node: ast.AST, name: str) -> bool:
    """Whether a dict is appended or added to a list of that name."""
    for around in ancestors(node):
        if isinstance(around, ast.AugAssign):
            return getattr(around.target, "id", "") == name
        if isinstance(around, ast.Call):
            func = around.func
            return isinstance(func, ast.Attribute) and getattr(func.value, "id", "") == name
        if isinstance(around, ast.stmt):
            return False
    return False


@RULE.file
def remove_set_to_none(file: File) -> Diagnoses:
    """Remove ``set_to_none=True``, which the NPU's fused optimizers refuse."""
    for call in file.module.index.calls_by_name.get("zero_grad", ()):
        requested = next((item for item in call.keywords if _sets_to_none(item)), None)
        if requested is None or not isinstance(call.func, ast.Attribute):
            continue
        kind = file.kind(call.func.value) or ""
        if not kind.startswith("torch_npu.optim."):
            continue
        fix = file.fix()
        fix.remove_arguments(call, [Argument("set_to_none", requested.value, requested)])
        yield RULE.auto(
            file.at(call),
            f"{file.brief(call)} raises ValueError with a fused optimizer of torch_npu",
            done="Removed set_to_none=True.",
            fix=fix,
        )
