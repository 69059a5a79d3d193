"""Report or rewrite code that fails with current releases of libraries."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnosis, File, Fix, Rule

WHY = (
    "torch_npu is built for current releases of PyTorch and Python, and most projects are older: "
    "the first error on an NPU machine is often one that has nothing to do with the NPU."
)


def rewrite_or_report(
    rule: Rule, file: File, node: ast.AST, found: str, new: str, fix: Fix
) -> Diagnosis:
    """Rewrite a place with ``--fix-drift``; otherwise report what to write."""
    if file.facts.fix_drift:
        return rule.auto(file.at(node), found, done=f"Replaced it by {new}.", fix=fix)
    return rule.manual(
        file.at(node), found, todo=f"Write {new}, or migrate with --fix-drift.", cause=new
    )
