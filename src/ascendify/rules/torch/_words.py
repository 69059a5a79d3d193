"""Edits of one word: a part of a dotted name, a piece of a string literal."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import File, Fix


def link(file: File, node: ast.expr, name: str) -> ast.Attribute | None:
    """The part of an attribute chain that names ``name``: ``torch.cuda`` in ``torch.cuda.amp.x``.

    None where the chain starts below it (``amp.x``): there the import is what has to change.
    """
    last = name.rpartition(".")[2]
    while isinstance(node, ast.Attribute):
        if node.attr == last and file.name(node) == name:
            return node
        node = node.value
    return None


def rename(fix: Fix, node: ast.Attribute, new: str) -> None:
    """Give an attribute another name; what it is read from stays as it is written."""
    end = fix.module.end(node)
    fix.replace_range(end - len(node.attr.encode()), end, new)


def strings(node: ast.expr) -> Iterator[ast.Constant]:
    """The string literals an expression may come to: itself, or what its conditions choose from."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    elif isinstance(node, ast.IfExp):
        yield from strings(node.body)
        yield from strings(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from strings(value)


def replace_word(fix: Fix, literal: ast.Constant, old: str, new: str) -> bool:
    """Replace a word inside a literal, keeping its quotes; False where its text hides the word."""
    start = fix.module.start(literal)
    text = fix.module.segment(literal)
    found = list(re.finditer(rf"(?<![A-Za-z]){re.escape(old)}(?![A-Za-z])", text))
    for match in found:
        fix.replace_range(start + match.start(), start + match.end(), new)
    return bool(found)


def is_device(text: object) -> bool:
    """Whether a value is a CUDA device as torch reads it: ``cuda``, ``cuda:1``."""
    return isinstance(text, str) and re.fullmatch(r"cuda(:\d*)?", text) is not None
