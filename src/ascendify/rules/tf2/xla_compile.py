"""XLA's just-in-time compilation: switch it off, because the NPU has its own compiler."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Status, removal

RULE = Rule(
    code="TF2-XLA-1",
    title="Do not compile functions with XLA",
    why=(
        "The NPU compiles graphs itself. npu_device drops jit_compile from tf.function, but not "
        "where the function was imported before the NPU was opened, and XLA clusters of Keras and "
        "of set_jit are compiled for the host."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="@tf.function(jit_compile=True)\ndef step(x):\n    return x * 2",
    after="@tf.function\ndef step(x):\n    return x * 2",
)

_SWITCHES = ("jit_compile", "experimental_compile")


@RULE.call("tf2.function", "tf2.keras.Model.compile")
def drop_switch(site: CallSite) -> Diagnoses:
    """``tf.function(jit_compile=True)``, ``model.compile(jit_compile=True)``."""
    for name in _SWITCHES:
        given = site.args.get(name)
        if given is None or given.keyword is None:
            continue
        values = site.file.literal(given.value)
        if values is not None and not any(values):
            continue
        if values is None or not all(value is True or value == "auto" for value in values):
            yield _unknown(site, name, given.value)
            continue
        fix = site.fix()
        alone = len(site.node.keywords) == 1 and not site.node.args
        if alone and _decorates(site.node):
            fix.replace(site.node, site.file.text(site.node.func))
        else:
            fix.remove_argument(site.node, given)
        spelled = site.file.brief(given.node)
        found = f"{spelled} of {site.callee} compiles with XLA"
        yield RULE.auto(site.at(given.node), found, done=f"Removed {spelled}.", fix=fix)


@RULE.call("tf2.config.optimizer.set_jit", "tf.config.optimizer.set_jit")
def drop_global(site: CallSite) -> Diagnoses:
    """``tf.config.optimizer.set_jit(True)``."""
    value = site.args.value("enabled")
    values = None if value is None else site.file.literal(value)
    if value is None or (values is not None and not any(values)):
        return
    if values is None:
        yield _unknown(site, "enabled", value)
        return
    fix = site.fix()
    found = f"{site.brief} compiles all graphs with XLA"
    if isinstance(site.statement, ast.Expr) and site.statement.value is site.node:
        target = site.statement
        removal.remove(site.file, fix, target, lambda item: item is target)
        yield RULE.auto(site, found, done="Removed it.", fix=fix)
        return
    fix.replace(value, "False")
    yield RULE.auto(site, found, done="Set it to False.", fix=fix)


def _unknown(site: CallSite, name: str, value: ast.expr) -> Diagnosis:
    return RULE.manual(
        site,
        f"{site.brief} may compile with XLA",
        todo=f"Run with {site.file.brief(value)} set to False, which {name} takes.",
    )


def _decorates(call: ast.Call) -> bool:
    owner = getattr(call, "parent", None)
    return call in getattr(owner, "decorator_list", ())
