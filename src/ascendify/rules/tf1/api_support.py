"""The vendor's verdict on every API: report unsupported and disputed ones, once per file."""

from __future__ import annotations

from functools import cache

from ascendify.catalog import names, support
from ascendify.catalog.support import Support
from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status, once

RULE = Rule(
    code="TF1-API-1",
    title="Do not use APIs the NPU does not support",
    why=(
        "The vendor publishes a verdict on every TensorFlow API. What is unsupported stops "
        "compilation on an NPU; where the vendor's own statements disagree, it may."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL),
    before="y = tf.math.reduce_euclidean_norm(x)",
)

_VERDICTS = ("unsupported", "manual")
_BY_NOTE = {
    "tpu": (Status.BLOCKER, Effort.REWRITE),
    "eager": (Status.BLOCKER, Effort.REWRITE),
    "queue": (Status.MANUAL, Effort.HOURS),
    "lite": (Status.MANUAL, Effort.MINUTES),
}
"""What the vendor's remark on an unsupported API means for a program."""
_BY_NAME = {
    "tf.enable_tensor_equality": (Status.MANUAL, Effort.MINUTES),
    "tf.enable_v2_tensorshape": (Status.MANUAL, Effort.MINUTES),
}
"""Switches of TF 2 behaviour that a graph program can simply leave out."""
_NOT_REPORTED = frozenset(
    {
        "tf.executing_eagerly",  # changes nothing, and is False in a graph
        "tf.estimator.tpu.TPUConfig",  # goes with the TPU's RunConfig
        "tf.estimator.tpu.InputPipelineConfig",
        "tf.lookup.TextFileInitializer",  # goes with the table it fills
        "tf.lookup.TextFileIndex",
    }
)
"""Names whose verdict adds nothing to another finding."""


@cache
def _verdicts() -> dict[str, Support]:
    """Canonical name -> the verdict, for every name with such a verdict."""
    found: dict[str, Support] = {}
    for api in support.listed(*_VERDICTS):
        entry = support.lookup(api)
        name = names.canonical(api)
        if entry is not None and name not in _NOT_REPORTED and not api.startswith("tf.compat."):
            found.setdefault(name, entry)
    return found


@RULE.reference(*_verdicts())
def report_verdict(site: Site) -> Diagnoses:
    """The first mention in a file, called or not."""
    if site.name in _owned():
        return
    others = once.others(site)
    if others is None:
        return
    entry = _verdicts()[site.name]
    spelled = site.brief
    if entry.effective == "manual":
        yield RULE.manual(
            site,
            f"The vendor's statements about {spelled} disagree{others}",
            todo=(
                f"{entry.note_text or 'One list has it, another says it fails.'} Try it on an NPU "
                "before relying on it, or use other operators."
            ),
        )
        return
    by_note = _BY_NOTE.get(entry.note, (Status.MANUAL, Effort.HOURS))
    status, effort = _BY_NAME.get(site.name, by_note)
    yield RULE.finding(
        status,
        site,
        f"{spelled} is not supported on an NPU{others}",
        todo=entry.note_text or "Remove it or express it with other operators.",
        effort=effort,
    )


@cache
def _owned() -> frozenset[str]:
    """Names that another rule reports, with more to say than the verdict."""
    # the registry imports every rule, this one among them, so it cannot be imported earlier
    from ascendify.rules import registry  # noqa: PLC0415

    return registry.reported_elsewhere(_verdicts(), RULE, frozenset({"tensorflow"}))
