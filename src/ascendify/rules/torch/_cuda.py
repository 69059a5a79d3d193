"""Names of ``torch.cuda`` in attribute chains, and how to rename them for an NPU."""

from __future__ import annotations

import ast
import re

from ascendify.catalog import torch_npu
from ascendify.rules.kit import File, Fix
from ascendify.source.scopes import parent

CUDA, NPU = "torch.cuda", "torch.npu"
GRAPHS = frozenset(
    f"{CUDA}.{name}"
    for name in ("CUDAGraph", "graph", "graph_pool_handle", "make_graphed_callables",
                 "is_current_stream_capturing")
)  # fmt: skip
"""Functions and classes of CUDA graphs, which ``TORCH-CUDA-3`` rewrites."""
CAPABILITY = f"{CUDA}.get_device_capability"
RANGE = f"{CUDA}.nvtx.range"
_ELSEWHERE = ("mem_get_info",)
"""Functions of ``torch.cuda.memory`` that torch_npu has in ``torch.npu`` only."""
_TENSOR = re.compile(r"torch\.cuda\.(?:[A-Z]\w*Tensor|sparse(?:\..*)?)")


def below(name: str, *owners: str) -> bool:
    """Whether a name is one of these or part of one."""
    return any(f"{name}.".startswith(f"{owner}.") for owner in owners)


def is_amp(name: str) -> bool:
    """Whether a name is about mixed precision."""
    return below(name, f"{CUDA}.amp")


def is_tensor(name: str) -> bool:
    """Whether a name is a tensor type."""
    return _TENSOR.fullmatch(name) is not None


def is_elsewhere(name: str) -> bool:
    """Whether other rules handle a name: mixed precision, tensor types."""
    return is_amp(name) or is_tensor(name)


def has_same_name(name: str) -> bool:
    """Whether the counterpart of a name of torch.cuda has the same name in torch.npu."""
    target = torch_npu.counterpart(name)
    return target is not None and target.replace("torch_npu.npu", NPU) == NPU + name[len(CUDA) :]


def is_linked(file: File, node: ast.expr) -> bool:
    """Whether a chain contains ``torch.cuda`` itself; otherwise its import has to change."""
    return any(file.name(part) == CUDA for part in chain(node) if isinstance(part, ast.Attribute))


def chain(node: ast.expr) -> list[ast.expr]:
    """The parts of ``a.b.c``: itself, ``a.b`` and ``a``."""
    parts = [node]
    while isinstance(node, ast.Attribute):
        node = node.value
        parts.append(node)
    return parts


def rename(file: File, fix: Fix, node: ast.expr) -> str:
    """Rename every part of a chain that has another name for an NPU; return the new text."""
    module = file.module
    begin = module.start(node)
    text = module.segment(node)
    edits: list[tuple[int, int, str]] = []
    for part in chain(node):
        name = file.name(part) if isinstance(part, ast.Attribute) else None
        if not isinstance(part, ast.Attribute) or name is None or not below(name, CUDA):
            continue
        end = module.end(part)
        owner = parent(part)
        if part.attr == "memory" and getattr(owner, "attr", "") in _ELSEWHERE:
            edits.append((module.end(part.value), end, ""))
            continue
        new = (torch_npu.counterpart(name) or name).rpartition(".")[2]
        if new != part.attr:
            edits.append((end - len(part.attr), end, new))
    for start, end, new in edits:  # from the last part to the first
        fix.replace_range(start, end, new)
        text = text[: start - begin] + new + text[end - begin :]
    return " ".join(text.split())
