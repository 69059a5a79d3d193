"""emit_nvtx hands every operator to NVIDIA's profiler: there is none."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-PROF-4",
    title="Take out emit_nvtx",
    why=(
        "torch.autograd.profiler.emit_nvtx needs a torch built for GPUs and raises without one, "
        "unless it is switched off by enabled=False."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="with torch.autograd.profiler.emit_nvtx():\n    train()",
    after="train()",
    safety="Operators are no longer marked; torch_npu.profiler.profile() records them by itself.",
)
_TODO = "To see what the NPU does, put torch_npu.profiler.profile() around the steps to look at."


@RULE.call("torch.autograd.profiler.emit_nvtx")
def remove(site: CallSite) -> Diagnoses:
    """A ``with`` of its own goes; anything else is told."""
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
    todo = f"Remove it, or see that it gets enabled=False. {_TODO}"
    yield RULE.manual(site, found, todo=todo)
