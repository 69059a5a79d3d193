"""Device expressions: whether they name a GPU, and whether they depend on a loop."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import Diagnosis, Effort, File, Rule, Site
from ascendify.source.nodes import (
    DEFINITIONS,
    LOOPS,
    block_of,
    function_around,
    is_literal,
    last_name,
    place_in,
)
from ascendify.source.scopes import ancestors, statement
from ascendify.source.values import Function, Ref

_GPU = re.compile(r"(?:^|/)(?:device:)?(?:xla_)?gpu(?::|$)", re.I)
_JOB = re.compile(r"/(?:job|replica|task):", re.I)
_HOLE = re.compile(r"%[-+ #0]*[\d.]*[a-zA-Z]|\{[^{}]*\}")
SCOPES = ("tf.device", "tf.Graph.device")
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
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


def needs_tpu(
    rule: Rule, site: Site, found: str, todo: str, effort: Effort = Effort.HOURS
) -> Diagnosis:
    """Report code that needs a TPU; only a note where the program also runs without one."""
    guard = tpu_guard(site.file, site.node)
    if guard is None:
        return rule.blocker(site, found, todo=todo, effort=effort)
    return rule.info(site, f"{found}; it runs only {guard}", todo=_KEPT)


_KEPT = "Nothing, as long as no TPU is chosen; or remove the branch."


def tpu_guard(file: File, node: ast.AST, depth: int = 3) -> str | None:
    """When code for TPUs runs, where a program can do without it; None where it always runs.

    A condition on TPUs stands around it, or leaves the function before it; an error that is
    caught is raised where there is no TPU; or all calls of its function are guarded so.
    """
    tests = [*_chosen_by(node), *_left_open_by(node)]
    test = next((test for test in tests if "tpu" in file.text(test).lower()), None)
    if test is not None:
        return f"where {file.brief(test)} chooses"
    attempt = _attempt(node)
    if attempt is not None:
        return f"until an error that line {attempt.handlers[0].lineno} catches"
    function = function_around(node)
    if function is None or depth == 0:
        return None
    calls = file.resolver.callers(Function(file.module, function))
    guards = [tpu_guard(file.of(module), call, depth - 1) for module, call, _ in calls]
    return guards[0] if all(guards) and guards else None


def _chosen_by(node: ast.AST) -> Iterator[ast.expr]:
    """Tests around a node that hold where the node runs, by what they name: ``if use_tpu:``."""
    child = node
    for item in ancestors(node):
        if isinstance(item, (ast.If, ast.IfExp)) and child is not item.test:
            body = item.body if isinstance(item.body, list) else [item.body]
            if (child in body) is not _is_negative(item.test):
                yield item.test
        child = item


def _left_open_by(node: ast.AST) -> Iterator[ast.expr]:
    """Tests before a node, ``if not use_tpu: return``, that leave the function in other cases."""
    current: ast.stmt | None = statement(node)
    while current is not None:
        block = block_of(current)
        for item in block[: place_in(block, current) or 0]:
            leaves = isinstance(item, ast.If) and isinstance(item.body[-1], _LEAVES)
            if isinstance(item, ast.If) and leaves and _is_negative(item.test):
                yield item.test
        around = next((item for item in ancestors(current) if isinstance(item, ast.stmt)), None)
        current = None if isinstance(around, DEFINITIONS) else around


def _is_negative(test: ast.expr) -> bool:
    """``not use_tpu``, ``tpu is None``, ``kind != 'tpu'``."""
    if isinstance(test, ast.Compare):
        none = any(is_literal(item, None) for item in test.comparators)
        equal = isinstance(test.ops[0], (ast.Is, ast.Eq))
        return equal is none
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _attempt(node: ast.AST) -> ast.Try | None:
    """The ``try`` around a node whose handlers all go on after an error."""
    child = node
    for item in ancestors(node):
        if isinstance(item, DEFINITIONS):
            return None
        if isinstance(item, ast.Try) and child in item.body and item.handlers:
            goes_on = not any(
                isinstance(part, ast.Raise) or _exits(part)
                for handler in item.handlers
                for part in ast.walk(handler)
            )
            return item if goes_on else None
        child = item
    return None


def _exits(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in ("exit", "_exit", "quit")


def is_function(file: File, node: ast.expr) -> bool:
    """Whether a device is chosen by a function of the project or of TensorFlow."""
    values = file.resolver.infer(file.module, node)
    return bool(values) and all(isinstance(value, (Function, Ref)) for value in values)
