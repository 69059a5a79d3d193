"""Operators loaded from a shared library: report them, because an NPU has no kernel for them."""

from __future__ import annotations

import re

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status

RULE = Rule(
    code="TF1-GPU-9",
    title="Replace custom operators",
    why=(
        "A shared library holds kernels for CPUs and GPUs. The NPU has none for these operators, "
        "so the graph cannot be compiled around them."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL),
    before="roi = tf.load_op_library('./roi_pooling.so')",
)

_CUDA = re.compile(r"cuda|gpu|\.cu\b", re.I)


@RULE.call("tf.load_op_library", "tf.load_library")
def report_library(site: CallSite) -> Diagnoses:
    """A library: a blocker where its name says that it is for GPUs; others may run on the host."""
    file = site.file
    library = next((argument.value for argument in site.args), None)
    named = "a library" if library is None else file.brief(library)
    cuda = library is not None and bool(_CUDA.search(file.text(library)))
    yield RULE.finding(
        Status.BLOCKER if cuda else Status.MANUAL,
        site,
        f"{site.callee} loads operators from {named}, which an NPU cannot run",
        todo=(
            "Write the operators with TensorFlow's own, or as custom operators of CANN. "
            "Operators with a CPU kernel can stay on the host: under `with "
            "npu_scope.without_npu_compile_scope():` (npu_bridge.estimator.npu) with the NPU "
            "option mix_compile_mode=true."
        ),
        effort=Effort.REWRITE if cuda else Effort.HOURS,
    )
