"""Memory growth, virtual and visible GPU devices: remove these settings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, removal
from ascendify.rules.kit.names import of_both
from ascendify.rules.kit.statements import lone_call
from ascendify.rules.tf1 import _gpu_presence
from ascendify.source.flow import backward
from ascendify.source.nodes import assigned_name, is_inside, values_given
from ascendify.source.scopes import Scope, ancestors, scope_of, statement

RULE = Rule(
    code="TF1-GPU-6",
    title="Remove memory settings of GPU devices",
    why=(
        "Memory growth and virtual devices are set on GPUs that TensorFlow does not see on an NPU "
        "machine; indexing an empty list stops the program."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before=(
        "for gpu in tf.config.experimental.list_physical_devices('GPU'):\n"
        "    tf.config.experimental.set_memory_growth(gpu, True)"
    ),
    after="",
)

_SETTERS = of_both(
    *(
        f"tf.config.{name}"
        for name in (
            "experimental.set_memory_growth", "experimental.set_virtual_device_configuration",
            "experimental.set_visible_devices", "set_visible_devices",
            "set_logical_device_configuration",
        )
    )
)  # fmt: skip


@RULE.file
def remove_setters(file: File) -> Diagnoses:
    """``tf.config.experimental.set_memory_growth(gpu, True)``.

    Once per file and before the rules of single calls, so that what the settings need, such as
    the rank of the process, is not rewritten and reported before it is removed with them.
    """
    for site in file.calls(*_SETTERS):
        yield from _setter(site)


def _setter(site: CallSite) -> Diagnoses:
    file, target = site.file, site.statement
    if _sets_cpu(site):
        return
    if not _removable(file, target):
        yield RULE.info(site, f"{site.brief} sets up a GPU and has no effect on an NPU")
        return
    fix = site.fix()
    lists = list(_lists_left_alone(file, target))
    gone = removal.remove(file, fix, target, lambda item: item in lists or _removable(file, item))
    for assigned in lists:
        start = file.module.start(assigned)
        covered = any(edit.start <= start < edit.end for edit in fix.edits)
        if not covered and not is_inside(assigned, gone):
            fix.remove_statement(assigned)
    yield RULE.auto(site, f"{site.brief} sets up a GPU", done="Removed it.", fix=fix)


def _sets_cpu(site: CallSite) -> bool:
    """``set_visible_devices([], 'CPU')`` and virtual CPUs are settings of the host."""
    return any(
        isinstance(item, ast.Constant) and str(item.value).upper() == "CPU"
        for argument in site.node.args
        for item in (argument, *_values(argument))
        for item in ast.walk(item)
    )


def _values(node: ast.expr) -> list[ast.expr]:
    names = [item for item in ast.walk(node) if isinstance(item, ast.Name)]
    found = [binding.value for name in names for binding in backward.bindings(name)]
    return [value for value in found if value is not None]


def _removable(file: File, item: ast.stmt) -> bool:
    call = lone_call(item)
    return (
        call is not None
        and file.name(call.func) in _SETTERS
        and all(removal.is_pure(file, argument) for argument in values_given(call))
    )


def serves_memory(file: File, node: ast.AST) -> bool:
    """Whether an expression is only used by settings this rule removes."""
    target = statement(node)
    if _removable(file, target):
        return True
    if isinstance(target, (ast.For, ast.If)):
        header = target.iter if isinstance(target, ast.For) else target.test
        inside = any(item is node for item in ast.walk(header))
        return inside and not target.orelse and all(_goes(file, item) for item in target.body)
    return False


def _goes(file: File, item: ast.stmt) -> bool:
    """Whether a statement, with everything in it, only sets up GPUs."""
    if isinstance(item, (ast.For, ast.If)):
        return not item.orelse and all(_goes(file, part) for part in item.body)
    if isinstance(item, ast.Try):
        return (
            not item.orelse and not item.finalbody and all(_goes(file, part) for part in item.body)
        )
    return _removable(file, item) or _makes_list(file, item)


def _makes_list(file: File, item: ast.stmt) -> bool:
    return (
        isinstance(item, ast.Assign)
        and assigned_name(item.value) is not None
        and _gpu_presence.is_gpu_list(file, item.value)
    )


def _lists_left_alone(file: File, target: ast.stmt) -> Iterator[ast.stmt]:
    """Assignments of lists of GPUs that nothing reads once the settings are removed."""
    scope = scope_of(target)
    names = {item.id for item in ast.walk(_outermost(file, target)) if isinstance(item, ast.Name)}
    for name in sorted(names):
        owner = scope.find(name)
        if owner is None or (owner.kind == "module" and scope.kind != "module"):
            continue
        yield from _lonely(file, owner, name)


def _lonely(file: File, scope: Scope, name: str) -> Iterator[ast.stmt]:
    for binding in scope.bindings[name]:
        item = binding.node
        if not isinstance(item, ast.stmt) or not _makes_list(file, item):
            return
        uses = scope.uses(name)
        exported = scope.kind == "module" and file.resolver.project.is_imported(file.path)
        if uses and not exported and all(serves_memory(file, use) for use in uses):
            yield item


def _outermost(file: File, target: ast.stmt) -> ast.AST:
    """The outermost compound statement that is removed with a setting."""
    found: ast.AST = target
    for item in ancestors(target):
        if not (isinstance(item, ast.stmt) and _goes(file, item)):
            break
        found = item
    return found
