"""Report Triton kernels, which need triton-ascend."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status
from ascendify.source.nodes import call_of
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-JIT-5",
    title="Run Triton kernels with triton-ascend",
    why=(
        "Triton compiles for GPUs. triton-ascend compiles part of the language for an NPU; block "
        "sizes, numbers of warps and atomics that were chosen for a GPU may not work."
    ),
    statuses=(Status.MANUAL,),
    before="import triton\n\n@triton.jit\ndef kernel(x_ptr, n, BLOCK: tl.constexpr): ...",
)


@RULE.reference("triton.jit", "triton.runtime.jit.jit")
def report_kernel(site: Site) -> Diagnoses:
    """Report each kernel once."""
    name = getattr(parent(call_of(site.node) or site.node), "name", "")
    yield RULE.manual(
        site,
        f"{name or site.brief} is a Triton kernel",
        todo=(
            "Install triton-ascend instead of triton and test the kernel alone with small inputs. "
            "If it fails, write it with PyTorch functions or an operator of torch_npu."
        ),
        effort=Effort.HOURS,
    )
