"""Edits of one word: a part of a dotted name, a piece of a string literal."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.horovod._bindings import ImportNode, alias_ranges
from ascendify.rules.kit import File, Fix
from ascendify.source.scopes import Scope, scope_of


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


def replace_alias(fix: Fix, node: ImportNode, alias: ast.alias, new: str) -> None:
    """Write another thing in the place of one name of an import statement."""
    start, end = alias_ranges(fix.module, node)[node.names.index(alias)]
    fix.replace_range(start, end, new)


def remove_alias(fix: Fix, node: ImportNode, alias: ast.alias) -> None:
    """Take one name out of an import statement, and the statement with the last one."""
    if len(node.names) == 1:
        fix.remove_statement(node)
        return
    parts = alias_ranges(fix.module, node)
    number = node.names.index(alias)
    if number + 1 < len(parts):
        fix.replace_range(parts[number][0], parts[number + 1][0], "")
    else:
        fix.replace_range(parts[number - 1][1], parts[number][1], "")


def torch_name(file: File, fix: Fix, node: ast.AST) -> str:
    """The file's own name for torch at a node; imported where it has none."""
    use = scope_of(node)
    scope: Scope | None = use
    while scope is not None:
        for local, bindings in scope.bindings.items():
            known = all(item.kind == "import" and item.origin == "torch" for item in bindings)
            if bindings and known and use.find(local) is scope:
                return local
        scope = scope.parent
    if use.find("torch") is None:
        starred = next(iter(file.module.index.module.reads.get("torch", ())), None)
        if starred is not None and file.name(starred) == "torch":
            return "torch"
    return fix.use("torch")


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
