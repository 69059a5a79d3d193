"""Rewrite what trains the same numbers faster on an NPU, with ``--tune``; otherwise note it."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnosis, Effort, File, Fix, Rule


def rewrite_or_note(
    rule: Rule, file: File, node: ast.AST, found: str, *, done: str, todo: str = "", fix: Fix
) -> Diagnosis:
    """Rewrite a place with ``--tune``; otherwise note it, together with all others of its rule.

    ``todo`` says what must hold for the numbers to stay the same, where nobody can see it in the
    text.
    """
    if not file.facts.tune:
        return rule.info(
            file.at(node), found, todo=_sentences("Migrate with --tune.", todo), cause=rule.code
        )
    if todo:
        return rule.auto_check(
            file.at(node), found, done=done, todo=todo, effort=Effort.NONE, fix=fix
        )
    return rule.auto(file.at(node), found, done=done, fix=fix)


def leave(rule: Rule, file: File, node: ast.AST, found: str, reason: str) -> Diagnosis:
    """Note a place that ``--tune`` leaves as it is, and why."""
    return rule.info(file.at(node), found, todo=f"--tune leaves it: {reason}.", cause=reason)


def _sentences(*texts: str) -> str:
    return " ".join(filter(None, texts))
