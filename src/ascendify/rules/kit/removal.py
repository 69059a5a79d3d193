"""Remove statements: which can go without losing an effect, and which blocks around them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ascendify.rules.fix import Fix
from ascendify.rules.kit.names import of_both
from ascendify.rules.kit.statements import calls_only
from ascendify.rules.site import File
from ascendify.source.edits import Edit
from ascendify.source.flow import backward
from ascendify.source.nodes import block_of, place_in
from ascendify.source.scopes import parent, statement

_PURE_CALLS = frozenset(
    {
        *(f"builtins.{name}" for name in (
            "str", "int", "float", "bool", "len", "min", "max", "round", "range", "list", "tuple",
            "dict", "isinstance", "getattr", "hasattr", "enumerate",
        )),
        *(f"horovod.{module}.{name}"
          for module in ("tensorflow", "keras", "tensorflow.keras", "torch")
          for name in ("rank", "local_rank", "size", "local_size")),
        *(f"npu.get_{name}" for name in (
            "rank_id", "local_rank_id", "rank_size", "local_rank_size",
        )),
        "os.getenv", "os.environ.get",
        "tf.GPUOptions", "tf.ConfigProto",
        *of_both(
            "tf.config.experimental.list_physical_devices",
            "tf.config.experimental.list_logical_devices",
            "tf.config.experimental.get_visible_devices",
            "tf.config.experimental.VirtualDeviceConfiguration",
            "tf.config.LogicalDeviceConfiguration",
            "tf.config.list_physical_devices", "tf.config.list_logical_devices",
            "tf.test.is_gpu_available", "tf.test.is_built_with_cuda",
        ),
    }
)  # fmt: skip
"""Calls whose only effect is their value."""
_RANKS = frozenset({"rank", "local_rank", "size", "local_size"})
_RANK_QUERIES = frozenset(
    {
        "rank", "local_rank", "get_rank_id", "get_local_rank_id",
        "get_npu_rank_id", "get_npu_local_rank_id",
    }
)  # fmt: skip
_EFFECTS = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def is_pure(file: File, node: ast.expr) -> bool:
    """Whether leaving out the evaluation of an expression loses nothing but its value."""
    for item in ast.walk(node):
        if isinstance(item, _EFFECTS):
            return False
        if isinstance(item, ast.Call) and not _is_pure_call(file, item):
            return False
    return True


def _is_pure_call(file: File, call: ast.Call) -> bool:
    if file.name(call.func) in _PURE_CALLS:
        return True
    if not isinstance(call.func, ast.Attribute):
        return False
    # methods of a string or a mapping, and rank queries of a wrapper around Horovod
    return call.func.attr in ("format", "join", "get") or (
        call.func.attr in _RANKS and not call.args and not call.keywords
    )


def depends_on_rank(file: File, node: ast.AST) -> bool:
    """Whether an expression gets the rank of this process from Horovod or the NPU.

    A variable does where everything that is assigned to it does.
    """
    return any(
        _is_rank_query(file, item) or (isinstance(item, ast.Name) and _holds_rank(file, item))
        for item in ast.walk(node)
    )


def _is_rank_query(file: File, node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    root, _, rest = (file.name(node.func) or "").partition(".")
    return root in ("horovod", "npu") and rest.rpartition(".")[2] in _RANK_QUERIES


def _holds_rank(file: File, name: ast.Name) -> bool:
    values = [item.value for item in backward.bindings(name)]
    return bool(values) and all(
        value is not None and any(_is_rank_query(file, item) for item in ast.walk(value))
        for value in values
    )


def remove(file: File, fix: Fix, node: ast.AST, removable: Callable[[ast.stmt], bool]) -> ast.stmt:
    """Remove the statement of a node, and the blocks around it that would be empty without it.

    ``removable`` says which neighbours the same rule removes too. A block that loses all its
    statements is removed with the ``if``, ``for`` or ``try`` around it where their own expressions
    have no effect; otherwise it keeps a ``pass``. The edits are the same for each statement of such
    a block, so their order does not matter. Returns the outermost statement that is removed.
    """
    target = statement(node)
    owner, block = parent(target), block_of(target)

    def goes(item: ast.stmt) -> bool:
        return item is target or removable(item)

    if isinstance(owner, ast.Module) or not all(goes(item) for item in block):
        _remove_paragraph(file, fix, target, block, goes)
        return target
    if _serves_only(file, owner, block, goes):
        return remove(file, fix, owner, removable)
    if len(block) == 1:
        fix.remove_statement(target)
        return target
    fix.replace(block[0], "pass")
    for item in block[1:]:
        fix.remove_statement(item)
    return target


def _remove_paragraph(
    file: File, fix: Fix, target: ast.stmt, block: list[ast.stmt], goes: Callable[[ast.stmt], bool]
) -> None:
    """Remove a statement; with the last one of a paragraph, a blank line too."""
    fix.remove_statement(target)
    first = last = place_in(block, target) or 0
    if last + 1 >= len(block) or not _gap(file, target, block[last + 1]):
        return
    while first > 0 and goes(block[first - 1]) and not _gap(file, block[first - 1], block[first]):
        first -= 1
    source = file.module.source
    edit = fix.edits[-1]
    above = block[first].lineno - 1
    line = source.position(edit.end)[0]
    whole_lines = not edit.new and edit.end == source.line_starts[line - 1]
    blank_above = above >= 1 and not source.line(above).strip()
    blank_below = line < len(source.line_starts) and not source.line(line).strip()
    if whole_lines and blank_above and blank_below:
        fix.edits[-1] = Edit(edit.start, source.line_starts[line], "")


def _gap(file: File, before: ast.stmt, after: ast.stmt) -> bool:
    """Whether a blank line directly follows a statement."""
    line = (before.end_lineno or before.lineno) + 1
    return line < after.lineno and not file.module.source.line(line).strip()


def _serves_only(
    file: File, owner: ast.AST, block: list[ast.stmt], goes: Callable[[ast.stmt], bool]
) -> bool:
    """Whether a compound statement only serves to run its block, so that both can be removed."""
    if isinstance(owner, ast.If):
        whole = all(goes(item) for item in (*owner.body, *owner.orelse))
        return whole and not is_elif(file, owner) and is_pure(file, owner.test)
    if isinstance(owner, ast.For):
        return not owner.orelse and block is owner.body and is_pure(file, owner.iter)
    if isinstance(owner, ast.Try):
        return (
            block is owner.body
            and not owner.orelse
            and not owner.finalbody
            and all(_is_harmless(file, item) for handler in owner.handlers for item in handler.body)
        )
    return False


def is_elif(file: File, node: ast.If) -> bool:
    """Whether an ``if`` is written as the ``elif`` of another."""
    owner = parent(node)
    return (
        isinstance(owner, ast.If)
        and owner.orelse == [node]
        and file.module.source.text.startswith("elif", file.module.start(node))
    )


def _is_harmless(file: File, item: ast.stmt) -> bool:
    return isinstance(item, ast.Pass) or calls_only(file, item)
