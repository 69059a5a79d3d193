"""Checkpoints that a program reads only in part."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-CKPT-2",
    title="Say that a checkpoint is read in part",
    why=(
        "A checkpoint of the original holds the variables of its own optimizer and loss scale. A "
        "migrated program may have others, and restore warns about each. A reference port notes "
        "that it needed expect_partial()."
    ),
    statuses=(Status.INFO,),
    before="checkpoint = tf.train.Checkpoint(model=model)\ncheckpoint.restore('model.ckpt')",
)


@RULE.call("tf2.train.Checkpoint.restore", "tf2.train.Checkpoint.read")
@outside_tests
def report(site: CallSite) -> Diagnoses:
    """Report a restore whose result is not checked; once per file."""
    if not isinstance(parent(site.node), ast.Expr) or isinstance(site.receiver, ast.Call):
        return
    earlier = site.file.calls("tf2.train.Checkpoint.restore", "tf2.train.Checkpoint.read")
    first = next((item for item in earlier if isinstance(parent(item.node), ast.Expr)), None)
    if first is not None and first.node is not site.node:
        return
    yield RULE.info(
        site,
        f"{site.callee} reads checkpoints of the original too; to evaluate or to train on with "
        f"another optimizer, {site.brief}.expect_partial() keeps it quiet",
    )
