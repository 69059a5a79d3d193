"""TensorFlow's profilers: what they can show on an NPU."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status, once
from ascendify.rules.kit.tests import in_test

RULE = Rule(
    code="TF2-PROF-2",
    title="Profile with the NPU's own profiler",
    why=(
        "tf.profiler records TensorFlow's kernels on the host and on GPUs. An NPU runs a compiled "
        "graph of its own, of which nothing is recorded."
    ),
    statuses=(Status.INFO,),
    before="tf.profiler.experimental.start('logs')",
)

_TOOLS = tuple(
    f"tf2.profiler.experimental.{name}"
    for name in ("start", "stop", "Profile", "Trace", "server.start", "client.trace")
)


@RULE.reference(*_TOOLS)
def report_tool(site: Site) -> Diagnoses:
    """The first mention in a file."""
    others = once.others(site, *_TOOLS)
    if others is None or in_test(site.file, site.node):
        return
    yield RULE.info(
        site,
        f"{site.brief} records no times or memory of an NPU{others}; the global options "
        "profiling_config.enable_profiling and profiling_config.profiling_options do",
    )
