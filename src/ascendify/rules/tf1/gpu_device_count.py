"""The GPU entry of a session's device count."""

from __future__ import annotations

import ast

from ascendify.rules.kit import (
    CallSite,
    Diagnoses,
    Diagnosis,
    File,
    Fix,
    Rule,
    Site,
    Status,
    removal,
)

RULE = Rule(
    code="TF1-GPU-2",
    title="Remove the GPU entry from device_count",
    why=(
        "An NPU is not one of TensorFlow's devices, so a number of GPUs says nothing; a number of "
        "CPU devices keeps its meaning."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK),
    before="config = tf.ConfigProto(device_count={'CPU': 4, 'GPU': 1})",
    after="config = tf.ConfigProto(device_count={'CPU': 4})",
    safety="A session that {'GPU': 0} kept off the accelerator trains on the NPU like any other.",
)

_HOST_ONLY = (
    "GPU: 0 kept this session on the host. On an NPU it would train on the device: give "
    "the session no NPU configuration if it must stay on the host."
)


@RULE.call("tf.ConfigProto")
def remove_entry(site: CallSite) -> Diagnoses:
    """``ConfigProto(device_count={'GPU': 1})``."""
    given = site.args.get("device_count")
    if given is None or not isinstance(given.value, ast.Dict):
        return
    file, entries = site.file, given.value
    index = next((n for n, key in enumerate(entries.keys) if _is_gpu(key)), None)
    if index is None or None in entries.keys or not removal.is_pure(file, entries.values[index]):
        return
    fix = site.fix()
    if len(entries.keys) == 1:
        fix.remove_argument(site.node, given)
        done = f"Removed {file.brief(given.node)}."
    else:
        start, end = _entry(file, entries, index)
        fix.replace_range(start, end, "")
        done = "Removed the GPU entry."
    yield _said(file, given.node, entries.values[index], done, fix)


@RULE.reference("tf.ConfigProto.device_count")
def remove_item(site: Site) -> Diagnoses:
    """``config.device_count['GPU'] = 1``."""
    target, file = site.statement, site.file
    count = _counted(file, target)
    if count is None:
        return
    fix = site.fix()
    removal.remove(file, fix, target, lambda item: _counted(file, item) is not None)
    yield _said(file, target, count, f"Removed {file.brief(target)}.", fix)


def _said(file: File, node: ast.AST, count: ast.expr, done: str, fix: Fix) -> Diagnosis:
    host_only = file.literal(count) == (0,)
    return RULE.fixed(
        file.at(node),
        f"{file.brief(node)} counts GPUs",
        done=done,
        todo=_HOST_ONLY if host_only else "",
        fix=fix,
    )


def _counted(file: File, item: ast.stmt) -> ast.expr | None:
    """The value of a statement that only sets the number of GPUs."""
    if not (isinstance(item, ast.Assign) and len(item.targets) == 1):
        return None
    target = item.targets[0]
    sets = (
        isinstance(target, ast.Subscript)
        and _is_gpu(target.slice)
        and file.name(target.value) == "tf.ConfigProto.device_count"
        and removal.is_pure(file, item.value)
    )
    return item.value if sets else None


def _is_gpu(key: ast.AST | None) -> bool:
    return isinstance(key, ast.Constant) and str(key.value).upper() == "GPU"


def _entry(file: File, entries: ast.Dict, index: int) -> tuple[int, int]:
    """The range of one entry with the comma that separates it."""
    module = file.module
    keys = [key for key in entries.keys if key is not None]
    if index + 1 < len(keys):
        return module.start(keys[index]), module.start(keys[index + 1])
    return module.end(entries.values[index - 1]), module.end(entries.values[index])
