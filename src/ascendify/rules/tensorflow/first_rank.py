"""Calls that write files in every rank, rewritten so that rank 0 alone writes."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnosis, Rule, ranks
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import only_target
from ascendify.source.scopes import parent

_TEST = "int(os.getenv('RANK_ID', '0')) == 0"


def guard_statement(rule: Rule, site: CallSite, found: str) -> Diagnosis | None:
    """Put the statement of a call under a test for rank 0; None where it cannot stand there."""
    fix = site.fix()
    if not ranks.guard(site.file, fix, site.statement):
        return None
    return rule.auto(site, found, done=f"Put it under `if {ranks.rank(fix)} == 0:`.", fix=fix)


def guard_callback(rule: Rule, site: CallSite, found: str) -> Diagnosis | None:
    """Give a callback that writes files to ``fit()`` on rank 0 only; None if all have it so."""
    file, fix = site.file, site.fix()
    if isinstance(parent(site.node), ast.List):
        fix.wrap(site.node, "*([", f"] if {ranks.rank(fix)} == 0 else [])")
        return rule.auto(site, found, done="Left it out on all ranks but rank 0.", fix=fix)
    target = only_target(site.statement)
    listed = list(reads(target)) if isinstance(target, ast.Name) else []
    if listed and not any(ranks.all_reach(file, read) for read in listed):
        return None
    if ranks.is_appended(site.node):
        guarded = guard_statement(rule, site, found)
        return guarded or by_hand(rule, site, found)
    if listed and all(isinstance(parent(read), ast.List) for read in listed):
        for read in listed:
            fix.wrap(read, "*([", f"] if {ranks.rank(fix)} == 0 else [])")
        return rule.auto(site, found, done="Gave it to fit() on rank 0 only.", fix=fix)
    if not isinstance(target, ast.Name):
        return by_hand(rule, site, found)
    todo = (
        f"Give fit() {target.id} on rank 0 only: callbacks = callbacks + [{target.id}] if "
        f"{_TEST} else callbacks."
    )
    return rule.manual(site, found, todo=todo)


def by_hand(rule: Rule, site: CallSite, found: str) -> Diagnosis:
    """Say how to let rank 0 alone make the call."""
    return rule.manual(site, found, todo=f"Do it on rank 0 only: under `if {_TEST}:`.")
