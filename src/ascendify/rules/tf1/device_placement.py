"""Placement options: switch soft placement on and the placement log off."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Site, Status, fixes
from ascendify.source.nodes import is_literal

RULE = Rule(
    code="TF1-DEV-2",
    title="Allow soft placement and do not log placements",
    why=(
        "Without soft placement an operator that is bound to a GPU stops the session on an NPU. "
        "The placement log shows TensorFlow's devices, which say nothing about the NPU."
    ),
    statuses=(Status.AUTO,),
    before="config = tf.ConfigProto(allow_soft_placement=False, log_device_placement=True)",
    after="config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)",
)

_WRONG = {"allow_soft_placement": False, "log_device_placement": True}
_SWITCHES = {
    "tf.config.set_soft_device_placement": False,
    "tf.debugging.set_log_device_placement": True,
}
_WHAT = {
    False: "stops the session when an operator is bound to a GPU",
    True: "logs devices that say nothing about the NPU",
}


@RULE.call("tf.ConfigProto")
def correct_arguments(site: CallSite) -> Diagnoses:
    """``tf.ConfigProto(allow_soft_placement=False)``."""
    for name, wrong in _WRONG.items():
        given = site.args.get(name)
        if given is not None and is_literal(given.value, wrong):
            yield _corrected(site, given.value, wrong, site.file.brief(given.node))


@RULE.store(*(f"tf.ConfigProto.{name}" for name in _WRONG))
def correct_store(site: Site) -> Diagnoses:
    """``config.log_device_placement = True``."""
    statement = site.statement
    wrong = _WRONG[site.name.rpartition(".")[2]]
    if isinstance(statement, ast.Assign) and is_literal(statement.value, wrong):
        yield _corrected(site, statement.value, wrong, site.file.brief(statement))


@RULE.call(*_SWITCHES)
def correct_switch(site: CallSite) -> Diagnoses:
    """``tf.config.set_soft_device_placement(False)``."""
    value = site.args.value("enabled")
    wrong = _SWITCHES[site.name]
    if value is not None and is_literal(value, wrong):
        yield _corrected(site, value, wrong, site.brief)


def _corrected(site: Site, value: ast.expr, wrong: bool, spelled: str) -> Diagnosis:
    found, right = f"{spelled} {_WHAT[wrong]}", str(not wrong)
    fix = fixes.replacing(site.file, value, right)
    return RULE.auto(site.at(value), found, done=f"Set it to {right}.", fix=fix)
