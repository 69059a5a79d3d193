"""Imports that may fail without stopping the program."""

from __future__ import annotations

import ast
import re

from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors

_CAUGHT = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_TESTS = re.compile(
    r"is_\w*(?:available|installed)(?:_\w+)?|\w*_?available|has_\w+|have_\w+|\w+_(?:installed|found)"
    r"|find_spec|package_available",
    re.I,
)
"""Names of functions and variables that say whether a library is there."""
_EXITS = ("exit", "_exit", "abort")
STOPS, CAUGHT, TESTED, LATER = "stops", "caught", "tested", "later"
"""What happens where an import fails: the program stops as it starts; it goes on; the import is not
reached, because the program tests for the library; the program stops when it comes there."""


def may_fail(node: ast.AST, *also: str) -> bool:
    """Whether an import stands in a ``try`` that catches ImportError, or one of these errors.

    A handler that raises or exits does not let the program go on.
    """
    child = node
    for item in ancestors(node):
        if isinstance(item, ast.Try) and child in item.body:
            caught = [each for each in item.handlers if _catches(each, _CAUGHT.union(also))]
            return bool(caught) and not _stops(caught[0].body)
        child = item
    return False


def guard_of_import(node: ast.AST) -> str:
    """What happens where an import fails: one of the four words above."""
    if may_fail(node):
        return CAUGHT
    guard, child = STOPS, node
    for item in ancestors(node):
        if isinstance(item, ast.If) and child is not item.test and not _is_main(item.test):
            if child in item.body and _tests_library(item.test):
                return TESTED
            guard = LATER
        elif isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            guard = LATER
        child = item
    return guard


def is_for_types(node: ast.AST) -> bool:
    """Whether a statement is for type checkers only and never runs."""
    return any(
        isinstance(item, ast.If) and last_name(item.test) == "TYPE_CHECKING"
        for item in ancestors(node)
    )


def _tests_library(test: ast.expr) -> bool:
    """Whether a condition asks if some library is there."""
    return any(
        _TESTS.fullmatch(last_name(item) or "") is not None
        for item in ast.walk(test)
        if isinstance(item, (ast.Name, ast.Attribute))
        and not f"{ast.unparse(item)}.".startswith("torch.")
    )


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and last_name(test.left) == "__name__"


def _stops(body: list[ast.stmt]) -> bool:
    """Whether a handler ends the program."""
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    called = last.value if isinstance(last, ast.Expr) else None
    return isinstance(called, ast.Call) and last_name(called.func) in _EXITS


def _catches(handler: ast.ExceptHandler, errors: frozenset[str]) -> bool:
    if handler.type is None:
        return True
    names = {getattr(item, "id", "") for item in ast.walk(handler.type)}
    return bool(names & errors)
