"""Reductions bit by bit: HCCL has none."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status

RULE = Rule(
    code="TORCH-DIST-7",
    title="Reduce with what HCCL can do",
    why=(
        "HCCL adds, multiplies and takes the smallest or largest; a mean is made of a sum. Bitwise "
        "reductions raise an error."
    ),
    statuses=(Status.MANUAL,),
    before="dist.all_reduce(flag, op=dist.ReduceOp.BOR)",
)

_INSTEAD = {
    "BAND": "For flags of 0 and 1, ReduceOp.MIN gives the same",
    "BOR": "For flags of 0 and 1, ReduceOp.MAX gives the same",
    "BXOR": "For flags of 0 and 1, take ReduceOp.SUM and then the remainder by 2",
}


@RULE.reference(
    *(
        f"torch.distributed.{owner}.{name}"
        for owner in ("ReduceOp", "reduce_op")
        for name in _INSTEAD
    )
)
def tell(site: Site) -> Diagnoses:
    """Say what does the same for flags."""
    last = site.name.rpartition(".")[2]
    yield RULE.manual(
        site,
        f"{site.text} is a reduction that HCCL refuses",
        todo=(
            f"{_INSTEAD[last]}; for other values gather with all_gather and combine them on each "
            "rank."
        ),
    )
