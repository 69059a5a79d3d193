"""GPU options of session configs: remove them, because nothing on an NPU reads them."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Rule, Site, Status, removal
from ascendify.source.flow import backward
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import assigned_name, keyword_value, only_target
from ascendify.source.scopes import parent, scope_of, statement

RULE = Rule(
    code="TF1-GPU-1",
    title="Remove GPU options from session configs",
    why=(
        "GPUOptions steer TensorFlow's GPU memory and device choice. On an NPU nothing reads them; "
        "memory is managed by the NPU's runtime and the device is chosen by ASCEND_DEVICE_ID."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.INFO),
    before=(
        "config = tf.ConfigProto(allow_soft_placement=True)\nconfig.gpu_options.allow_growth = True"
    ),
    after="config = tf.ConfigProto(allow_soft_placement=True)",
)

_FIELDS = (
    "per_process_gpu_memory_fraction", "allow_growth", "allocator_type", "deferred_deletion_bytes",
    "visible_device_list", "polling_active_delay_usecs", "polling_inactive_delay_msecs",
    "force_gpu_compatible",
)  # fmt: skip
_DEVICES = "visible_device_list"
_RANK = ("local_rank", "rank", "LOCAL_RANK")
"""Parts of names that mean one device per process, which NPUs always have."""


@RULE.store(*(f"tf.GPUOptions.{field}" for field in _FIELDS))
def remove_store(site: Site) -> Diagnoses:
    """``config.gpu_options.allow_growth = True``."""
    file, target = site.file, site.statement
    value = _stored(file, target)
    if value is None:
        if isinstance(site.node.ctx, ast.Store):
            yield _left(site)
        return
    if site.name.endswith(_DEVICES) and removal.depends_on_rank(file, value):
        # the rules of distributed training remove it and say why
        return
    fix = site.fix()
    removal.remove(file, fix, target, lambda item: _stored(file, item) is not None)
    choice = site.name.endswith(_DEVICES) and _chooses(file, value)
    yield RULE.fixed(
        site.at(target),
        f"{site.brief} sets a GPU option",
        done=f"Removed {file.brief(target, 100)}.",
        todo=_choose_device(file, value) if choice else "",
        fix=fix,
    )


@RULE.file
def remove_options(file: File) -> Diagnoses:
    """Options given to configs, and variables that hold them.

    Before the rules of single calls, so that what the options need, such as the rank of the
    process, is not rewritten and reported before it is removed with them.
    """
    for site in file.calls("tf.ConfigProto"):
        yield from _argument(site)
    for site in file.calls("tf.GPUOptions"):
        yield from _variable(site)


def _argument(site: CallSite) -> Diagnoses:
    """``tf.ConfigProto(gpu_options=...)``."""
    given = site.args.get("gpu_options")
    if given is None:
        return
    file = site.file
    if not removal.is_pure(file, given.value):
        yield RULE.info(
            file.at(given.node),
            f"{file.brief(given.node)} has no effect on an NPU; it was kept because its value may",
        )
        return
    fix = site.fix()
    fix.remove_argument(site.node, given)
    devices = _devices_of(file, given.value)
    yield RULE.fixed(
        file.at(given.node),
        f"{file.brief(given.node)} sets GPU options",
        done="Removed the argument.",
        todo="" if devices is None else _choose_device(file, devices),
        fix=fix,
    )


def _variable(site: CallSite) -> Diagnoses:
    """``gpu_options = tf.GPUOptions(...)`` that only configs use, whose argument is removed too."""
    file, name = site.file, assigned_name(site.node)
    if name is None or not removal.is_pure(file, site.node):
        return
    scope = scope_of(name).find(name.id) or scope_of(name)
    exported = scope.kind == "module" and file.resolver.project.is_imported(file.path)
    left = any(not _goes(file, use) for use in reads(name))
    if left or exported:
        if left:
            yield _left(site)
        return
    fix = site.fix()
    removal.remove(file, fix, site.node, lambda item: _stored(file, item) is not None)
    found = f"{name.id} holds GPU options"
    yield RULE.auto(site.at(site.statement), found, done=f"Removed {name.id}.", fix=fix)


def _stored(file: File, item: ast.stmt) -> ast.expr | None:
    """The value of a statement that only sets a GPU option."""
    target = only_target(item)
    if not isinstance(item, ast.Assign) or not isinstance(target, ast.Attribute):
        return None
    sets = (
        target.attr in _FIELDS
        and file.name(target) == f"tf.GPUOptions.{target.attr}"
        and removal.is_pure(file, item.value)
    )
    return item.value if sets else None


def _goes(file: File, use: ast.Name) -> bool:
    """Whether a use of a GPUOptions variable is removed by this rule."""
    owner = parent(use)
    if isinstance(owner, ast.keyword):
        call = parent(owner)
        return (
            owner.arg == "gpu_options"
            and isinstance(call, ast.Call)
            and file.name(call.func) == "tf.ConfigProto"
        )
    return isinstance(owner, ast.Attribute) and _stored(file, statement(use)) is not None


def _devices_of(file: File, node: ast.expr) -> ast.expr | None:
    """The devices that a ``GPUOptions(...)`` expression chooses, None if it chooses none."""
    if isinstance(node, ast.Name):
        values = [item.value for item in backward.bindings(node) if item.value is not None]
        node = values[0] if len(values) == 1 else node
    devices = keyword_value(node, _DEVICES) if isinstance(node, ast.Call) else None
    return devices if devices is not None and _chooses(file, devices) else None


def _chooses(file: File, value: ast.expr) -> bool:
    """Whether the devices are chosen by something other than the process's rank."""
    return file.literal(value) != ("",) and not any(word in file.text(value) for word in _RANK)


def _choose_device(file: File, value: ast.expr) -> str:
    return (
        f"The device {file.brief(value)} was chosen here. Start the process with "
        "ASCEND_DEVICE_ID set to it, or give this session the NPU option session_device_id; one "
        "process drives one device."
    )


def _left(site: Site) -> Diagnosis:
    return RULE.info(
        site.at(site.statement),
        f"{site.file.brief(site.statement)} sets GPU options, which have no effect on an NPU; "
        "it was kept because something else depends on it",
    )
