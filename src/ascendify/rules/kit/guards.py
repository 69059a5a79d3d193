"""Imports that may fail without stopping the program."""

from __future__ import annotations

import ast

from ascendify.source.scopes import ancestors

_CAUGHT = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def may_fail(node: ast.AST, *also: str) -> bool:
    """Whether an import is inside a ``try`` that catches ImportError or one of the given errors."""
    child = node
    for item in ancestors(node):
        if isinstance(item, ast.Try) and child in item.body:
            return any(_catches(handler, _CAUGHT.union(also)) for handler in item.handlers)
        child = item
    return False


def _catches(handler: ast.ExceptHandler, errors: frozenset[str]) -> bool:
    if handler.type is None:
        return True
    names = {getattr(item, "id", "") for item in ast.walk(handler.type)}
    return bool(names & errors)
