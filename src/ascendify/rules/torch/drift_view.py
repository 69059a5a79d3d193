"""``correct[:k].view(-1)``: a view that newer releases of PyTorch cannot make."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.findings import Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import MethodSite
from ascendify.rules.torch import _drift

RULE = Rule(
    code="TORCH-DRIFT-1",
    title="Flatten parts of tensors with reshape",
    why=(
        "Since PyTorch 1.7 comparing with a transposed tensor gives a transposed one, of which "
        "view(-1) cannot flatten some rows: the accuracy function of many projects stops with "
        "'view size is not compatible'. " + _drift.WHY
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="correct_k = correct[:k].view(-1).float().sum(0)",
    after="correct_k = correct[:k].reshape(-1).float().sum(0)",
    framework="torch",
)


@RULE.method("view")
def use_reshape(site: MethodSite) -> Iterator[Diagnosis]:
    """Some leading rows that are flattened; reshape gives the same numbers wherever view can."""
    call = site.call
    rows = site.node.value
    if (
        call is None
        or call.keywords
        or len(call.args) != 1
        or not _is_minus_one(call.args[0])
        or not isinstance(rows, ast.Subscript)
        or not isinstance(rows.slice, ast.Slice)
        or rows.slice.lower is not None
        or rows.slice.step is not None
    ):
        return
    text = site.text
    fix = site.fix()
    new = f"{text[: -len('view')]}reshape"
    fix.replace(site.node, new)
    spelled = site.file.brief(call)
    yield _drift.mended(
        RULE,
        site.file,
        call,
        f"{spelled} fails on a transposed tensor since PyTorch 1.7",
        spelled.replace(".view(", ".reshape("),
        fix,
    )


def _is_minus_one(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and node.operand.value == 1
    )
