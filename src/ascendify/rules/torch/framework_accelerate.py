"""Replace accelerate's distributed type MULTI_GPU by MULTI_NPU."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status

RULE = Rule(
    code="TORCH-FW-4",
    title="Compare accelerate's distributed type with MULTI_NPU",
    why=(
        "accelerate detects NPUs and sets DistributedType.MULTI_NPU. A comparison with MULTI_GPU "
        "is false on every rank."
    ),
    statuses=(Status.AUTO,),
    before="several = accelerator.distributed_type == DistributedType.MULTI_GPU",
    after="several = accelerator.distributed_type == DistributedType.MULTI_NPU",
    framework="torch",
)

_MODULES = ("accelerate", "accelerate.utils", "accelerate.state", "accelerate.utils.dataclasses")
_NAMES = tuple(f"{module}.DistributedType.MULTI_GPU" for module in _MODULES)


@RULE.reference(*_NAMES)
def rename(site: Site) -> Diagnoses:
    """Rename every mention, compared or not."""
    fix = site.fix()
    fix.replace(site.node, site.text[: -len("MULTI_GPU")] + "MULTI_NPU")
    yield RULE.auto(
        site,
        f"{site.brief} is never the type on NPUs",
        done="Replaced MULTI_GPU by MULTI_NPU.",
        fix=fix,
    )
