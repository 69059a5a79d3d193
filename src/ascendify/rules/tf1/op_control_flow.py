"""Control flow: report what an NPU cannot compile, and loops whose shapes change."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Site, Status
from ascendify.rules.tensorflow import host
from ascendify.source.nodes import is_literal

RULE = Rule(
    code="TF1-OP-9",
    title="Keep to control flow an NPU compiles",
    why=(
        "An NPU compiles tf.cond, tf.while_loop and tf.case. Hand-made Switch and Merge operators "
        "are not recognised, and a loop whose shapes change needs the functional second version."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL),
    before="output, _ = control_flow_ops.merge([a, b])",
)

_RAW = ("Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond")
_PRIVATE = ("switch", "merge", "ref_switch", "ref_merge", "enter", "exit", "next_iteration")
_NAMES = (
    *(f"tf.raw_ops.{name}" for name in (*_RAW, *(f"Ref{name}" for name in _RAW))),
    *(f"tf.python.ops.control_flow_ops.{name}" for name in _PRIVATE),
    *(f"tf.python.ops.gen_control_flow_ops.{name}" for name in _PRIVATE),
)


@RULE.reference(*_NAMES)
def report_raw(site: Site) -> Diagnoses:
    """Raw operators, which cond or while_loop must replace."""
    diagnosis = RULE.blocker(
        site,
        f"{site.brief} builds control flow by hand, which an NPU cannot compile",
        todo="Write the branch with tf.cond or tf.case and the loop with tf.while_loop.",
        effort=Effort.HOURS,
        cause=site.path,
    )
    yield from host.in_network(site.file, site.node, diagnosis)


@RULE.call("tf.while_loop")
def report_changing_shapes(site: CallSite) -> Diagnoses:
    """Loops that declare shapes that change."""
    shapes = site.args.value("shape_invariants")
    if shapes is None or not any(is_literal(item, None) for item in ast.walk(shapes)):
        return
    if next(site.file.calls("tf.enable_control_flow_v2"), None) is not None:
        return
    yield RULE.manual(
        site,
        f"{site.callee} has shape_invariants with dimensions that change",
        todo=(
            "Best give the loop variables fixed shapes (allocate the longest and write by "
            "index). Otherwise call tf.enable_control_flow_v2() and "
            "tf.enable_resource_variables() right after importing TensorFlow in the script that "
            "is run, or export ENABLE_FORCE_V2_CONTROL=1."
        ),
        effort=Effort.HOURS,
    )
