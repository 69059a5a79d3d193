"""Version drift: old calls that new releases of the libraries no longer have."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnosis, File, Fix, Rule

WHY = (
    "torch_npu is built for current releases of PyTorch and Python, and most projects are older "
    "than these: what stops them first on an NPU machine often has nothing to do with the NPU."
)


def mended(rule: Rule, file: File, node: ast.AST, found: str, new: str, fix: Fix) -> Diagnosis:
    """A rewrite, where the user asked for such; otherwise the same as advice."""
    if file.facts.fix_drift:
        return rule.auto(file.at(node), found, done=f"Replaced it by {new}.", fix=fix)
    return rule.manual(file.at(node), found, todo=f"Write {new}; migrating with --fix-drift does.")
