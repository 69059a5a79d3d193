"""Replace ``correct[:k].view(-1)``, which fails with current releases of PyTorch."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Status
from ascendify.rules.torch import _drift
from ascendify.source.nodes import call_of, is_minus_one

RULE = Rule(
    code="TORCH-DRIFT-1",
    title="Flatten parts of tensors with reshape",
    why=(
        "Since PyTorch 1.7 a comparison with a transposed tensor returns a transposed one, whose "
        "rows view(-1) cannot flatten: the accuracy function of many projects fails with 'view "
        "size is not compatible'. " + _drift.WHY
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    raises=True,
    before="correct_k = correct[:k].view(-1).float().sum(0)",
    after="correct_k = correct[:k].reshape(-1).float().sum(0)",
    framework="torch",
)


def _flattens_rows(node: ast.Attribute) -> bool:
    """``x[:k].view(-1)``."""
    call, rows = call_of(node), node.value
    return (
        call is not None
        and not call.keywords
        and len(call.args) == 1
        and is_minus_one(call.args[0])
        and isinstance(rows, ast.Subscript)
        and isinstance(rows.slice, ast.Slice)
        and rows.slice.lower is None
        and rows.slice.step is None
    )


@RULE.method("view", where=_flattens_rows)
def use_reshape(site: MethodSite) -> Diagnoses:
    """Flatten leading rows with reshape, which has the same result wherever view works."""
    call, text = site.parent, site.text
    fix = site.fix()
    new = f"{text[: -len('view')]}reshape"
    fix.replace(site.node, new)
    spelled = site.file.brief(call)
    yield _drift.rewrite_or_report(
        RULE,
        site.file,
        call,
        f"{spelled} fails on a transposed tensor since PyTorch 1.7",
        spelled.replace(".view(", ".reshape("),
        fix,
    )
