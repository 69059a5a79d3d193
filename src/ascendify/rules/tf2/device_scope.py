"""tf.device, which has no effect once the NPU is open."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status, once
from ascendify.rules.tensorflow import devices
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-DEV-1",
    title="Know that tf.device places nothing",
    why=(
        "npu_device.open().as_default() replaces tf.device by a scope that stays on the NPU. A "
        "GPU that is named there misleads who reads the code; a CPU that is named there is "
        "ignored too, and the block runs on the NPU."
    ),
    statuses=(Status.AUTO, Status.MANUAL, Status.INFO),
    before="with tf.device('/GPU:0'):\n    logits = network(images)",
    after="logits = network(images)",
    safety="A long block keeps its scope, which has no effect, so that the change stays small.",
)

_MAX_LINES = 60


@RULE.call("tf2.device")
def mend_scope(site: CallSite) -> Diagnoses:
    """``with tf.device('/GPU:0'):``, ``with tf.device('/CPU:0'):``."""
    if "tensorflow" in site.file.frameworks:
        return  # graphs and sessions of compat.v1 place their operators
    device = site.args.value("device_name")
    if device is None:
        return
    if devices.is_gpu(site.file, device):
        yield from _gpu(site)
        return
    values = site.file.literal(device)
    if values and all(isinstance(value, str) and "cpu" in value.lower() for value in values):
        yield from _cpu(site)


def _gpu(site: CallSite) -> Diagnoses:
    item = parent(site.node)
    with_ = parent(item)
    found = f"{site.brief} names a GPU and has no effect once the NPU is open"
    whole = (
        isinstance(with_, ast.With)
        and len(with_.items) == 1
        and with_.items[0].optional_vars is None
        and (with_.end_lineno or with_.lineno) - with_.lineno <= _MAX_LINES
    )
    if whole and isinstance(with_, ast.With):
        fix = site.fix()
        fix.unwrap_with(with_)
        done = f"Removed `with {site.brief}:` and kept its block."
        yield RULE.auto(site, found, done=done, fix=fix)
    else:
        yield RULE.info(site, found)


def _cpu(site: CallSite) -> Diagnoses:
    lines = [
        other.node.lineno for other in site.file.calls("tf2.device") if _names_cpu(site, other)
    ]
    if lines[0] != site.node.lineno:
        return
    yield RULE.manual(
        site,
        f"{site.brief} does not keep its block on the host: it runs on the NPU"
        f"{once.words(lines[1:])}",
        todo=(
            "Nothing is to be done where the NPU may do the work. Where the host must, import "
            "context from tensorflow.python.eager and write `with context.device('CPU:0'):` in "
            "eager code."
        ),
    )


def _names_cpu(site: CallSite, other: CallSite) -> bool:
    device = other.args.value("device_name")
    values = None if device is None else site.file.literal(device)
    return bool(values) and all(
        isinstance(value, str) and "cpu" in value.lower() for value in values or ()
    )
