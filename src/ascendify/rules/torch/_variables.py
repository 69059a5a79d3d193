"""Find and rename environment variables in string literals of programs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.rules.kit import File
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors, parent, statement

_SHOWN = re.compile(r"builtins\.print|logging\..*|warnings\.warn")
_SHOWING = frozenset(
    {"add_argument", "info", "warning", "warn", "error", "debug", "print", "log", "format"}
)


@dataclass(frozen=True)
class VariableMention:
    """A literal with the name of a variable, alone or before ``=`` in a command."""

    node: ast.expr
    variable: str
    whole: bool
    """The literal is the name and nothing else."""


def mentions(file: File, variables: tuple[str, ...]) -> Iterator[VariableMention]:
    """Literals with the name of one of these variables, except docstrings and messages."""
    text = file.module.source.text
    present = [name for name in variables if name in text]
    if not present:
        return
    for node in file.module.index.of(ast.Constant):
        if not isinstance(node.value, str) or isinstance(parent(node), ast.Expr):
            continue
        for name in present:
            if node.value == name:
                yield VariableMention(_literal(node), name, True)
            elif re.search(rf"(?<!\w){name}=", node.value) and not _is_shown(file, node):
                yield VariableMention(_literal(node), name, False)


def renamed(file: File, mention: VariableMention, name: str) -> str | None:
    """The literal's source with the new name; None where it spells the old name differently."""
    text = file.text(mention.node)
    pattern = rf"(?<!\w){mention.variable}" + ("(?!\\w)" if mention.whole else "(?==)")
    result, count = re.subn(pattern, name, text)
    return result if count else None


def _literal(node: ast.Constant) -> ast.expr:
    """The whole f-string for a part of one, whose position older Pythons do not know."""
    owner = parent(node)
    return owner if isinstance(owner, ast.JoinedStr) else node


def _is_shown(file: File, node: ast.AST) -> bool:
    """Whether a string is only printed or logged."""
    inside = statement(node)
    for item in ancestors(node):
        if item is inside:
            return False
        if isinstance(item, ast.Call):
            name = file.name(item.func) or ""
            last = last_name(item.func)
            return bool(_SHOWN.fullmatch(name)) or last in _SHOWING
    return False
