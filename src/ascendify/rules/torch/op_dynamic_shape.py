"""Note operators whose result has a shape that depends on values."""

from __future__ import annotations

from ascendify.catalog import replacements
from ascendify.rules.kit import Diagnoses, Rule, Site, Status, once

RULE = Rule(
    code="TORCH-OP-2",
    title="Keep shapes the same from step to step",
    why=(
        "An NPU compiles operators for given shapes. A result whose shape depends on values makes "
        "the host wait for the device, and every new shape is compiled again."
    ),
    statuses=(Status.INFO,),
    before="index = torch.nonzero(x)",
)

_NAMES = tuple(
    f"{owner}.{name}"
    for owner in ("torch", "torch.Tensor")
    for name in ("nonzero", "masked_select", "unique", "argwhere")
)
_INSTEAD = replacements.texts("dynamic-shapes")


@RULE.reference(*_NAMES)
def note_operator(site: Site) -> Diagnoses:
    """Note the first operator of each kind in a file."""
    last = site.name.rpartition(".")[2]
    others = once.others(site, f"torch.{last}", f"torch.Tensor.{last}")
    if others is not None:
        yield RULE.info(
            site,
            f"{site.brief} has a result whose shape depends on values{others}; {_INSTEAD[last]}",
        )
