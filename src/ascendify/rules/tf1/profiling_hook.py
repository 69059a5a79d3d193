"""Profiler hooks: taken out of the lists they stand in."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, removal
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
    """A hook in a list or in ``hooks.append(...)``; elsewhere it is told."""
    file, owner = site.file, site.parent
    fix = site.fix()
    if isinstance(owner, (ast.List, ast.Tuple)) and (
        isinstance(owner, ast.List) or len(owner.elts) > 2
    ):
        start, end = _element(file, owner, site.node)
        fix.replace_range(start, end, "")
    elif _appends(owner):
        removal.remove(file, fix, site.node, lambda item: _appends_hook(file, item))
    else:
        yield RULE.manual(
            site,
            f"{site.brief} traces steps for a GPU timeline",
            todo=f"Remove it from the hooks. {_TODO}",
        )
        return
    yield RULE.auto_check(
        site,
        f"{site.brief} traces steps for a GPU timeline",
        done="Removed it from the hooks.",
        todo=_TODO,
        fix=fix,
    )


def _appends(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
        and len(node.args) == 1
        and isinstance(parent(node), ast.Expr)
    )


def _appends_hook(file: File, item: ast.stmt) -> bool:
    if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Call)):
        return False
    call = item.value
    hook = call.args[0] if call.args else None
    return _appends(call) and isinstance(hook, ast.Call) and file.name(hook.func) in _HOOKS


def _element(file: File, display: ast.List | ast.Tuple, node: ast.expr) -> tuple[int, int]:
    """The range of one element with the comma that separates it."""
    module, index = file.module, display.elts.index(node)
    if index + 1 < len(display.elts):
        return module.start(node), module.start(display.elts[index + 1])
    if index:
        return module.end(display.elts[index - 1]), module.end(node)
    return module.start(node), module.end(display) - 1
