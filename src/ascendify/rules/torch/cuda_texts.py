"""Names of torch.cuda in texts that Python reads: annotations, and what tests patch."""

from __future__ import annotations

import ast
import re

from ascendify.catalog import torch_npu
from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.torch import _cuda
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors, parent

RULE = Rule(
    code="TORCH-CUDA-10",
    title="Rename torch.cuda in annotations and patches too",
    why=(
        "A test that patches the text torch.cuda.is_available changes nothing for a program that "
        "asks torch.npu.is_available, and an annotation in quotes says what the name was."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before='def wait(stream: "torch.cuda.Stream") -> None: ...',
    after='def wait(stream: "torch.npu.Stream") -> None: ...',
)
_NAME = re.compile(r"torch\.cuda(?:\.\w+)+")
_PATCHES = ("patch", "object", "setattr", "delattr", "import_module", "resolve_name", "locate")
"""Functions that take the path of an object as a text."""


@RULE.file
def rename(file: File) -> Diagnoses:
    """By what the text is for; one that is shown or written stays."""
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
    found = f"{file.brief(node)} is a name of torch.cuda in a text"
    target = torch_npu.counterpart(value)
    at = file.text(node).find(value)
    if target is None or at < 0:
        todo = "torch.npu has nothing of this name: remove what the text is for."
        return RULE.manual(file.at(node), found, todo=todo)
    fix = file.fix()
    start = file.module.start(node) + at
    fix.replace_range(start, start + len(value), target)
    return RULE.auto(file.at(node), found, done=f"Wrote {target} in it.", fix=fix)


def _is_annotation(node: ast.Constant) -> bool:
    """Whether a text says of what type something is, alone or inside ``Optional["..."]``."""
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
