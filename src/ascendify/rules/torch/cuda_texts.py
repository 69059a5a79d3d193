"""Rename torch.cuda in strings that Python evaluates: annotations and patch targets."""

from __future__ import annotations

import ast
import re

from ascendify.catalog import torch_npu
from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.torch import _cuda, _edits
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors, parent

RULE = Rule(
    code="TORCH-CUDA-10",
    title="Rename torch.cuda in quoted annotations and patch targets",
    why=(
        "A test that patches 'torch.cuda.is_available' has no effect on a program that calls "
        "torch.npu.is_available, and a quoted annotation would keep the old name."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before='def wait(stream: "torch.cuda.Stream") -> None: ...',
    after='def wait(stream: "torch.npu.Stream") -> None: ...',
)
_NAME = re.compile(r"torch\.cuda(?:\.\w+)+")
_PATCHES = ("patch", "object", "setattr", "delattr", "import_module", "resolve_name", "locate")
"""Functions that take the dotted name of an object as a string."""


@RULE.file
def rename(file: File) -> Diagnoses:
    """Rename annotations and patch targets; strings that are printed or written stay."""
    if file.facts.style == "transfer" or "torch.cuda." not in file.module.source.text:
        return
    for node in file.module.index.of(ast.Constant):
        value = node.value
        if not (isinstance(value, str) and _NAME.fullmatch(value)):
            continue
        if _cuda.is_tensor(value) or not (_is_annotation(node) or _is_patched(node)):
            continue
        yield _renamed(file, node, value)


def _renamed(file: File, node: ast.Constant, value: str) -> Diagnosis:
    found = f"{file.brief(node)} is a name of torch.cuda in a string"
    target = torch_npu.counterpart(value)
    if target is None or value not in file.text(node):
        todo = "torch.npu does not have this name: remove what the string is used for."
        return RULE.manual(file.at(node), found, todo=todo)
    fix = file.fix()
    _edits.replace_part(fix, node, value, target)
    return RULE.auto(file.at(node), found, done=f"Wrote {target}.", fix=fix)


def _is_annotation(node: ast.Constant) -> bool:
    """Whether a string is an annotation, or part of one such as ``Optional["..."]``."""
    inner: ast.AST = node
    for around in ancestors(node):
        if isinstance(around, (ast.arg, ast.AnnAssign)):
            return inner is around.annotation
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return inner is around.returns
        if isinstance(around, (ast.Call, ast.stmt)):
            return False
        inner = around
    return False


def _is_patched(node: ast.Constant) -> bool:
    call = parent(node)
    if not isinstance(call, ast.Call) or call.args[:1] != [node]:
        return False
    return last_name(call.func) in _PATCHES
