"""Names that came after TensorFlow 2.6, the release that the NPU's adapter is for."""

from __future__ import annotations

from ascendify.catalog import names
from ascendify.catalog.cuda_packages import TENSORFLOW2_RELEASE
from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status, once

RULE = Rule(
    code="TF2-API-3",
    title="Use names that TensorFlow 2.6 has",
    why=(
        "npu_device is built for TensorFlow 2.6. A name that came later is an AttributeError there."
    ),
    statuses=(Status.MANUAL,),
    before="tf.keras.utils.set_random_seed(1)",
)

_INSTEAD = {
    "tf2.keras.utils.set_random_seed": (
        "Call random.seed, numpy.random.seed and tf.random.set_seed in its place."
    ),
    "tf2.config.experimental.enable_op_determinism": (
        "Set the NPU option deterministic=1: migrate with --npu deterministic=1."
    ),
}
"""Replacements in 2.6 for later names that people use most."""
_LEGACY = "tf2.keras.optimizers.legacy."


@RULE.reference(*names.all_lacking("2.6"), f"{_LEGACY}*")
def report_later(site: Site) -> Diagnoses:
    """The first mention in a file of a name that 2.6 lacks."""
    others = once.others(site)
    if others is None:
        return
    todo = _INSTEAD.get(site.name, "Find what it was called before, or write it with others.")
    if site.name.startswith(_LEGACY):
        last = site.name[len(_LEGACY) :]
        todo = f"Use tf.keras.optimizers.{last}, which is the same class in 2.6."
    yield RULE.manual(
        site,
        f"{site.brief} came after TensorFlow 2.6{others}",
        todo=f"{todo} The NPU needs TensorFlow {TENSORFLOW2_RELEASE}.",
        effort=Effort.HOURS,  # until then the program stops there
    )
