"""Edits of one name of an import statement."""

from __future__ import annotations

import ast
import io
import tokenize

from ascendify.rules.fix import Fix
from ascendify.source.module import Module
from ascendify.source.nodes import ImportNode


def replace_alias(fix: Fix, node: ImportNode, alias: ast.alias, new: str) -> None:
    """Replace one name of an import statement."""
    start, end = _ranges(fix.module, node)[node.names.index(alias)]
    fix.replace_range(start, end, new)


def remove_alias(fix: Fix, node: ImportNode, alias: ast.alias) -> None:
    """Remove one name from an import statement, or the whole statement with its last name."""
    if len(node.names) == 1:
        fix.remove_statement(node)
        return
    parts = _ranges(fix.module, node)
    number = node.names.index(alias)
    if number + 1 < len(parts):
        fix.replace_range(parts[number][0], parts[number + 1][0], "")
    else:
        fix.replace_range(parts[number - 1][1], parts[number][1], "")


def _ranges(module: Module, node: ImportNode) -> list[tuple[int, int]]:
    """The range of each name of an import statement, which Python 3.9's tree does not have."""
    start = module.start(node)
    text = module.source.text[start : module.end(node)]
    lines = [0]
    for line in io.StringIO(text, newline="").readlines():
        lines.append(lines[-1] + len(line))
    ranges: list[tuple[int, int]] = []
    current: tuple[int, int] | None = None
    inside = False
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if not inside:
            inside = token.type == tokenize.NAME and token.string == "import"
        elif token.type == tokenize.NAME or token.string in (".", "*"):
            first = start + lines[token.start[0] - 1] + token.start[1]
            last = start + lines[token.end[0] - 1] + token.end[1]
            current = (current[0] if current else first, last)
        elif token.string == "," and current:
            ranges.append(current)
            current = None
    if current:
        ranges.append(current)
    return ranges
