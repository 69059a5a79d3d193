"""Device scopes that name a GPU: the block stays, the scope around it goes."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.tf1 import _devices
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-DEV-1",
    title="Remove device scopes that name a GPU",
    why=(
        "An NPU is not one of TensorFlow's devices: the adapter decides what runs on it. A GPU "
        "device only works because soft placement ignores it, and misleads who reads the code."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before="with tf.device('/gpu:0'):\n    logits = network(images)",
    after="logits = network(images)",
    safety="A long block keeps its scope, on '/cpu:0', so that the change stays small.",
)


_MAX_LINES = 60


@RULE.call(*_devices.SCOPES)
def remove_device(site: CallSite) -> Diagnoses:
    """``with tf.device('/gpu:0'):`` in all its forms."""
    device = site.args.value("device_name_or_function")
    if device is None or not _devices.is_gpu(site.file, device):
        return
    file = site.file
    if _devices.depends_on_loop(device):
        yield RULE.info(
            site,
            f"{site.brief} gives every turn of a loop its own GPU; on an NPU the device "
            "has no effect and one process drives one device",
        )
        return
    fix = site.fix()
    item = parent(site.node)
    with_ = parent(item)
    if not (isinstance(item, ast.withitem) and isinstance(with_, (ast.With, ast.AsyncWith))):
        fix.replace(device, _on_cpu(file, device))
        done = "Replaced the device by '/cpu:0'; the adapter moves the work to the NPU."
    elif len(with_.items) > 1:
        start, end = _item_range(file, with_, item)
        fix.replace_range(start, end, "")
        done = f"Removed {site.brief} from the with statement."
    elif item.optional_vars is not None or not isinstance(with_, ast.With) or _is_long(with_):
        fix.replace(device, _on_cpu(file, device))
        done = "Replaced the device by '/cpu:0'; the adapter moves the work to the NPU."
    else:
        fix.unwrap_with(with_)
        done = f"Removed `with {site.brief}:` and kept its block."
    found = f"{site.brief} names a GPU"
    yield RULE.auto(site, found, done=done, fix=fix)


def _is_long(with_: ast.With) -> bool:
    """Whether taking the block out would rewrite so many lines that nobody reads the change."""
    return (with_.end_lineno or with_.lineno) - with_.lineno > _MAX_LINES


def _on_cpu(file: File, device: ast.expr) -> str:
    return file.quoted("/cpu:0", device)


def _item_range(file: File, with_: ast.With | ast.AsyncWith, item: ast.withitem) -> tuple[int, int]:
    """The range of one of several items with the comma that separates it."""
    module = file.module
    index = with_.items.index(item)
    if index + 1 < len(with_.items):
        return (module.start(item.context_expr), module.start(with_.items[index + 1].context_expr))
    before = with_.items[index - 1]
    end = item.optional_vars or item.context_expr
    return module.end(before.optional_vars or before.context_expr), module.end(end)
