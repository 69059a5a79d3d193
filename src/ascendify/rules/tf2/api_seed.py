"""Random seeds: repeatable on an NPU, but not the numbers of a GPU."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Site, Status, once
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tf2._state import SEEDS

RULE = Rule(
    code="TF2-API-2",
    title="Know what a random seed of TensorFlow 2 fixes on an NPU",
    why=(
        "A seed gives other numbers on an NPU than on a GPU, and kernels may add in any order "
        "unless deterministic kernels are requested. A seed set before npu_device.open() is lost."
    ),
    statuses=(Status.INFO,),
    before="tf.random.set_seed(1234)",
)


@RULE.reference(*sorted(SEEDS))
def report_seed(site: Site) -> Diagnoses:
    """Report the first seed of a file, unless deterministic kernels were requested."""
    requested = str(site.file.facts.npu_options.get("deterministic", ""))
    if requested in ("1", "True", "true") or in_test(site.file, site.node):
        return
    others = once.others(site, *sorted(SEEDS))
    if others is not None and "tensorflow" not in site.file.frameworks:
        yield RULE.info(
            site,
            f"{site.brief} gives other random numbers on an NPU than on a GPU{others}; "
            "for runs that repeat exactly, add the NPU option deterministic=1",
        )
