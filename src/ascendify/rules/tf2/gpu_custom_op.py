"""Operators that a program loads from its own library."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status

RULE = Rule(
    code="TF2-GPU-9",
    title="Replace custom operators of GPU libraries",
    why=(
        "A library of operators holds kernels for the CPU and for CUDA. An operator with a CPU "
        "kernel runs on the host, and its tensors are copied to it and back at every step; one "
        "with a CUDA kernel only does not run at all."
    ),
    statuses=(Status.MANUAL,),
    before="ops = tf.load_op_library('./ops.so')",
)


@RULE.call("tf2.load_op_library", "tf2.load_library", "tf.load_op_library", "tf.load_library")
def report_library(site: CallSite) -> Diagnoses:
    """Report ``tf.load_op_library('./ops.so')``."""
    if "tensorflow" in site.file.frameworks:
        return  # the rules of TensorFlow 1 report it in programs with graphs and sessions
    library = site.file.brief(site.node.args[0]) if site.node.args else "a library"
    yield RULE.manual(
        site,
        f"{site.callee} loads operators from {library}, which an NPU cannot run",
        todo="Write the operators with TensorFlow's own, or as custom operators of CANN.",
        effort=Effort.HOURS,
    )
