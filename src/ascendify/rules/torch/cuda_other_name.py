"""Rename what torch_npu has under another name: nvtx, the pluggable allocator, exceptions."""

from __future__ import annotations

import ast

from ascendify.catalog import torch_npu
from ascendify.rules.kit import Diagnoses, Rule, Site, Status, names
from ascendify.rules.torch import _cuda, _edits

RULE = Rule(
    code="TORCH-CUDA-2",
    title="Use the names of torch_npu where they differ from torch.cuda",
    why=(
        "Some names of torch.cuda belong to NVIDIA's tools and differ in torch_npu: mstx marks "
        "ranges instead of nvtx, the allocator is NPUPluggableAllocator, and torch has the "
        "exception for lack of memory. torch.npu.nvtx does not exist."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before='torch.cuda.nvtx.range_push("forward")',
    after='torch.npu.mstx.range_push("forward")',
)

_COPIED = {
    f"{_cuda.NPU}.nvtx": "mstx",
    f"{_cuda.NPU}.CUDAGraph": "NPUGraph",
    f"{_cuda.NPU}.CUDAPluggableAllocator": "NPUPluggableAllocator",
}
"""Names that a textual replacement of cuda by npu produces, and the right ones."""
_SANITIZER = f"{_cuda.CUDA}._sanitizer.enable_cuda_sanitizer"


@RULE.reference(f"{_cuda.CUDA}.*")
def rename(site: Site) -> Diagnoses:
    """Rename with transfer_to_npu too, which only replaces names that torch.npu has."""
    file = site.file
    target = torch_npu.counterpart(site.name)
    if target is None or not is_renamed(site.name):
        return
    fix = site.fix()
    spelled = site.brief
    if site.name == _SANITIZER:
        new = fix.use(*target.rsplit(".", 1))
        fix.replace(site.node, new)
    elif not target.startswith(_cuda.NPU + "."):
        if not _cuda.is_linked(file, site.node):
            return
        new = names.torch(file, fix, site.node) + target[len("torch") :]
        fix.replace(site.node, new)
    else:
        new = _cuda.rename(file, fix, site.node)
    if not fix.edits:
        # a name imported by itself: the import gives it
        return
    yield RULE.auto(
        site,
        f"{spelled} is for GPUs, and torch_npu has another name for it",
        done=f"Replaced it by {new}.",
        fix=fix,
    )


@RULE.reference(*_COPIED, *(f"{name}.*" for name in _COPIED))
def correct(site: Site) -> Diagnoses:
    """Correct names that a textual replacement has produced."""
    file = site.file
    if site.name == f"{_cuda.NPU}.nvtx.range":
        # TORCH-CUDA-9 replaces it
        return
    for part in _cuda.chain(site.node):
        new = _COPIED.get(file.name(part) or "")
        if new is not None and isinstance(part, ast.Attribute):
            fix = site.fix()
            _edits.rename(fix, part, new)
            found = f"{site.brief} does not exist in torch_npu"
            done = f"Replaced {part.attr} by {new}."
            yield RULE.auto(site, found, done=done, fix=fix)


def is_renamed(name: str) -> bool:
    """Whether the counterpart of a name of torch.cuda has another name."""
    target = torch_npu.counterpart(name)
    if target is None or _cuda.is_elsewhere(name) or _cuda.below(name, *_cuda.GRAPHS):
        return False
    if target.endswith((".npu_stream", ".npu_event")):
        # handles, which TORCH-CUDA-7 renames on objects
        return False
    return not _cuda.has_same_name(name)
