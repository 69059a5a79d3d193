"""NVIDIA's libraries loaded by hand: they are not there beside an NPU."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.findings import Effort, Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite
from ascendify.source.scopes import parent, scope_of

RULE = Rule(
    code="TORCH-CUDA-10",
    title="Do not load NVIDIA's libraries",
    why=(
        "Programs load libcudart and its like by hand to set limits of a GPU. Beside an NPU the "
        "file does not exist and loading it raises OSError, most often before the first step."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="import ctypes\nruntime = ctypes.CDLL('libcudart.so')",
)
_LOADERS = ("ctypes.CDLL", "ctypes.PyDLL", "ctypes.cdll.LoadLibrary")
_LIBRARY = re.compile(r"(?:^|/)lib(?:cuda|cudart|cublas|cudnn|cufft|nvrtc|nvToolsExt|nccl)\b")


@RULE.call(*_LOADERS)
def tell(site: CallSite) -> Iterator[Diagnosis]:
    """The call, and every use of the variable that holds the library."""
    file = site.file
    literal = file.literal(site.node.args[0]) if site.node.args else None
    if not any(isinstance(item, str) and _LIBRARY.search(item) for item in literal or ()):
        return
    uses = _uses(site.node)
    lines = ", ".join(str(node.lineno) for node in uses)
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{file.brief(site.node)} loads a library that is not there beside an NPU",
        todo=(
            "Remove it"
            + (f" and what it is used for (line {lines})" if lines else "")
            + ": limits and settings of a GPU mean nothing to an NPU."
        ),
        effort=Effort.MINUTES,
    )
    for node in uses:
        found = f"{file.brief(parent(node))} is a function of NVIDIA's library"
        yield site.finding(RULE, Status.INFO, found, at=parent(node))


def _uses(call: ast.Call) -> list[ast.Name]:
    around = parent(call)
    target = around.targets[0] if isinstance(around, ast.Assign) else None
    if not isinstance(target, ast.Name):
        return []
    owner = scope_of(target).find(target.id)
    uses = [] if owner is None else owner.uses(target.id)
    return [node for node in uses if isinstance(parent(node), ast.Attribute)]
