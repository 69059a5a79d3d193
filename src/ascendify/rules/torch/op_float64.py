"""Report 64-bit floats and complex numbers, which few operators of an NPU support."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Site, Status, once

RULE = Rule(
    code="TORCH-OP-1",
    title="Compute in 32-bit floats",
    why=(
        "Most operators of an NPU do not accept 64-bit floats: they fail, or run on the host. "
        "Collectives never accept them."
    ),
    statuses=(Status.MANUAL,),
    before="total = torch.zeros(1, dtype=torch.float64)",
)

_TYPES = (
    "torch.float64", "torch.double", "torch.complex128", "torch.cdouble", "torch.DoubleTensor",
)  # fmt: skip
_TODO = (
    "For tensors on the NPU use {single}; tensors that stay on the CPU, such as statistics of the "
    "data set, can keep their type."
)


@RULE.reference(*_TYPES)
def report_type(site: Site) -> Diagnoses:
    """Report the first mention of such a type in a file."""
    others = once.others(site, *_TYPES)
    if others is None:
        return
    fix = site.fix()
    fix.provisional = True  # another rule may change it to 32 bits
    yield RULE.manual(
        site,
        f"{site.brief} is a type that few NPU operators support{others}",
        todo=_TODO.format(single=_single(site.name)),
        fix=fix,
    )


@RULE.method("double")
def report_method(site: MethodSite) -> Diagnoses:
    """Report ``x.double()`` of a tensor or module."""
    call = site.call
    if site.known is None or call is None or call.args or call.keywords:
        return
    yield RULE.manual(
        site,
        f"{site.file.brief(call)} converts to 64-bit floats, which few NPU operators support",
        todo=_TODO.format(single=".float()"),
    )


def _single(name: str) -> str:
    if "complex" in name or name.endswith("cdouble"):
        return "torch.complex64, or separate real and imaginary parts"
    return "torch.FloatTensor" if name.endswith("Tensor") else "torch.float32"
