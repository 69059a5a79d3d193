"""64-bit floats and complex numbers: types an NPU hardly computes with."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Site, Status, once

RULE = Rule(
    code="TORCH-OP-1",
    title="Compute in 32-bit floats",
    why=(
        "Most operators of an NPU do not take 64-bit floats: they fail, or are computed on the "
        "host. Collectives never take them."
    ),
    statuses=(Status.MANUAL,),
    before="total = torch.zeros(1, dtype=torch.float64)",
)

_TYPES = (
    "torch.float64", "torch.double", "torch.complex128", "torch.cdouble", "torch.DoubleTensor",
)  # fmt: skip
_TODO = (
    "For tensors that go to the NPU use {single}; what stays on the CPU, such as a statistic of "
    "the whole data set, can keep its type."
)


@RULE.reference(*_TYPES)
def tell_type(site: Site) -> Diagnoses:
    """The first mention of such a type in a file."""
    others = once.others(site, *_TYPES)
    if others is None:
        return
    fix = site.fix()
    fix.provisional = True  # another rule may make it 32 bits
    yield RULE.manual(
        site,
        f"{site.brief} is a type that NPUs hardly compute with{others}",
        todo=_TODO.format(single=_single(site.name)),
        fix=fix,
    )


@RULE.method("double")
def tell_method(site: MethodSite) -> Diagnoses:
    """``x.double()`` of a tensor or module; of something unknown only where it is called so."""
    call = site.call
    if site.known is None or call is None or call.args or call.keywords:
        return
    yield RULE.manual(
        site,
        f"{site.file.brief(call)} makes 64-bit floats, which NPUs hardly compute with",
        todo=_TODO.format(single=".float()"),
    )


def _single(name: str) -> str:
    if "complex" in name or name.endswith("cdouble"):
        return "torch.complex64, or real and imaginary part apart"
    return "torch.FloatTensor" if name.endswith("Tensor") else "torch.float32"
