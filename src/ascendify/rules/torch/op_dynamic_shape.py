"""Operators whose result has a shape that depends on the values."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status, once

RULE = Rule(
    code="TORCH-OP-2",
    title="Keep shapes the same from step to step",
    why=(
        "An NPU compiles operators for shapes. A result whose shape depends on values makes the "
        "host wait for the device, and new shapes are compiled again."
    ),
    statuses=(Status.INFO,),
    before="index = torch.nonzero(x)",
)

_NAMES = tuple(
    f"{owner}.{name}"
    for owner in ("torch", "torch.Tensor")
    for name in ("nonzero", "masked_select", "unique", "argwhere")
)
_INSTEAD = {
    "nonzero": "torch.where(condition, a, b) or multiplying by the mask keeps the shape",
    "argwhere": "torch.where(condition, a, b) or multiplying by the mask keeps the shape",
    "masked_select": "torch.where(mask, x, 0) with a count keeps the shape",
    "unique": "on the CPU, before the data goes to the NPU, it costs least",
}


@RULE.reference(*_NAMES)
def tell_operator(site: Site) -> Diagnoses:
    """The first of each kind in a file."""
    last = site.name.rpartition(".")[2]
    others = once.others(site, f"torch.{last}", f"torch.Tensor.{last}")
    if others is not None:
        yield RULE.info(
            site, f"{site.brief} gives a shape that depends on values{others}; {_INSTEAD[last]}"
        )
