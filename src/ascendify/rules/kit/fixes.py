"""Fixes that a rule can make with one line: replace an expression, take an item out of a list."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ascendify.rules.fix import Fix
from ascendify.rules.site import File


def replacing(file: File, node: ast.AST, text: str) -> Fix:
    """A fix that replaces one node and nothing else."""
    fix = file.fix()
    fix.replace(node, text)
    return fix


def removing(file: File, node: ast.AST) -> Fix:
    """A fix that removes the statement of a node and nothing else."""
    fix = file.fix()
    fix.remove_statement(node)
    return fix


def remove_item(fix: Fix, items: Sequence[tuple[ast.AST, ast.AST]], index: int) -> None:
    """Remove one item of a list, given by its first and last node, with its comma."""
    module = fix.module
    start, end = module.start(items[index][0]), module.end(items[index][1])
    if index + 1 < len(items):
        end = module.start(items[index + 1][0])
    elif index:
        start = module.end(items[index - 1][1])
    fix.replace_range(start, end, "")
