"""XLA's just-in-time compilation: switch it off, because the NPU has its own compiler."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Site, Status, fixes

RULE = Rule(
    code="TF1-XLA-1",
    title="Switch XLA off",
    why=(
        "XLA fuses operators into clusters compiled for CPUs and GPUs before the NPU sees the "
        "graph, so the clusters cannot run on the NPU, which compiles the graph itself."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="options.global_jit_level = tf.OptimizerOptions.ON_1",
    after="options.global_jit_level = tf.OptimizerOptions.OFF",
)

_OPTIONS = "tf.OptimizerOptions"
_OFF = "-1"
"""The number of OptimizerOptions.OFF; 0 leaves the choice to environment variables."""


@RULE.reference(f"{_OPTIONS}.ON_1", f"{_OPTIONS}.ON_2")
def level_off(site: Site) -> Diagnoses:
    """Switch off ``tf.OptimizerOptions.ON_1`` wherever it is used, except in comparisons."""
    if not isinstance(site.node, ast.Attribute) or isinstance(site.parent, ast.Compare):
        return
    fix = site.fix()
    end = site.file.module.end(site.node)
    fix.replace_range(end - len(site.node.attr), end, "OFF")
    yield RULE.auto(site, f"{site.brief} switches XLA on", done="Replaced it by OFF.", fix=fix)


@RULE.store(f"{_OPTIONS}.global_jit_level")
def number_off(site: Site) -> Diagnoses:
    """``config.graph_options.optimizer_options.global_jit_level = 1``."""
    statement = site.statement
    if isinstance(statement, ast.Assign) and _is_on(statement.value):
        yield _off(site, statement.value)


@RULE.call(_OPTIONS)
def argument_off(site: CallSite) -> Diagnoses:
    """``tf.OptimizerOptions(global_jit_level=1)``."""
    value = site.args.value("global_jit_level")
    if value is not None and _is_on(value):
        yield _off(site, value)


@RULE.call("tf.config.optimizer.set_jit")
def switch_off(site: CallSite) -> Diagnoses:
    """``tf.config.optimizer.set_jit(True)``."""
    value = site.args.value("enabled")
    if value is None or (isinstance(value, ast.Constant) and not value.value):
        return
    if isinstance(value, ast.Constant):
        fix = fixes.replacing(site.file, value, "False")
        yield RULE.auto(site, f"{site.brief} switches XLA on", done="Set it to False.", fix=fix)
    else:
        todo = f"Run with {site.file.brief(value)} set to False."
        yield RULE.manual(site, f"{site.brief} may switch XLA on", todo=todo)


def _is_on(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value in (1, 2)


def _off(site: Site, value: ast.expr) -> Diagnosis:
    return RULE.auto(
        site.at(value),
        f"global_jit_level {site.file.brief(value)} switches XLA on",
        done=f"Replaced it by {_OFF}, the value of OptimizerOptions.OFF.",
        fix=fixes.replacing(site.file, value, _OFF),
    )
