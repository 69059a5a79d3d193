"""The vendor's verdict on every API of TensorFlow 2, told once a file."""

from __future__ import annotations

from functools import cache

from ascendify.catalog import names, support
from ascendify.catalog.support import Support
from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status, once
from ascendify.rules.kit.tests import in_test

RULE = Rule(
    code="TF2-API-1",
    title="Know which APIs the vendor does not promise",
    why=(
        "The vendor publishes a verdict on every TensorFlow API. What is unsupported runs on the "
        "host or stops compilation. Where the vendor's own lists disagree, the report says what is "
        "known from programs that were ported."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="y = tf.einsum('bij,bjk->bik', a, b)",
)

_BY_NOTE = {"lite": Effort.MINUTES, "deprecated": Effort.MINUTES}
_NOT_TOLD = frozenset(
    {
        "tf2.keras.layers.Layer",  # every layer is one, and layers run
        "tf2.keras.losses.CategoricalCrossentropy",  # its function is on the list of what runs
        "tf2.RaggedTensorSpec",
    }
)
"""Names whose verdict contradicts every program that runs."""


@cache
def _told() -> dict[str, Support]:
    """Every name with such a verdict, by its canonical spelling."""
    found: dict[str, Support] = {}
    for api in support.listed("unsupported", "manual", of="tf2"):
        entry = support.lookup(api)
        name = names.canonical(api)
        apart = ("tf2.compat.", "tf2.raw_ops.", "tf2.estimator", "tf2.tpu", "tf.")
        if entry is not None and name not in _NOT_TOLD and not api.startswith(apart):
            found.setdefault(name, entry)
    return found


@RULE.reference(*_told())
def tell_verdict(site: Site) -> Diagnoses:
    """The first mention in a file, called or not."""
    if site.name in _owned() or in_test(site.file, site.node):
        return
    others = once.others(site)
    if others is None:
        return
    entry = _told()[site.name]
    if entry.effective == "manual":
        found = f"The vendor's statements about {site.brief} disagree{others}. {entry.note_text}"
        yield RULE.info(site, found.strip())
        return
    yield RULE.manual(
        site,
        f"{site.brief} is not on the vendor's list of what an NPU supports{others}",
        todo=entry.note_text or "Try it on an NPU, or express it with other operators.",
        effort=_BY_NOTE.get(entry.note, Effort.MINUTES),
    )


@cache
def _owned() -> frozenset[str]:
    """Names another rule rewrites or tells about, which say more than the verdict."""
    # the registry imports every rule, this one among them, so it cannot be asked earlier
    from ascendify.rules import registry  # noqa: PLC0415

    return registry.reported_elsewhere(_told(), RULE, frozenset({"tensorflow2"}))
