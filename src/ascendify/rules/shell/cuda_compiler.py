"""CUDA kernels that scripts compile: report them."""

from __future__ import annotations

import re

from ascendify.rules.kit import Diagnoses, Effort, Rule, Status, TextSite
from ascendify.rules.shell import _script

RULE = Rule(
    code="SH-NVCC-1",
    title="Do without kernels that are compiled with CUDA",
    why=(
        "Operators written in CUDA have no kernel for an NPU, and an NPU machine has no compiler "
        "for them. A network that uses them cannot be compiled."
    ),
    statuses=(Status.MANUAL,),
    before="nvcc roi_pooling.cu -o roi_pooling.cu.o -c -x cu",
)

_NVCC = re.compile(r"(?:^|[/}])nvcc$|^\$\{?NVCC\}?$")
_SOURCE = re.compile(r"[\w./-]+\.cu$")


@RULE.text("shell")
def report_compiler(site: TextSite) -> Diagnoses:
    """Every call of nvcc, with the source it compiles."""
    if "nvcc" not in site.text.lower():
        return
    for command in _script.commands(site.text):
        words = command.rest
        if not words or not _NVCC.search(words[0].value):
            continue
        source = next((word.text for word in words if _SOURCE.fullmatch(word.value)), "")
        what = f"the CUDA kernels of {source}" if source else "CUDA kernels"
        yield RULE.manual(
            site.at(words[0].start, command.end),
            f"{words[0].text} compiles {what}",
            todo=(
                "Write the operator with TensorFlow's own, or as a custom operator of CANN, and "
                "remove the line. One that has a CPU kernel too can be built from that alone and "
                "stay on the host, under `with npu_scope.without_npu_compile_scope():` "
                "(npu_bridge.estimator.npu) with the NPU option mix_compile_mode=true."
            ),
            effort=Effort.HOURS,
        )
