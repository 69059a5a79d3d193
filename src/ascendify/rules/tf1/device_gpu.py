"""Device scopes that name a GPU: remove the scope and keep its block."""

from __future__ import annotations

import ast
from typing import Any

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status, fixes
from ascendify.rules.tensorflow import devices
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-DEV-1",
    title="Remove device scopes that name a GPU",
    why=(
        "An NPU is not one of TensorFlow's devices: the adapter decides what runs on it. A GPU "
        "device only works because soft placement ignores it, and misleads readers of the code."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before="with tf.device('/gpu:0'):\n    logits = network(images)",
    after="logits = network(images)",
    safety="A long block keeps its scope, on '/cpu:0', so that the change stays small.",
)


_MAX_LINES = 60


@RULE.call(*devices.SCOPES)
def remove_device(site: CallSite) -> Diagnoses:
    """``with tf.device('/gpu:0'):`` in all its forms."""
    device = site.args.value("device_name_or_function")
    if device is None or not devices.is_gpu(site.file, device):
        return
    if devices.depends_on_loop(device):
        yield RULE.info(
            site,
            f"{site.brief} gives every iteration of a loop its own GPU; on an NPU the "
            "device has no effect and one process drives one device",
        )
        return
    fix = site.fix()
    item: Any = parent(site.node)
    with_: Any = parent(item)
    is_item = isinstance(item, ast.withitem) and isinstance(with_, (ast.With, ast.AsyncWith))
    if is_item and len(with_.items) > 1:
        spans = [
            (each.context_expr, each.optional_vars or each.context_expr) for each in with_.items
        ]
        fixes.remove_item(fix, spans, with_.items.index(item))
        done = f"Removed {site.brief} from the with statement."
    elif is_item and isinstance(with_, ast.With) and not item.optional_vars and not _is_long(with_):
        fix.unwrap_with(with_)
        done = f"Removed `with {site.brief}:` and kept its block."
    else:
        fix.replace(device, site.file.quoted("/cpu:0", device))
        done = "Replaced the device by '/cpu:0'; the adapter moves the work to the NPU."
    yield RULE.auto(site, f"{site.brief} names a GPU", done=done, fix=fix)


def _is_long(with_: ast.With) -> bool:
    """Whether so many lines would get new indentation that the change is hard to review."""
    return (with_.end_lineno or with_.lineno) - with_.lineno > _MAX_LINES
