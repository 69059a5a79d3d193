"""Summary operators: report them in graphs that run several iterations on the device."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status, once
from ascendify.rules.tf1 import _npu

RULE = Rule(
    code="TF1-SUM-1",
    title="Take summaries out of graphs that run several iterations",
    why=(
        "Summary operators belong to the graph. With several iterations a run "
        "(iterations_per_loop) they cannot be fetched."
    ),
    statuses=(Status.MANUAL,),
    before="tf.summary.scalar('loss', loss)",
)

_OPS = tuple(
    f"{module}.{name}"
    for module in ("tf.summary", "tf.contrib.summary")
    for name in ("scalar", "histogram", "image", "audio", "text", "tensor_summary", "generic")
)
_MERGES = ("tf.summary.merge_all", "tf.summary.merge")


@RULE.reference(*_OPS, *_MERGES)
def report_summaries(site: Site) -> Diagnoses:
    """Report the first summary of a file; EstimatorSpec's rule reports those of a model_fn."""
    file = site.file
    if _npu.iterations_per_loop(file) < 2 or any(
        True for _ in file.calls("tf.estimator.EstimatorSpec")
    ):
        return
    others = once.others(site, *_OPS, *_MERGES)
    if others is None:
        return
    yield RULE.manual(
        site,
        f"{site.brief} cannot be fetched while several iterations run on the device{others}",
        todo="Remove the summaries from the training graph, or migrate without "
        "iterations_per_loop.",
    )
