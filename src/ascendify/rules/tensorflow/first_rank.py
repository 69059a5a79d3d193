"""Calls that write files in every rank, rewritten so that rank 0 alone writes."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnosis, File, Rule, ranks, statements
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import last_name, only_target
from ascendify.source.scopes import ancestors, parent

_TEST = "int(os.getenv('RANK_ID', '0')) == 0"


def guard_statement(rule: Rule, site: CallSite, found: str) -> Diagnosis | None:
    """Put the statement of a call under a test for rank 0; None where it cannot stand there."""
    fix = site.fix()
    if not ranks.guard(site.file, fix, site.statement):
        return None
    return rule.auto(site, found, done=f"Put it under `if {ranks.rank(fix)} == 0:`.", fix=fix)


def guard_value(rule: Rule, site: CallSite, found: str) -> Diagnosis | None:
    """Let other ranks have None for a path that only messages show; None where it serves more."""
    file, holder = site.file, site.statement
    target = only_target(holder)
    if not isinstance(holder, ast.Assign) or holder.value is not site.node:
        return None
    if not isinstance(target, ast.Name):
        return None
    shown = list(reads(target))
    if not shown or not all(_is_shown(file, read) for read in shown):
        return None
    fix = site.fix()
    fix.wrap(holder.value, "", f" if {ranks.rank(fix)} == 0 else None")
    done = f"Ranks other than 0 write nothing, and their {target.id} is None."
    return rule.auto(site, found, done=done, fix=fix)


def _is_shown(file: File, read: ast.expr) -> bool:
    """Whether a value is part of a message and of nothing else."""
    below: ast.AST = read
    for item in ancestors(read):
        if isinstance(item, ast.stmt):
            return False
        if isinstance(item, ast.Attribute):
            return False  # of the path, which None does not have
        if isinstance(item, ast.FormattedValue) and item.format_spec is not None:
            return False  # None has no width
        if isinstance(item, ast.Call) and below is not item.func:
            name = file.name(item.func) or ""
            if name == "builtins.print" or name.startswith(statements.LOGGING):
                return True
            if name != "builtins.str" and (
                last_name(item.func) != "format" or "{:" in file.text(item.func)
            ):
                return False
        elif isinstance(item, ast.BinOp) and not isinstance(item.op, ast.Mod):
            return False  # a path that is put together from None
        below = item
    return False


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
