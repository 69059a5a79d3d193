"""Remove emit_nvtx, which sends operators to NVIDIA's profiler."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-PROF-4",
    title="Remove emit_nvtx",
    why=(
        "torch.autograd.profiler.emit_nvtx needs a CUDA build of torch and raises an error without "
        "one, unless it is disabled with enabled=False."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="with torch.autograd.profiler.emit_nvtx():\n    train()",
    after="train()",
    safety="Operators are no longer marked; torch_npu.profiler.profile() records them anyway.",
)
_TODO = "To profile the NPU, put torch_npu.profiler.profile() around the training steps."


@RULE.call("torch.autograd.profiler.emit_nvtx")
def remove(site: CallSite) -> Diagnoses:
    """Remove a ``with`` statement of its own; report any other use."""
    found = f"{site.callee} marks operators for NVIDIA's profiler"
    item = parent(site.node)
    block = parent(item)
    if (
        isinstance(item, ast.withitem)
        and item.optional_vars is None
        and isinstance(block, ast.With)
        and len(block.items) == 1
    ):
        fix = site.fix()
        fix.unwrap_with(block)
        done = "Removed the with statement and kept its body."
        yield RULE.auto_check(site, found, done=done, todo=_TODO, fix=fix)
        return
    todo = f"Remove it, or pass enabled=False. {_TODO}"
    yield RULE.manual(site, found, todo=todo)
