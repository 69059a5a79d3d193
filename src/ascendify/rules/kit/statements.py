"""Statements of a simple form: one call, or one message."""

from __future__ import annotations

import ast

from ascendify.rules.site import File

LOGGING = ("builtins.print", "tf.logging.", "logging.", "absl.logging.")
"""Beginnings of the names of functions that only print or log."""


def lone_call(statement: ast.AST) -> ast.Call | None:
    """The call that is all a statement does; None for any other statement."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call if isinstance(call, ast.Call) else None


def calls_only(file: File, statement: ast.stmt, names: tuple[str, ...] = LOGGING) -> bool:
    """Whether a statement is a single call of a function with this prefix: usually a message."""
    call = lone_call(statement)
    return call is not None and (file.name(call.func) or "").startswith(names)
