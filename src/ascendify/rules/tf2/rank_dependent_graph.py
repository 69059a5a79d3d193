"""Functions that some ranks build differently."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import Diagnoses, Effort, File, Rule, Status
from ascendify.rules.tf1 import rank_dependent_graph
from ascendify.rules.tf2 import _traced
from ascendify.source.nodes import function_around

RULE = Rule(
    code="TF2-RANK-1",
    title="Build the same function on every rank",
    why=(
        "All ranks must compile the same graph and run its collectives in the same order. A "
        "summary or an operator that only one rank has makes the graphs differ, and the job hangs."
    ),
    statuses=(Status.BLOCKER,),
    before=(
        "@tf.function\n"
        "def step(x):\n"
        "    if hvd.rank() == 0:\n"
        "        tf.summary.scalar('loss', x, step=1)\n"
        "    return x"
    ),
)

_STEPS = frozenset({"call", "train_step", "test_step"})
"""Methods that Keras traces."""
_RANKS = frozenset({"worker_id", "rank_id", "global_rank", "is_chief", "is_master"})
_ASKS = re.compile(r"rank|worker_id|is_chief|is_master", re.I)
_HARMLESS = ("tf2.print", "tf2.get_logger", "tf2.io.")


@RULE.file
def same_function(file: File) -> Diagnoses:
    """Look under every condition on the rank inside a function that is traced."""
    if not _ASKS.search(file.module.source.text):
        return
    for node in file.module.index.of(ast.If):
        if not _is_traced(file, node) or not _on_rank(file, node.test):
            continue
        built = [
            call
            for item in (*node.body, *node.orelse)
            for call in ast.walk(item)
            if isinstance(call, ast.Call) and _builds(file, call)
        ]
        if built:
            condition = file.brief(node.test, 50)
            yield RULE.blocker(
                file.at(built[0]),
                f"{file.brief(built[0].func, 40)} is part of the graph only on some ranks, as "
                f"{condition} decides inside a traced function",
                todo=(
                    "Return what it needs from the function and do it outside, under "
                    f"`if {condition}:`; or build it on every rank."
                ),
                effort=Effort.MINUTES,
            )


def _is_traced(file: File, node: ast.AST) -> bool:
    if _traced.around(file.resolver, file.module, node) is not None:
        return True
    return getattr(function_around(node), "name", "") in _STEPS


def _on_rank(file: File, test: ast.expr) -> bool:
    if any(getattr(item, "attr", "") in _RANKS for item in ast.walk(test)):
        return True
    return rank_dependent_graph.on_rank(file, test)


def _builds(file: File, call: ast.Call) -> bool:
    name = file.name(call.func) or ""
    return name.startswith("tf2.") and not name.startswith(_HARMLESS)
