"""Report bitwise reductions, which HCCL does not have."""

from __future__ import annotations

from ascendify.catalog import replacements
from ascendify.rules.kit import Diagnoses, Rule, Site, Status

RULE = Rule(
    code="TORCH-DIST-7",
    title="Use reductions that HCCL has",
    why=(
        "HCCL computes sums, products, minimum and maximum, and a mean from a sum. Bitwise "
        "reductions raise an error."
    ),
    statuses=(Status.MANUAL,),
    raises=True,
    before="dist.all_reduce(flag, op=dist.ReduceOp.BOR)",
)

_INSTEAD = replacements.texts("bitwise-reductions")


@RULE.reference(
    *(
        f"torch.distributed.{owner}.{name}"
        for owner in ("ReduceOp", "reduce_op")
        for name in _INSTEAD
    )
)
def report_reduction(site: Site) -> Diagnoses:
    """Report the reduction with what to use for flags."""
    last = site.name.rpartition(".")[2]
    yield RULE.manual(
        site,
        f"{site.text} is a reduction that HCCL does not have",
        todo=(
            f"{_INSTEAD[last]}; for other values gather with all_gather and combine them on each "
            "rank."
        ),
    )
