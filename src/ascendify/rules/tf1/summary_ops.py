"""Summary operators in the training graph: what they cost, and where they make ranks differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.findings import Effort, Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import File, Site
from ascendify.rules.tf1 import _cleanup, _once
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TF1-SUM-1",
    title="Build the same summaries on every rank, and know when they are written",
    why=(
        "Summary operators belong to the graph. Built on one rank only they make the graphs of a "
        "distributed training differ, and it hangs; with several iterations a run they cannot be "
        "fetched."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="if hvd.rank() == 0:\n    tf.summary.scalar('loss', loss)",
)

_OPS = tuple(
    f"{module}.{name}"
    for module in ("tf.summary", "tf.contrib.summary")
    for name in ("scalar", "histogram", "image", "audio", "text", "tensor_summary", "generic")
)
_MERGES = ("tf.summary.merge_all", "tf.summary.merge")


@RULE.reference(*_OPS, *_MERGES)
def tell_summaries(site: Site) -> Iterator[Diagnosis]:
    """Summaries under a condition on the rank; else one remark a file where it matters."""
    guard = _rank_guard(site.file, site.node)
    if guard is not None and site.name not in _MERGES:
        yield site.finding(
            RULE,
            Status.MANUAL,
            f"{site.file.brief(site.node)} is built only if {site.file.brief(guard)}, so the ranks "
            "have different graphs",
            todo=(
                "Build it on every rank, or fetch the value with sess.run and write it on one rank "
                "with writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag=..., "
                "simple_value=value)]), step)."
            ),
            effort=Effort.MINUTES,
        )
        return
    looped = _iterations(site.file) > 1
    if site.file.facts.distributed == "none" and not looped:
        return
    others = _once.others(site, *_OPS, *_MERGES)
    if others is None:
        return
    spelled = site.file.brief(site.node)
    if not looped:
        yield site.finding(
            RULE,
            Status.INFO,
            f"{spelled} belongs to the graph{others}: every rank of a distributed training has to "
            "build it",
        )
    elif not any(True for _ in site.file.calls("tf.estimator.EstimatorSpec")):
        # what a model_fn builds is told with its EstimatorSpec
        yield site.finding(
            RULE,
            Status.MANUAL,
            f"{spelled} cannot be fetched while several iterations run on the device{others}",
            todo=(
                "Remove the summaries from the training graph, or migrate without "
                "iterations_per_loop."
            ),
            effort=Effort.MINUTES,
        )


def _iterations(file: File) -> int:
    asked = str(file.facts.npu_options.get("iterations_per_loop", 1))
    return int(asked) if asked.isdigit() else 1


def _rank_guard(file: File, node: ast.AST) -> ast.expr | None:
    """The condition on a rank under which a node is built."""
    child = node
    for item in ancestors(node):
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return None
        if (
            isinstance(item, ast.If)
            and child is not item.test
            and _cleanup.asks_rank(file, item.test)
        ):
            return item.test
        child = item
    return None
