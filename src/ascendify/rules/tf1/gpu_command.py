"""Strings in programs that are commands for GPU machines: nvidia-smi, mpirun, device lists."""

from __future__ import annotations

import ast
import re

from ascendify.catalog import advice
from ascendify.rules.kit import Diagnoses, File, Rule, Status, environment, statements
from ascendify.source.nodes import string
from ascendify.source.scopes import ancestors, parent

RULE = Rule(
    code="TF1-GPU-10",
    title="Do not run commands of GPU machines",
    why=(
        "nvidia-smi is not there on an NPU machine and CUDA_VISIBLE_DEVICES chooses nothing, so a "
        "program that runs such a command fails or sees no device."
    ),
    statuses=(Status.MANUAL,),
    before="memory = subprocess.check_output(['nvidia-smi', '--query-gpu=memory.used'])",
    framework="tensorflow",
)

_COMMANDS = (
    (
        re.compile(r"(?<![\w.-])nvidia-smi(?![\w.-])"),
        "runs nvidia-smi",
        advice.text("npu-smi"),
    ),
    (
        re.compile(r"\bCUDA_VISIBLE_DEVICES=|\ACUDA_VISIBLE_DEVICES\Z"),
        "chooses GPUs for another program",
        "Set ASCEND_DEVICE_ID to one device for each process that is started.",
    ),
    (
        re.compile(r"\A\s*(?:mpirun|horovodrun)\s+-"),
        "starts processes with MPI",
        advice.text("one-process-per-device"),
    ),
)
_SHOWN = (*statements.LOGGING, "absl.flags.", "tf.app.flags.", "argparse.")
_SHOWING = frozenset({"add_argument", "info", "warning", "warn", "error", "debug", "format"})


@RULE.file
def report_commands(file: File) -> Diagnoses:
    """Strings that are run or put into an environment; help and messages are ignored."""
    text = file.module.source.text
    if not any(word in text for word in ("nvidia-smi", "CUDA_VISIBLE", "mpirun", "horovodrun")):
        return
    for node in file.module.index.of(ast.Constant):
        for pattern, what, todo in _COMMANDS:
            if pattern.search(string(node) or "") and not _is_only_shown(file, node):
                found = f"{file.brief(node)} {what}"
                yield RULE.manual(file.at(node), found, todo=todo, cause=what)
                break


def _is_key(file: File, node: ast.Constant, owner: ast.AST) -> bool:
    """Whether a name is a key of a mapping other than the program's environment."""
    if isinstance(owner, ast.Dict):
        return node in owner.keys
    return (
        isinstance(owner, ast.Subscript)
        and isinstance(owner.ctx, ast.Store)
        and file.name(owner.value) not in environment.REFERENCES
    )


def _is_only_shown(file: File, node: ast.Constant) -> bool:
    """Whether a string is documentation, a message, or a variable that another rule handles."""
    owner = parent(node)
    if isinstance(owner, ast.Expr):
        return True
    if node.value == "CUDA_VISIBLE_DEVICES" and not _is_key(file, node, owner):
        return True
    for item in ancestors(node):
        if isinstance(item, ast.Raise):
            return True
        if isinstance(item, ast.Call):
            name = file.name(item.func) or ""
            if name.startswith(_SHOWN) or name in environment.REFERENCES:
                return True
            if getattr(item.func, "attr", "") in _SHOWING and not name:
                return True
        if isinstance(item, ast.stmt):
            return False
    return False
