"""Code that runs after an estimator's train() or evaluate(), which shut HCCL down."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, File
from ascendify.source.nodes import function_around
from ascendify.source.scopes import ancestors

_CYCLES = (
    "tf.estimator.train_and_evaluate",
    *(f"{estimator}.{method}"
      for estimator in ("tf.estimator.Estimator", "npu.NPUEstimator")
      for method in ("train", "evaluate")),
)  # fmt: skip


def cycle_before(file: File, node: ast.expr) -> CallSite | None:
    """A train() or evaluate() that the same function runs before a node, or in a loop around it."""
    return next((cycle for cycle in file.calls(*_CYCLES) if _precedes(cycle.node, node)), None)


def _precedes(cycle: ast.Call, node: ast.expr) -> bool:
    if function_around(cycle) is not function_around(node):
        return False
    end = (cycle.end_lineno or cycle.lineno, cycle.end_col_offset or 0)
    if end <= (node.lineno, node.col_offset):
        return True
    around = set(ancestors(cycle))
    return any(
        isinstance(item, (ast.For, ast.While)) and item in around for item in ancestors(node)
    )
