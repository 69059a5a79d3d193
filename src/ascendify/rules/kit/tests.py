"""Recognise test code, which checks small pieces and trains nothing."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable
from typing import TypeVar

from ascendify.rules.rule import Diagnosis
from ascendify.rules.site import File, Site
from ascendify.source.scopes import ancestors
from ascendify.source.test_files import is_test_file
from ascendify.source.values import Class

S = TypeVar("S", bound=Site)


def outside_tests(
    handler: Callable[[S], Iterable[Diagnosis]],
) -> Callable[[S], Iterable[Diagnosis]]:
    """Make a handler ignore test cases, which train nothing."""

    @functools.wraps(handler)
    def guarded(site: S) -> Iterable[Diagnosis]:
        return () if in_test(site.file, site.node) else handler(site)

    return guarded


def in_test(file: File, node: ast.AST) -> bool:
    """Whether a node is inside a test case or in a file with test cases."""
    return is_test_file(file.path, file.module.source.text) or in_test_case(file, node)


def in_test_case(file: File, node: ast.AST) -> bool:
    """Whether a node is inside a class of tests."""
    return any(
        base.endswith("TestCase")
        for item in ancestors(node)
        if isinstance(item, ast.ClassDef)
        for base in file.resolver.external_bases(Class(file.module, item))
    )
