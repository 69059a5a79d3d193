"""Random seeds: report that an NPU draws other numbers than a GPU."""

from __future__ import annotations

import re

from ascendify.rules.kit import Diagnoses, Rule, Site, Status, once

RULE = Rule(
    code="TF1-API-2",
    title="Know what a random seed fixes on an NPU",
    why=(
        "A seed gives other numbers on an NPU than on a GPU, and kernels may add in any order "
        "unless the NPU option deterministic is set."
    ),
    statuses=(Status.INFO,),
    before="tf.set_random_seed(1234)",
)

_TEST = re.compile(r"(?:^|/)test_[^/]*$|_test\.py$|(?:^|/)tests?/")
"""Files whose numbers nobody compares with a GPU's."""


@RULE.reference("tf.set_random_seed")
def report_seed(site: Site) -> Diagnoses:
    """The first seed of a file, unless deterministic kernels were requested."""
    deterministic = str(site.file.facts.npu_options.get("deterministic", ""))
    if _TEST.search(site.file.path) or deterministic in ("1", "True", "true"):
        return
    others = once.others(site)
    if others is not None:
        yield RULE.info(
            site,
            f"{site.brief} gives other random numbers on an NPU than on a GPU{others}; "
            "for runs that repeat exactly, add the NPU option deterministic=1",
        )
