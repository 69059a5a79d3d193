"""NPU options written by hand: switch off graph optimizers that break an NPU graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import Diagnoses, File, Fix, Rule, Status
from ascendify.rules.tf1 import _npu_entry
from ascendify.rules.tf1._same_process import together
from ascendify.source.flow import backward
from ascendify.source.scopes import parent, scope_of, statement

RULE = Rule(
    code="TF1-NPU-6",
    title="Switch remapping and memory optimization off beside an NpuOptimizer entry",
    why=(
        "TensorFlow's remapping and memory optimization rewrite the graph in ways the NPU's "
        "optimizer cannot take; memory optimization left on ends in a core dump. npu_init switches "
        "memory optimization off only for entries it adds itself."
    ),
    statuses=(Status.AUTO,),
    before=(
        "custom_op = config.graph_options.rewrite_options.custom_optimizers.add()\n"
        'custom_op.name = "NpuOptimizer"'
    ),
    after=(
        "custom_op = config.graph_options.rewrite_options.custom_optimizers.add()\n"
        'custom_op.name = "NpuOptimizer"\n'
        "config.graph_options.rewrite_options.remapping = RewriterConfig.OFF\n"
        "config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF"
    ),
)

_NEEDED_OFF = ("remapping", "memory_optimization")
_PB2 = "tensorflow.core.protobuf.rewriter_config_pb2"


@RULE.file
def left_on(file: File) -> Diagnoses:
    """Switch off options of the graph rewriter that must be off beside an entry."""
    if _npu_entry.ENTRY not in file.module.source.text:
        return
    for entry in _npu_entry.entries(file.module):
        if _npu_entry.made_by_npu(file.resolver, file.module, entry.config):
            continue
        fix = file.fix()
        changed = [option for option in _NEEDED_OFF if _switched_off(file, entry, option, fix)]
        if changed:
            names = " and ".join(changed)
            yield RULE.auto(
                file.at(entry.call),
                f"{names} {'is' if len(changed) == 1 else 'are'} on beside an NpuOptimizer entry",
                done=f"Switched {names} off.",
                fix=fix,
            )


def _switched_off(file: File, entry: _npu_entry.OptimizerEntry, option: str, fix: Fix) -> bool:
    """Switch one option off; False when it is off already."""
    values = list(_values(file, entry, option))
    wrong = [value for value in values if _is_on(file, value)]
    for value in wrong:
        fix.replace(value, f"{fix.use(_PB2, 'RewriterConfig')}.OFF")
    if values or _set_elsewhere(file, entry, option):
        return bool(wrong)
    target = f"{file.text(entry.rewriter)}.{option}"
    sibling = _sibling(file, entry)
    if sibling is not None:
        # the spelling of OFF that the file uses for the option next to it
        fix.insert_after(sibling, f"{target} = {file.text(sibling.value)}")
    else:
        off = f"{fix.use(_PB2, 'RewriterConfig')}.OFF"
        fix.insert_after(_npu_entry.naming(entry) or entry.call, f"{target} = {off}")
    return True


def _sibling(file: File, entry: _npu_entry.OptimizerEntry) -> ast.Assign | None:
    """The statement that switches the other option off, if it always runs with the entry."""
    for option in _NEEDED_OFF:
        for value in _values(file, entry, option):
            owner = parent(value)
            if (
                isinstance(owner, ast.Assign)
                and not _is_on(file, value)
                and parent(owner) is parent(statement(entry.call))
                and owner.lineno > entry.call.lineno
            ):
                return owner
    return None


def _values(file: File, entry: _npu_entry.OptimizerEntry, option: str) -> Iterator[ast.expr]:
    """The values that an option of the entry's config gets, assigned or in the constructor."""
    for store in file.module.index.stores:
        owner = parent(store)
        if store.attr == option and isinstance(owner, ast.Assign) and _is_of(store.value, entry):
            yield owner.value
    if isinstance(entry.rewriter, ast.Name):
        for binding in backward.bindings(entry.rewriter):
            if isinstance(binding.value, ast.Call):
                yield from (
                    keyword.value for keyword in binding.value.keywords if keyword.arg == option
                )


def _is_of(rewriter: ast.expr, entry: _npu_entry.OptimizerEntry) -> bool:
    if _npu_entry.is_same(rewriter, entry.rewriter):
        return True
    config = _npu_entry.config_of(rewriter)
    return (
        config is not None and entry.config is not None and _npu_entry.is_same(config, entry.config)
    )


def _is_on(file: File, value: ast.expr) -> bool:
    """Whether a value surely is another one than OFF."""
    if isinstance(value, ast.Attribute) and value.attr.isupper():
        return value.attr != "OFF"
    literal = file.literal(value)
    return literal is not None and 2 not in literal


def _set_elsewhere(file: File, entry: _npu_entry.OptimizerEntry, option: str) -> bool:
    """Whether the config leaves its function and another place sets the option."""
    for module in together(file, option):
        for store in module.index.stores:
            if store.attr == option and (
                module is not file.module
                or (
                    scope_of(statement(store)) is not scope_of(entry.call)
                    and entry.config is not None
                    and _leaves(entry.config)
                )
            ):
                return True
    return False


def _leaves(config: ast.expr) -> bool:
    """Whether a config is visible to other functions: returned, passed on, or an attribute."""
    if not isinstance(config, ast.Name):
        return True
    scope = scope_of(config).find(config.id)
    if scope is None or scope.kind == "module":
        return True
    bound = scope.bindings[config.id]
    return any(item.kind == "param" for item in bound) or any(
        isinstance(value, ast.Name) and value.id == config.id for value in scope.returns
    )
