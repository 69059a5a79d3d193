"""Profiler hooks: remove them from the lists of hooks."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, fixes, removal
from ascendify.rules.kit.statements import lone_call
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-PROF-2",
    title="Remove profiler hooks",
    why=(
        "A ProfilerHook traces steps to draw a GPU timeline. On an NPU the timeline is empty and "
        "the traced steps are slow; the NPU has a profiler of its own."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="hooks = [tf.train.ProfilerHook(save_steps=100), stop]",
    after="hooks = [stop]",
    safety="No timeline is written.",
)

_HOOKS = ("tf.train.ProfilerHook", "tf.contrib.hooks.ProfilerHook")
_TODO = "To profile on an NPU use the options profiling_mode and profiling_options."


@RULE.call(*_HOOKS)
def remove_hook(site: CallSite) -> Diagnoses:
    """Remove a hook from a list or from ``hooks.append(...)``; report it elsewhere."""
    file, owner = site.file, site.parent
    fix, found = site.fix(), f"{site.brief} traces steps for a GPU timeline"
    if isinstance(owner, (ast.List, ast.Tuple)) and (
        isinstance(owner, ast.List) or len(owner.elts) > 2
    ):
        fixes.remove_item(fix, [(item, item) for item in owner.elts], owner.elts.index(site.node))
    elif _appends(owner):
        removal.remove(file, fix, site.node, lambda item: _appends_hook(file, item))
    else:
        yield RULE.manual(site, found, todo=f"Remove it from the hooks. {_TODO}")
        return
    yield RULE.auto_check(site, found, done="Removed it from the hooks.", todo=_TODO, fix=fix)


def _appends(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
        and len(node.args) == 1
        and isinstance(parent(node), ast.Expr)
    )


def _appends_hook(file: File, item: ast.stmt) -> bool:
    call = lone_call(item)
    if call is None or not _appends(call):
        return False
    hook = call.args[0]
    return isinstance(hook, ast.Call) and file.name(hook.func) in _HOOKS
