"""Report APIs that the vendor lists as unsupported, once in each file."""

from __future__ import annotations

import ast
from functools import cache

from ascendify.catalog import names, support
from ascendify.catalog.support import Support
from ascendify.rules.kit import Diagnoses, Rule, Site, Status, once
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-API-1",
    title="Do not rely on APIs that NPUs do not support",
    why=(
        "The vendor publishes which of PyTorch's APIs it has verified. An API that is listed as "
        "unsupported may fail, or run on the host, which copies tensors between host and NPU in "
        "every step."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="rnn = torch.nn.RNN(8, 16)",
)

_TORCH = "torch"
_PASSED_OVER = (
    "torch.cuda.", "torch.backends.", "torch.jit.", "torch.export.", "torch.profiler.",
    "torch.autograd.profiler.", "torch.utils.cpp_extension.", "torch.compiler.",
)  # fmt: skip
"""Modules that other rules report."""
_HARMLESS = frozenset(
    {
        "torch.Tensor.is_shared",
        "torch.is_deterministic_algorithms_warn_only_enabled",
        "torch.nn.utils.clip_grad_norm",  # gone from PyTorch itself
        "torch.nn.RNNBase.flatten_parameters",  # a hint, without effect elsewhere
    }
)
_SHARED = {
    "torch.nn.Module.share_memory": Status.MANUAL,
    "torch.jit.ScriptModule.share_memory": Status.MANUAL,
    "torch.Tensor.share_memory_": Status.INFO,
}
"""What makes processes share memory; tensors that programs share are mostly in host memory."""
_SHARE = (
    "It works in host memory. Memory of an NPU cannot be shared with other processes, as that of "
    "a GPU can: share the model before it is moved to an NPU, and let each process copy it to its "
    "own device."
)


@cache
def _unsupported() -> dict[str, Support]:
    """Every unsupported name of torch, by its canonical spelling."""
    found: dict[str, Support] = {}
    for api in support.listed("unsupported", of=_TORCH):
        entry = support.lookup(api)
        name = names.canonical(api)
        if (
            entry is not None
            and name.startswith("torch.")
            and not name.startswith(_PASSED_OVER)
            and name not in _HARMLESS
        ):
            found.setdefault(name, entry)
    return found


@RULE.reference(*_unsupported())
def report_verdict(site: Site) -> Diagnoses:
    """Report the first use in a file, called or not; a type test is not a use."""
    if site.name in _owned():
        return
    used = [
        node
        for node in (place.node for place in site.file.references(site.name) if place.certain)
        if not _only_compared(node)
    ]
    if not used or used[0] is not site.node:
        return
    others = once.words(sorted({node.lineno for node in used} - {site.node.lineno}))
    found = f"{site.brief} is listed as unsupported on NPUs{others}"
    if site.name in _SHARED:
        if _SHARED[site.name] is Status.INFO:
            yield RULE.info(site, found, todo=_SHARE)
        else:
            yield RULE.manual(site, found, todo=_SHARE)
        return
    note = _unsupported()[site.name].note_text
    yield RULE.manual(
        site,
        found,
        todo=(
            f"{note + ' ' if note else ''}Try it on an NPU: with TORCH_NPU_FALLBACK_CPU_DISABLE=1 "
            "it fails instead of running on the host. If it fails, use other operators."
        ),
        cause=site.name,
    )


def _only_compared(node: ast.expr) -> bool:
    """Whether a class is only used in a type test."""
    owner = parent(node)
    if isinstance(owner, ast.Tuple):
        owner = parent(owner)
    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name):
        return owner.func.id in ("isinstance", "issubclass")
    return isinstance(owner, ast.Compare)


@cache
def _owned() -> frozenset[str]:
    """Names that another rule rewrites or reports with better advice."""
    # the registry imports every rule, this one too, so it cannot be imported at the top
    from ascendify.rules import registry  # noqa: PLC0415

    return registry.reported_elsewhere(_unsupported(), RULE, frozenset({_TORCH}))
