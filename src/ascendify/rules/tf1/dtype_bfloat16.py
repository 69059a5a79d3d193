"""bfloat16: report it, because not every NPU has it."""

from __future__ import annotations

import ast

from ascendify.catalog import advice
from ascendify.rules.kit import CallSite, Diagnoses, Rule, Site, Status
from ascendify.rules.kit.tests import in_test
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-TYPE-3",
    title="Check that the NPU has bfloat16",
    why=advice.text("bfloat16-hardware"),
    statuses=(Status.MANUAL,),
    before="x = tf.cast(x, tf.bfloat16)",
)

_TODO = advice.text("bfloat16-tensorflow")


@RULE.reference("tf.bfloat16")
def report_type(site: Site) -> Diagnoses:
    """Report a call of TensorFlow with this type; a comparison with the type is harmless."""
    owner = parent(site.node)
    if isinstance(owner, ast.keyword):
        owner = parent(owner)
    if not isinstance(owner, ast.Call) or owner.func is site.node:
        return
    if in_test(site.file, owner):
        return
    names, _ = site.file.names(owner.func)
    if any(name.startswith(("tf.", "keras.")) for name in names):
        yield RULE.manual(
            site,
            f"{site.file.brief(owner.func)} makes a bfloat16 tensor, which not every NPU has",
            todo=_TODO,
        )


@RULE.call("tf.contrib.tpu.bfloat16_scope", "tf.tpu.bfloat16_scope")
def report_scope(site: CallSite) -> Diagnoses:
    """The scope TPU scripts use."""
    yield RULE.manual(
        site, f"{site.callee} makes layers compute in bfloat16, which not every NPU has", todo=_TODO
    )
