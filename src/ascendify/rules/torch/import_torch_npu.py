"""Import torch_npu after torch, in files that use the NPU and in scripts."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.torch import _imports
from ascendify.source.nodes import function_around

RULE = Rule(
    code="TORCH-IMP-1",
    title="Import torch_npu after torch",
    why=(
        "torch_npu adds the device npu, torch.npu and the hccl backend to torch. torch 2.5 and "
        "newer load it automatically unless TORCH_DEVICE_BACKEND_AUTOLOAD=0 is set; with older "
        "ones every use of the NPU raises an error without the import."
    ),
    statuses=(Status.AUTO,),
    before="import torch\nfrom model import Net",
    after="import torch\nimport torch_npu  # noqa: F401\nfrom model import Net",
    last=True,
)

_DEVICE = re.compile(r"(?:npu|hccl)(?::.*)?|cpu:gloo,npu:hccl|torch\.npu\.\w+")
"""Strings that name the NPU or its backend."""
_NPU = re.compile(r"npu(?!t)")
"""The NPU's name; every other program says input."""
_BEGINNINGS = ("npu", "hcc", "cpu", "tor")


@RULE.file
def add(file: File) -> Diagnoses:
    """Import it once a file, or in each function that imports torch and uses the NPU."""
    if file.facts.style == "transfer" or file.path in file.facts.transfer:
        return  # TORCH-IMP-2 imports it together with the switch
    if _imports.of(file, "torch_npu"):
        return
    uses = _uses(file)
    # a module that others import is no script, even if it can be run
    is_entry = _imports.is_entry(file) and not file.resolver.project.is_imported(file.path)
    if not uses and not is_entry:
        return
    places = [node for node in _imports.of(file, "torch") if not _imports.is_for_types(node)]
    if not places and is_entry:
        places = _imports.of(file, *(_imports.FAMILY if uses else _imports.TRAINERS))
    for place in _chosen(places, uses):
        yield _inserted(file, place, "uses the NPU" if uses else "is run as a script")


def _chosen(places: list[_imports.Statement], uses: list[ast.AST]) -> list[_imports.Statement]:
    """The imports of torch to insert after: one of the module, or one in each such function."""
    outside = [node for node in places if function_around(node) is None]
    if outside or not uses:
        return sorted(outside or places, key=lambda node: not _imports.is_plain(node))[:1]
    users = {function_around(node) for node in uses}
    first: dict[ast.AST | None, _imports.Statement] = {}
    for node in places:
        if function_around(node) in users:
            first.setdefault(function_around(node), node)
    return list(first.values()) or places[:1]


def _inserted(file: File, place: _imports.Statement, reason: str) -> Diagnosis:
    fix = file.fix()
    is_read = "torch_npu" in file.module.index.module.reads
    fix.insert_after(place, "import torch_npu" + ("" if is_read else "  # noqa: F401"))
    return RULE.auto(
        file.at(place),
        f"the file {reason} and does not import torch_npu",
        done="Added import torch_npu.",
        fix=fix,
    )


def _uses(file: File) -> list[ast.AST]:
    """Every use of the NPU: its modules, its methods, its name as a device."""
    text = file.module.source.text
    if _NPU.search(text) is None and "hccl" not in text:
        return []
    index = file.module.index
    found: list[ast.AST] = [*index.module.reads.get("torch_npu", ())]
    for node in (*index.references, *index.stores):
        if not isinstance(node, ast.Attribute):
            continue
        spelled = file.resolver.spelled(file.module, node) or ""
        if f"{spelled}.".startswith(("torch.npu.", "torch_npu.")) or node.attr == "is_npu":
            found.append(node)
    found.extend(
        call for call in index.calls_by_name.get("npu", ()) if isinstance(call.func, ast.Attribute)
    )
    found.extend(
        node
        for node in index.of(ast.Constant)
        # most strings name nothing like it, which costs a third of trying the pattern
        if isinstance(node.value, str)
        and node.value[:3] in _BEGINNINGS
        and _DEVICE.fullmatch(node.value)
    )
    return found
