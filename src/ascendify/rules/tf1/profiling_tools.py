"""TensorFlow's profilers: report that they record no times of an NPU."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status, once

RULE = Rule(
    code="TF1-PROF-3",
    title="Know what TensorFlow's profilers record on an NPU",
    why=(
        "tf.profiler reads traces of TensorFlow's kernels. Counts of parameters and operations "
        "come from the graph and stay right; times and memory of the device are not recorded."
    ),
    statuses=(Status.INFO,),
    before="tf.profiler.profile(graph, run_meta=run_metadata, cmd='op')",
)

_TOOLS = (
    "tf.profiler.profile", "tf.profiler.advise", "tf.profiler.Profiler", "tf.profiler.write_op_log",
    "tf.contrib.tfprof.ProfileContext", "tf.contrib.tfprof.model_analyzer",
    "tf.python.client.timeline.Timeline",
)  # fmt: skip


@RULE.reference(*_TOOLS)
def report_tool(site: Site) -> Diagnoses:
    """The first mention in a file."""
    others = once.others(site, *_TOOLS)
    if others is None:
        return
    yield RULE.info(
        site,
        f"{site.brief} sees the graph but no times or memory of an NPU{others}; "
        "the NPU options profiling_mode and profiling_options record those",
    )
