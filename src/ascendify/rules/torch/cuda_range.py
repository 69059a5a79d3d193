"""Replace nvtx.range around a block or a function by markers of mstx."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status, names
from ascendify.rules.torch import _cuda
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-CUDA-9",
    title="Mark ranges with mstx instead of nvtx.range",
    why=(
        "torch.npu has no nvtx. Its profiler shows ranges that are marked with mstx: annotate for "
        "a block of code, mstx_range for a function."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    raises=True,
    before='with torch.cuda.nvtx.range("forward"):\n    y = model(x)',
    after=('from torch_npu.npu.mstx import annotate\nwith annotate("forward"):\n    y = model(x)'),
)
_TODO = (
    "Write with annotate(message) around a block (from torch_npu.npu.mstx import annotate), or "
    "@torch.npu.mstx.mstx_range(message) above a function. Format the message before: neither does "
    "it."
)


@RULE.call(_cuda.RANGE, "torch.npu.nvtx.range")
def replace(site: CallSite) -> Diagnoses:
    """Replace it with transfer_to_npu too, and after a textual replacement of cuda by npu."""
    file = site.file
    call = site.node
    found = f"{file.brief(call.func)} marks a range for NVIDIA's profiler"
    around = parent(call)
    plain = len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)
    fix = site.fix()
    if plain and isinstance(around, ast.withitem):
        new = fix.use("torch_npu.npu.mstx", "annotate")
    elif plain and call in getattr(around, "decorator_list", ()):
        new = f"{names.torch(file, fix, call.func)}.npu.mstx.mstx_range"
    else:
        yield RULE.manual(site, found, todo=_TODO)
        return
    fix.replace(call.func, new)
    done = f"Replaced {file.brief(call.func)} by {new}."
    yield RULE.auto(site, found, done=done, fix=fix)
