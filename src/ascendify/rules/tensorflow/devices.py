"""Device expressions: whether they name a GPU, and whether they depend on a loop."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import Diagnosis, Effort, File, Rule, Site
from ascendify.source.nodes import LOOPS, conditions_around
from ascendify.source.scopes import ancestors
from ascendify.source.values import Function, Ref

_GPU = re.compile(r"(?:^|/)(?:device:)?(?:xla_)?gpu(?::|$)", re.I)
_JOB = re.compile(r"/(?:job|replica|task):", re.I)
_HOLE = re.compile(r"%[-+ #0]*[\d.]*[a-zA-Z]|\{[^{}]*\}")
SCOPES = ("tf.device", "tf.Graph.device")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def names_gpu(text: str) -> bool:
    """Whether a device string names a GPU of this process: ``/gpu:0``, ``/device:GPU:1``."""
    return bool(_GPU.search(text)) and not _JOB.search(text)


def is_gpu(file: File, node: ast.expr) -> bool:
    """Whether a device expression surely names a GPU, whichever one."""
    values = file.literal(node)
    if values:
        return all(isinstance(value, str) and names_gpu(value) for value in values)
    template = _template(file, node)
    return template is not None and names_gpu(template)


def _template(file: File, node: ast.expr) -> str | None:
    """The text of a formatted string with ``0`` for what is filled in; None when it is not one."""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _filled(file, node.left)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left = _filled(file, node.left)
        return None if left is None else f"{left}0"
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "format"
    ):
        return _filled(file, node.func.value)
    if isinstance(node, ast.Call) and file.name(node.func) == "builtins.str" and node.args:
        return _template(file, node.args[0])
    return None


def _filled(file: File, node: ast.expr) -> str | None:
    """A format string with its holes closed, where it is a literal."""
    values = file.literal(node)
    if not values or len(values) != 1 or not isinstance(values[0], str):
        return None
    return _HOLE.sub("0", values[0])


def depends_on_loop(node: ast.expr) -> bool:
    """Whether an expression changes from one iteration of a loop to the next, as for towers."""
    varying = {
        item.id
        for loop in ancestors(node)
        if isinstance(loop, (*LOOPS, *_COMPREHENSIONS))
        for item in ast.walk(loop)
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
    }
    return any(isinstance(item, ast.Name) and item.id in varying for item in ast.walk(node))


def is_in_gpu_scope(file: File, node: ast.expr) -> bool:
    """Whether a node is part of the device of a scope that is removed."""
    for item in ancestors(node):
        if isinstance(item, ast.stmt):
            return False
        if isinstance(item, ast.Call) and file.name(item.func) in SCOPES:
            device = item.args[0] if item.args else None
            return device is not None and is_gpu(file, device) and not depends_on_loop(device)
    return False


def needs_tpu(rule: Rule, site: Site, name: str, todo: str) -> Diagnosis:
    """Report what needs a TPU; only a note where a condition on TPUs guards it."""
    tests = conditions_around(site.node)
    guard = next((test for test in tests if "tpu" in site.file.text(test).lower()), None)
    if guard is None:
        return rule.blocker(site, f"{name} needs a TPU", todo=todo, effort=Effort.HOURS)
    return rule.info(
        site,
        f"{name} needs a TPU; it runs only where {site.file.brief(guard)}",
        todo="Keep that condition false, or remove the branch.",
    )


def is_function(file: File, node: ast.expr) -> bool:
    """Whether a device is chosen by a function of the project or of TensorFlow."""
    values = file.resolver.infer(file.module, node)
    return bool(values) and all(isinstance(value, (Function, Ref)) for value in values)
