"""Ranks of a job: find code that only one rank runs, and put statements under a test for rank 0."""

from __future__ import annotations

import ast
import re

from ascendify.rules.fix import Fix
from ascendify.rules.site import File
from ascendify.source.flow import backward
from ascendify.source.nodes import block_of, conditions_around, function_around
from ascendify.source.scopes import ancestors, parent, statement

RANK = re.compile(r"rank|master|chief|is_main|worker_id|RANK_ID|DEVICE_ID", re.I)
"""Words in names by which people distinguish ranks."""


def rank(fix: Fix) -> str:
    """Which of the ranks this process is, as an expression; 0 where there is one."""
    return f"int({fix.use('os')}.getenv('RANK_ID', '0'))"


def is_for_one_rank(file: File, node: ast.AST) -> bool:
    """Whether a node is inside a branch that only some ranks take."""
    return any(tells_ranks(file, test) for test in conditions_around(node))


def tells_ranks(file: File, node: ast.expr) -> bool:
    """Whether an expression depends on the rank, itself or through the variable it names."""
    if RANK.search(file.text(node)):
        return True
    return isinstance(node, ast.Name) and any(
        binding.value is not None and RANK.search(file.text(binding.value)) is not None
        for binding in backward.bindings(node)
    )


def all_reach(file: File, node: ast.AST) -> bool:
    """Whether all ranks of a job reach a node."""
    if is_for_one_rank(file, node):
        return False
    function = function_around(node)
    return not any(RANK.search(file.text(test)) for test in _exits(function, node))


def _exits(function: ast.AST | None, node: ast.AST) -> list[ast.expr]:
    """Tests of a function that leave it before a node is reached: ``if rank != 0: return``."""
    return [
        item.test
        for item in ([] if function is None else ast.walk(function))
        if isinstance(item, ast.If)
        and item.lineno < getattr(node, "lineno", 0)
        and any(isinstance(part, (ast.Return, ast.Raise, ast.Continue)) for part in item.body)
    ]


def is_appended(node: ast.AST) -> bool:
    """``callbacks.append(ModelCheckpoint(...))``."""
    call = parent(node)
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and isinstance(parent(call), ast.Expr)
    )


def guard(file: File, fix: Fix, target: ast.stmt) -> bool:
    """Put a statement under a test for rank 0; False where it shares its lines."""
    source, module = file.module.source, file.module
    first, last = target.lineno, target.end_lineno or target.lineno
    indent = module.indent(target)
    line = source.line(first)
    alone = line.startswith(indent) and module.start(target) == source.line_starts[first - 1] + len(
        indent
    )
    after = source.line(last)[module.end(target) - source.line_starts[last - 1] :].lstrip()
    in_strings = any(
        isinstance(item, (ast.Constant, ast.JoinedStr)) and item.end_lineno != item.lineno
        for item in ast.walk(target)
    )
    shares = any(
        item is not target and item.lineno == first for item in block_of(statement(target))
    )
    if not alone or after.startswith(";") or in_strings or shares or _is_in_line(target):
        return False
    unit = fix.indent_unit
    start = module.start(target)
    test = f"if {rank(fix)} == 0:{source.newline}{indent}{unit}"
    fix.replace_range(start, start, test)
    for number in range(first + 1, last + 1):
        at = source.line_starts[number - 1]
        if source.line(number).strip():
            fix.replace_range(at, at, unit)
    return True


def _is_in_line(target: ast.stmt) -> bool:
    """Whether a statement shares the line of the statement around it: ``if done: save()``."""
    return any(
        isinstance(item, ast.stmt) and item.lineno == target.lineno for item in ancestors(target)
    )
