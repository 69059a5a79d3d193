"""Datasets: the chain of calls that makes one, and its name for messages."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import File
from ascendify.source.flow import backward
from ascendify.source.nodes import receiver
from ascendify.source.scopes import parent

_LONGEST = 100


def chain(node: ast.expr) -> Iterator[ast.Call]:
    """The calls a dataset was made by, last first: down the receivers and through variables.

    A variable is followed only where exactly one assignment reaches its use, and a generated chain
    of thousands of calls not to its end.
    """
    seen: set[ast.AST] = set()
    current: ast.expr | None = node
    while current is not None and current not in seen and len(seen) < _LONGEST:
        seen.add(current)
        if isinstance(current, ast.Call):
            yield current
            current = receiver(current)
        elif isinstance(current, ast.Name):
            current = backward.only_value(current)
        else:
            current = None


def spelled(file: File, call: ast.Call) -> str:
    """How to name a call to the user: ``dataset.batch``, or ``batch()`` at the end of a chain."""
    func = call.func
    if isinstance(func, ast.Attribute) and any(
        isinstance(part, ast.Call) for part in ast.walk(func.value)
    ):
        return f"{func.attr}()"
    return file.brief(func)


def dataset_name(file: File, call: ast.Call) -> str:
    """The user's variable that holds the dataset of a call, ``dataset`` when it has none."""
    owner = parent(call)
    applied = isinstance(owner, ast.Call) and getattr(owner.func, "attr", "") == "apply"
    current: ast.expr = owner if applied and isinstance(owner, ast.Call) else call
    while isinstance(current, (ast.Call, ast.Attribute)):
        current = current.func if isinstance(current, ast.Call) else current.value
    if isinstance(current, ast.Name) and current.id != "self" and not file.names(current)[0]:
        return current.id
    return "dataset"
