"""Replace code for PyTorch before 0.4: ``loss.data[0]``, ``Variable(x, volatile=True)``."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.torch import _drift
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-DRIFT-3",
    title="Read numbers from tensors with item",
    why=(
        "Since PyTorch 0.4 a loss has no dimension, so loss.data[0] fails, and volatile=True has "
        "no effect: validation keeps the whole graph in memory. " + _drift.WHY
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    raises=True,
    before="total += loss.data[0]",
    after="total += loss.item()",
    framework="torch",
)

_LOSSES = ("loss", "err", "cost", "acc", "prec", "norm")


@RULE.file
def use_item(file: File) -> Diagnoses:
    """Replace ``loss.data[0]`` of an object whose name says loss, error or the like."""
    if ".data[0]" not in file.module.source.text:
        return
    for node in file.module.index.of(ast.Subscript):
        value = node.value
        if (
            not isinstance(value, ast.Attribute)
            or value.attr != "data"
            or not isinstance(node.ctx, ast.Load)
            or not (isinstance(node.slice, ast.Constant) and node.slice.value == 0)
            or isinstance(parent(node), (ast.Attribute, ast.Subscript))
        ):
            continue
        spelled = file.fix().operand(value.value)
        if any(word in spelled.lower() for word in _LOSSES):
            fix = file.fix()
            new = f"{spelled}.item()"
            fix.replace(node, new)
            yield _drift.rewrite_or_report(
                RULE, file, node, f"{file.brief(node)} fails where it has no dimension", new, fix
            )


@RULE.call("torch.autograd.Variable", "torch.autograd.variable.Variable")
def report_volatile(site: CallSite) -> Diagnoses:
    """Report ``volatile=True``, which has no effect any more."""
    volatile = site.args.get("volatile")
    if volatile is not None:
        yield RULE.manual(
            site,
            f"{site.brief} keeps the graph, because volatile has no effect",
            todo="Run the code that uses it under `with torch.no_grad():`, and remove Variable.",
        )
