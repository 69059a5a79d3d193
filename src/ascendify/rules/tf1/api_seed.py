"""Random seeds: repeatable on an NPU, but not the numbers of a GPU."""

from __future__ import annotations

import re

from ascendify.rules.kit import Diagnoses, Rule, Site, Status, once

RULE = Rule(
    code="TF1-API-2",
    title="Know what a random seed fixes on an NPU",
    why=(
        "A seed gives other numbers on an NPU than on a GPU, and kernels may add in any order "
        "unless they are asked to be deterministic."
    ),
    statuses=(Status.INFO,),
    before="tf.set_random_seed(1234)",
)

_SEEDS = ("tf.set_random_seed",)
_TEST = re.compile(r"(?:^|/)test_[^/]*$|_test\.py$|(?:^|/)tests?/")
"""Files whose numbers nobody compares with a GPU's."""


@RULE.reference(*_SEEDS)
def tell_seed(site: Site) -> Diagnoses:
    """The first seed of a file, unless deterministic kernels were asked for."""
    if _TEST.search(site.file.path) or str(
        site.file.facts.npu_options.get("deterministic", "")
    ) in ("1", "True", "true"):
        return
    others = once.others(site, *_SEEDS)
    if others is None:
        return
    yield RULE.info(
        site,
        f"{site.brief} gives other random numbers on an NPU than on a GPU{others}; "
        "for runs that repeat exactly, add the NPU option deterministic=1",
    )
