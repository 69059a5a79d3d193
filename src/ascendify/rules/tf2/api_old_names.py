"""Methods of early TensorFlow 2 that 2.6 calls by another name."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Status
from ascendify.rules.kit.tests import in_test

RULE = Rule(
    code="TF2-API-5",
    title="Use the names that TensorFlow 2.6 has for early methods",
    why=(
        "npu_device is built for TensorFlow 2.6. Strategies lost experimental_run_v2 before, so "
        "calling it is an AttributeError there."
    ),
    statuses=(Status.AUTO,),
    before="losses = strategy.experimental_run_v2(step, args=(batch,))",
    after="losses = strategy.run(step, args=(batch,))",
)

_NEW = {"experimental_run_v2": "run"}
"""Old -> new name of methods with the same arguments."""


@RULE.method(*_NEW)
def rename(site: MethodSite) -> Diagnoses:
    """``strategy.experimental_run_v2(step, args=(batch,))``."""
    if in_test(site.file, site.node):
        return
    fix = site.fix()
    end = site.file.module.end(site.node)
    fix.replace_range(end - len(site.name), end, _NEW[site.name])
    yield RULE.auto(
        site,
        f"{site.brief} is called {_NEW[site.name]} since TensorFlow 2.2, and gone in 2.6",
        done=f"Called it {_NEW[site.name]}.",
        fix=fix,
    )
