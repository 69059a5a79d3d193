"""Checks for Inf and NaN: what they protect, and what to do in place of them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ascendify.catalog import hardware
from ascendify.rules.kit import CallSite, Diagnoses, Rule
from ascendify.rules.tensorflow import host
from ascendify.source.scopes import ancestors

SATURATING = " and ".join(each.series for each in hardware.families().values() if not each.inf_nan)
"""Products whose arithmetic has no Inf."""


@dataclass(frozen=True)
class CheckAdvice:
    """What to do about a check, depending on what it protects."""

    gradients: str
    assertion: str
    otherwise: str

    def about(self, site: CallSite, assertion: str) -> str:
        """Choose the advice; ``assertion`` is the name of the call that asserts."""
        if guards_gradients(site):
            return self.gradients
        asserts = any(
            isinstance(item, ast.Call) and site.file.name(item.func) == assertion
            for item in ancestors(site.node)
        )
        return self.assertion if asserts else self.otherwise


def guards_gradients(site: CallSite) -> bool:
    """Whether the statement of a check speaks of gradients."""
    return "grad" in site.file.text(site.statement).lower()


def assertion_findings(rule: Rule, site: CallSite) -> Diagnoses:
    """Say for a rule that an assertion about finite values may never fail."""
    if host.runs_on_host(site.file, site.node):
        return
    yield rule.info(
        site,
        f"{site.callee} sees no Inf on an NPU whose arithmetic saturates",
        todo=(
            f"Do not rely on it to find overflow on the {SATURATING}; migrate with "
            "--over-dump true to find where one arises."
        ),
    )
