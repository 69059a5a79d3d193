"""Parts of a graph handed to XLA."""

from __future__ import annotations

from ascendify.rules.kit import Rule
from ascendify.rules.tf1 import xla_scope
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-XLA-2",
    title="Do not hand parts of a graph to XLA",
    why=xla_scope.RULE.why,
    statuses=xla_scope.RULE.statuses,
    before=xla_scope.RULE.before,
    after=xla_scope.RULE.after,
)

adopt(RULE, xla_scope.RULE)
