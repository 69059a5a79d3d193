"""The GPU entry of a session's device count: remove it."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Fix, Rule, Site, Status
from ascendify.rules.kit.fixes import remove_item
from ascendify.rules.kit.removal import is_pure, remove
from ascendify.source.nodes import only_target

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
    if index is None or None in entries.keys or not is_pure(file, entries.values[index]):
        return
    fix = site.fix()
    if len(entries.keys) == 1:
        fix.remove_argument(site.node, given)
        done = f"Removed {file.brief(given.node)}."
    else:
        items = [(key, value) for key, value in zip(entries.keys, entries.values) if key]
        remove_item(fix, items, index)
        done = "Removed the GPU entry."
    yield _removed(file, given.node, entries.values[index], done, fix)


@RULE.reference("tf.ConfigProto.device_count")
def remove_assignment(site: Site) -> Diagnoses:
    """``config.device_count['GPU'] = 1``."""
    target, file = site.statement, site.file
    count = _counted(file, target)
    if count is None:
        return
    fix = site.fix()
    remove(file, fix, target, lambda item: _counted(file, item) is not None)
    yield _removed(file, target, count, f"Removed {file.brief(target)}.", fix)


def _removed(file: File, node: ast.AST, count: ast.expr, done: str, fix: Fix) -> Diagnosis:
    todo = _HOST_ONLY if file.literal(count) == (0,) else ""
    return RULE.fixed(
        file.at(node), f"{file.brief(node)} counts GPUs", done=done, todo=todo, fix=fix
    )


def _counted(file: File, item: ast.stmt) -> ast.expr | None:
    """The value of a statement that only sets the number of GPUs."""
    target = only_target(item)
    sets = (
        isinstance(item, ast.Assign)
        and isinstance(target, ast.Subscript)
        and _is_gpu(target.slice)
        and file.name(target.value) == "tf.ConfigProto.device_count"
        and is_pure(file, item.value)
    )
    return item.value if sets and isinstance(item, ast.Assign) else None


def _is_gpu(key: ast.AST | None) -> bool:
    return isinstance(key, ast.Constant) and str(key.value).upper() == "GPU"
