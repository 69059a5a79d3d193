"""Edit one word of a dotted name or of a string literal."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import File, Fix


def link(file: File, node: ast.expr, name: str) -> ast.Attribute | None:
    """The part of an attribute chain that names ``name``: ``torch.cuda`` in ``torch.cuda.amp.x``.

    None where the chain starts below it (``amp.x``): there the import has to change.
    """
    last = name.rpartition(".")[2]
    while isinstance(node, ast.Attribute):
        if node.attr == last and file.name(node) == name:
            return node
        node = node.value
    return None


def rename(fix: Fix, node: ast.Attribute, new: str) -> None:
    """Rename an attribute, and keep the text of the object before the dot."""
    end = fix.module.end(node)
    fix.replace_range(end - len(node.attr.encode()), end, new)


def strings(node: ast.expr) -> Iterator[ast.Constant]:
    """The string literals that may be an expression's value: itself, or the branches of an if."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    elif isinstance(node, ast.IfExp):
        yield from strings(node.body)
        yield from strings(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from strings(value)


def replace_word(fix: Fix, literal: ast.Constant, old: str, new: str) -> bool:
    """Replace a word in a literal's text; False where the text spells it differently."""
    start = fix.module.start(literal)
    text = fix.module.segment(literal)
    found = list(re.finditer(rf"(?<![A-Za-z]){re.escape(old)}(?![A-Za-z])", text))
    for match in found:
        fix.replace_range(start + match.start(), start + match.end(), new)
    return bool(found)


def replace_part(fix: Fix, node: ast.expr, old: str, new: str) -> None:
    """Replace the first occurrence of a text in a node's source."""
    start = fix.module.start(node) + fix.module.segment(node).index(old)
    fix.replace_range(start, start + len(old), new)


def name_npu(fix: Fix, *values: ast.expr) -> bool:
    """Write npu for cuda in the device literals among some values; False without any."""
    found = [item for value in values for item in strings(value) if is_device(item.value)]
    return bool(found) and all(replace_word(fix, item, "cuda", "npu") for item in found)


def is_device(text: object) -> bool:
    """Whether a value is a CUDA device as torch reads it: ``cuda``, ``cuda:1``."""
    return isinstance(text, str) and re.fullmatch(r"cuda(:\d*)?", text) is not None
