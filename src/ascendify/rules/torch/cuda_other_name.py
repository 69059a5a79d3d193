"""Names of torch.cuda that torch_npu calls otherwise: nvtx, the pluggable allocator, exceptions."""

from __future__ import annotations

import ast

from ascendify.catalog import torch_npu
from ascendify.rules.kit import Diagnoses, Rule, Site, Status, names
from ascendify.rules.torch import _cuda, _words

RULE = Rule(
    code="TORCH-CUDA-2",
    title="Use the NPU's own names for what torch_npu calls otherwise",
    why=(
        "Some names of torch.cuda are about NVIDIA's tools and have another name for an NPU: "
        "ranges are marked with mstx instead of nvtx, allocators are NPUPluggableAllocator, and "
        "the exception for too little memory is torch's own. torch.npu.nvtx does not exist."
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
"""Names a textual migration leaves behind, and what torch_npu calls these things."""
_SANITIZER = f"{_cuda.CUDA}._sanitizer.enable_cuda_sanitizer"


@RULE.reference(f"{_cuda.CUDA}.*")
def rename(site: Site) -> Diagnoses:
    """Also with the vendor's switch, which gives torch.cuda only the names torch.npu has."""
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
        f"{spelled} is for GPUs, and an NPU has another name for it",
        done=f"Replaced it by {new}.",
        fix=fix,
    )


@RULE.reference(*_COPIED, *(f"{name}.*" for name in _COPIED))
def mend(site: Site) -> Diagnoses:
    """Names that came about when torch.npu was written for torch.cuda without a look."""
    file = site.file
    if site.name == f"{_cuda.NPU}.nvtx.range":
        # what marks a block has another name altogether
        return
    for part in _cuda.chain(site.node):
        new = _COPIED.get(file.name(part) or "")
        if new is not None and isinstance(part, ast.Attribute):
            fix = site.fix()
            _words.rename(fix, part, new)
            found = f"{site.brief} does not exist in torch_npu"
            done = f"Replaced {part.attr} by {new}."
            yield RULE.auto(site, found, done=done, fix=fix)


def is_renamed(name: str) -> bool:
    """Whether what takes the place of a torch.cuda name has another last part."""
    target = torch_npu.counterpart(name)
    if target is None or _cuda.is_elsewhere(name) or _cuda.below(name, *_cuda.GRAPHS):
        return False
    if target.endswith((".npu_stream", ".npu_event")):
        # handles, which are mostly read from objects
        return False
    return target.replace("torch_npu.npu", _cuda.NPU) != _cuda.NPU + name[len(_cuda.CUDA) :]
