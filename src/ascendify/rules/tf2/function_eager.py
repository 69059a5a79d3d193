"""Switches that run functions operator by operator."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Site, Status
from ascendify.rules.kit.tests import in_test

RULE = Rule(
    code="TF2-FUNC-1",
    title="Run functions as graphs",
    why=(
        "The NPU is fast on whole graphs. Eager functions send it one operator at a time, and "
        "run_functions_eagerly is on the vendor's list of unsupported functions."
    ),
    statuses=(Status.MANUAL,),
    before="tf.config.run_functions_eagerly(True)",
)

_SWITCHES = (
    "tf2.config.run_functions_eagerly",
    "tf2.config.experimental_run_functions_eagerly",
    "tf.config.run_functions_eagerly",
    "tf.config.experimental_run_functions_eagerly",
)
_TODO = "Take it out for training on the NPU; to look into a step, run on the host."


@RULE.call(*_SWITCHES)
def report_switch(site: CallSite) -> Diagnoses:
    """``tf.config.run_functions_eagerly(True)``."""
    value = site.args.value("run_eagerly")
    if value is None and site.node.args:
        value = site.node.args[0]
    if value is None or site.file.literal(value) == (False,) or in_test(site.file, site.node):
        return
    sure = site.file.literal(value) == (True,)
    found = f"{site.brief} {'runs' if sure else 'may run'} every function operator by operator"
    yield RULE.manual(site, found, todo=_TODO)


@RULE.call("tf2.keras.Model.compile")
def report_compile(site: CallSite) -> Diagnoses:
    """``model.compile(..., run_eagerly=True)``."""
    given = site.args.get("run_eagerly")
    if given is None or site.file.literal(given.value) != (True,):
        return
    found = f"{site.file.brief(given.node)} trains operator by operator"
    yield RULE.manual(site.at(given.node), found, todo=_TODO)


@RULE.store("tf2.keras.Model.run_eagerly")
def report_store(site: Site) -> Diagnoses:
    """``model.run_eagerly = True``."""
    value = getattr(site.statement, "value", None)
    if value is not None and site.file.literal(value) == (True,):
        found = f"{site.file.brief(site.statement)} trains operator by operator"
        yield RULE.manual(site, found, todo=_TODO)
