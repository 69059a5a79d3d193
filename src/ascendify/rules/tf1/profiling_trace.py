"""Step traces of a session: remove them, because an NPU records none."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Site, Status, removal
from ascendify.source.nodes import only_target

RULE = Rule(
    code="TF1-PROF-1",
    title="Do not trace session runs",
    why=(
        "A traced run records TensorFlow's kernels one by one. On an NPU the graph runs as a "
        "whole, so the trace shows nothing of it and costs time; the NPU has a profiler of its own."
    ),
    statuses=(Status.AUTO_CHECK,),
    before="options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)",
    after="options = tf.RunOptions()",
    safety="Run metadata and timelines made from these runs are empty.",
)

_LEVELS = ("FULL_TRACE", "SOFTWARE_TRACE", "HARDWARE_TRACE")
_TODO = (
    "Run metadata and timelines of these runs stay empty: remove the code that writes them. To "
    "profile on an NPU use the options profiling_mode and profiling_options."
)


@RULE.call("tf.RunOptions")
def remove_argument(site: CallSite) -> Diagnoses:
    """``tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)``."""
    given = site.args.get("trace_level")
    if given is None or not _traces(site.file, given.value):
        return
    fix = site.fix()
    fix.remove_argument(site.node, given)
    yield RULE.auto_check(
        site,
        f"{site.brief} traces every run it is given to",
        done=f"Removed {site.file.brief(given.node)}.",
        todo=_TODO,
        fix=fix,
    )


@RULE.store("tf.RunOptions.trace_level")
def remove_store(site: Site) -> Diagnoses:
    """``options.trace_level = tf.RunOptions.FULL_TRACE``."""
    file, target = site.file, site.statement
    if not _is_store(file, target):
        return
    fix = site.fix()
    removal.remove(file, fix, target, lambda item: _is_store(file, item))
    yield RULE.auto_check(
        site.at(target),
        f"{file.brief(target)} traces every run it is given to",
        done="Removed it.",
        todo=_TODO,
        fix=fix,
    )


def _is_store(file: File, item: ast.stmt) -> bool:
    target = only_target(item)
    return (
        isinstance(item, ast.Assign)
        and isinstance(target, ast.Attribute)
        and file.name(target) == "tf.RunOptions.trace_level"
        and _traces(file, item.value)
    )


def _traces(file: File, value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int) and value.value > 0
    name = file.name(value) or ""
    return name.startswith("tf.RunOptions.") and name.endswith(_LEVELS)
