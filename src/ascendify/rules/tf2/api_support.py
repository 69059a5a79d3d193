"""The vendor's verdict on every API of TensorFlow 2, reported once a file."""

from __future__ import annotations

from functools import cache

from ascendify.catalog import names, support
from ascendify.catalog._data import TENSORFLOW2
from ascendify.catalog.support import Support
from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status, once
from ascendify.rules.tensorflow import devices
from ascendify.source.nodes import is_called

RULE = Rule(
    code="TF2-API-1",
    title="Know which APIs of TensorFlow 2 the NPU does not support",
    why=(
        "The vendor publishes a verdict on every TensorFlow 2 API. An operator that the NPU does "
        "not have runs on the host, and its tensors are copied at every step; what belongs to "
        "TPUs and TensorFlow Lite does not run in an NPU process at all."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL, Status.INFO),
    foretells=("EMU-OP-1",),
    before="tf.debugging.enable_check_numerics()",
)

_FOREIGN = {
    "tf2.tpu": (
        Status.BLOCKER,
        "Train without TPUs: one process a device, each with npu_device.open().",
    ),
    "tf2.lite": (
        Status.MANUAL,
        "Convert in a process of its own, on the host, from the SavedModel.",
    ),
}
"""Modules of other platforms -> what to do about them."""
_TPU_STRATEGY = "tf2.distribute.TPUStrategy"
_NOT_TOLD = frozenset(
    {
        "tf2.keras.layers.Layer",  # every layer class of a program is derived from it
        "tf2.keras.losses.CategoricalCrossentropy",  # made of operators that are supported
        "tf2.keras.layers.AbstractRNNCell",
        "tf2.SparseTensor",  # mostly used in type checks
        "tf2.RaggedTensorSpec",
        "tf2.ensure_shape",  # checks, and is gone once shapes are known
    }
)
"""Names whose verdict is implausible or says nothing that helps."""


@cache
def _verdicts() -> dict[str, Support]:
    """Canonical name -> verdict, for every name with such a verdict."""
    found: dict[str, Support] = {}
    for api in support.listed("unsupported", "manual", of=TENSORFLOW2):
        entry = support.lookup(api)
        name = names.canonical(api)
        skipped = name in _NOT_TOLD or name.startswith(("tf.", "tf2.estimator", *_FOREIGN))
        if entry is not None and not skipped and not name.endswith("TPUStrategy"):
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
    if entry.effective == "manual":
        yield RULE.info(
            site,
            f"The vendor's statements about {site.brief} disagree{others}",
            todo=(
                f"{entry.note_text} Should the NPU not have it, it runs on the host: look for it "
                "when steps are slow."
            ).strip(),
        )
        return
    yield RULE.manual(
        site,
        f"{site.brief} is not supported on an NPU{others}",
        todo=(
            "It runs on the host where the NPU does not have it: try a few steps, and write it "
            "with other operators where it is slow or fails."
        ),
    )


@RULE.reference(*(f"{module}.*" for module in _FOREIGN), _TPU_STRATEGY)
def report_platform(site: Site) -> Diagnoses:
    """Report the first use of another platform in a file."""
    if site.name == _TPU_STRATEGY and is_called(site.node):
        return  # another rule says more
    module = next((key for key in _FOREIGN if site.name.startswith(f"{key}.")), "tf2.tpu")
    names_here = {item.name for item in site.file.references(f"{module}.*")} | {site.name}
    others = once.others(site, *names_here)
    if others is None:
        return
    status, todo = _FOREIGN[module]
    found = f"{site.brief} is not supported on an NPU{others}"
    if status is Status.BLOCKER:
        mentions = [item for name in names_here for item in site.file.references(name)]
        open_to_all = (item for item in mentions if not devices.tpu_guard(item.file, item.node))
        yield devices.needs_tpu(RULE, next(open_to_all, site), found, todo, Effort.REWRITE)
        return
    yield RULE.finding(status, site, found, todo=todo, effort=Effort.MINUTES)


@cache
def _owned() -> frozenset[str]:
    """Names another rule rewrites or reports, which says more than the verdict."""
    # the registry imports every rule, this one too, so it cannot be imported earlier
    from ascendify.rules import registry  # noqa: PLC0415

    return registry.reported_elsewhere(_verdicts(), RULE, frozenset({"tensorflow2"}))
