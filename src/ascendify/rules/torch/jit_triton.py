"""Triton kernels need triton-ascend, which knows a part of the language."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-JIT-5",
    title="Run Triton kernels with triton-ascend",
    why=(
        "Triton compiles for GPUs. triton-ascend compiles a part of the language for an NPU; block "
        "sizes, number of warps and atomics chosen for a GPU may not fit."
    ),
    statuses=(Status.MANUAL,),
    before="import triton\n\n@triton.jit\ndef kernel(x_ptr, n, BLOCK: tl.constexpr): ...",
)


@RULE.reference("triton.jit", "triton.runtime.jit.jit")
def tell(site: Site) -> Diagnoses:
    """One finding a kernel."""
    around = parent(site.node)
    call = isinstance(around, ast.Call) and around.func is site.node
    owner = parent(around) if call else around
    name = getattr(owner, "name", "")
    yield RULE.manual(
        site,
        f"{name or site.brief} is a Triton kernel",
        todo=(
            "Install triton-ascend in the place of triton and try the kernel by itself with small "
            "inputs; what it refuses is written with PyTorch functions or an operator of torch_npu."
        ),
        effort=Effort.HOURS,
    )
