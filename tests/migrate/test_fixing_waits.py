"""Fixes that do not fit together: what fails only beside another waits for the next pass."""

from __future__ import annotations

import ast

from ascendify.findings import Finding, Span, Status
from ascendify.migrate.fixing import fix_python
from ascendify.rules.fix import Fix
from ascendify.rules.rule import Diagnosis
from ascendify.source.module import Module
from ascendify.source.text import SourceText

SOURCE = "with scope():\n    a = 1\n    b = 2\n"


def _module() -> Module:
    module = Module.parse_text("main.py", SourceText(SOURCE))
    assert module.index.calls
    return module


def _diagnosis(fix: Fix) -> Diagnosis:
    return Diagnosis(Finding("X-1", Status.AUTO, "main.py", Span(), "found"), fix)


def _unwrap(module: Module) -> Diagnosis:
    fix = Fix(module)
    node = module.tree.body[0]
    assert isinstance(node, ast.With)
    fix.unwrap_with(node)
    return _diagnosis(fix)


def _insert(module: Module) -> Diagnosis:
    fix = Fix(module)
    node = module.tree.body[0]
    assert isinstance(node, ast.With)
    fix.insert_before(node.body[1], "new = 3")
    return _diagnosis(fix)


def test_a_line_put_into_a_block_that_loses_a_level_waits() -> None:
    module = _module()
    first, second = _unwrap(module), _insert(module)
    fixed = fix_python(module, [first, second])
    assert fixed.text == "a = 1\nb = 2\n"
    assert fixed.applied == [first]
    assert fixed.deferred == [second]
    assert fixed.broken == []


def test_what_never_parses_is_told_as_broken() -> None:
    module = _module()
    fix = Fix(module)
    fix.replace(module.tree.body[0], "with (")
    bad = _diagnosis(fix)
    fixed = fix_python(module, [bad])
    assert fixed.broken == [bad]
    assert fixed.deferred == []
