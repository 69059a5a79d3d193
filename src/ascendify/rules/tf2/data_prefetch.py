"""Datasets that copy their elements to a GPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.nodes import receiver
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-DATA-9",
    title="Do not prefetch to a GPU",
    why=(
        "Datasets run on the host; npu_device moves their elements to the NPU. A copy to a GPU "
        "names a device that is not there."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before=(
        "dataset = dataset.apply(tf.data.experimental.prefetch_to_device('/gpu:0'))\n"
        "dataset = dataset.map(parse)"
    ),
    after="dataset = dataset.prefetch(tf.data.experimental.AUTOTUNE)\ndataset = dataset.map(parse)",
)
_TODO = "Take it out, and put .prefetch(tf.data.AUTOTUNE) at the end of the pipeline."


@RULE.call("tf2.data.experimental.prefetch_to_device", "tf2.data.experimental.copy_to_device")
def drop_copy(site: CallSite) -> Diagnoses:
    """``dataset.apply(tf.data.experimental.prefetch_to_device('/gpu:0'))``."""
    found = f"{site.brief} copies to a device of TensorFlow's own"
    apply = parent(site.node)
    source = receiver(apply) if isinstance(apply, ast.Call) else None
    called = isinstance(apply, ast.Call) and getattr(apply.func, "attr", "") == "apply"
    if source is None or not called or not isinstance(apply, ast.Call) or len(apply.args) != 1:
        yield RULE.manual(site, found, todo=_TODO)
        return
    fix = site.fix()
    start, end = site.file.module.end(source), site.file.module.end(apply)
    if site.name.endswith("copy_to_device"):
        fix.replace_range(start, end, "")
        yield RULE.auto(site, found, done="Removed it.", fix=fix)
        return
    module = site.file.text(site.node.func).rpartition(".")[0]
    size = site.args.value("buffer_size")
    if size is None and not module:
        yield RULE.manual(site, found, todo=_TODO)
        return
    text = site.file.text(size) if size is not None else f"{module}.AUTOTUNE"
    fix.replace_range(start, end, f".prefetch({text})")
    done = f"Replaced it by .prefetch({text}), which stays on the host."
    yield RULE.auto(site, found, done=done, fix=fix)
