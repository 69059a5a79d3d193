"""When the code that a finding is about stops the program: at import, at the first step, never."""

from __future__ import annotations

import ast
from dataclasses import replace

from ascendify.findings import Finding, Status, Stop
from ascendify.rules.kit import guards
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import File
from ascendify.source.nodes import statement_at
from ascendify.source.scopes import ancestors

_ERRORS = ("RuntimeError", "AttributeError", "AssertionError", "TypeError", "ValueError", "OSError")
"""What code for GPUs raises on an NPU; a program that catches it goes on."""
_LATER = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef)
"""What is in these does not run, or perhaps not, while a module is imported."""


def in_python(rule: Rule, diagnosis: Diagnosis, file: File) -> Diagnosis:
    """The diagnosis with what is known of when its code stops the program."""
    if not _raises(rule, diagnosis):
        return diagnosis
    return replace(
        diagnosis, finding=replace(diagnosis.finding, stops=_when(diagnosis.finding, file))
    )


def in_text(rule: Rule, diagnosis: Diagnosis) -> Diagnosis:
    """The same for a file that is not Python: a command that fails is met before the first step."""
    if diagnosis.finding.status is Status.BLOCKER or not _raises(rule, diagnosis):
        return diagnosis
    return replace(diagnosis, finding=replace(diagnosis.finding, stops=Stop.STEP))


def _raises(rule: Rule, diagnosis: Diagnosis) -> bool:
    """Whether the code raises an error on an NPU as long as nobody has changed it."""
    if diagnosis.finding.status is Status.BLOCKER:
        return True
    if diagnosis.finding.status is not Status.MANUAL:
        return False
    return rule.raises if diagnosis.raises is None else diagnosis.raises


def _when(finding: Finding, file: File) -> Stop:
    statement = statement_at(file.module.tree, finding.span.line)
    if statement is None:
        return Stop.STEP
    if guards.may_fail(statement, *_ERRORS):
        return Stop.NEVER
    if any(isinstance(around, _LATER) for around in ancestors(statement)):
        return Stop.STEP
    is_import = isinstance(statement, (ast.Import, ast.ImportFrom))
    return Stop.IMPORT if is_import or not _is_program(file) else Stop.STEP


def _is_program(file: File) -> bool:
    """Whether a file is only run, so that what stands at its top level is the training itself."""
    if file.path.endswith(".ipynb"):
        return True
    return file.is_entry and not file.resolver.project.importer_paths(file.path)
