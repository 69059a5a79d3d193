"""NPU options written by hand: report options that exclude each other or lack another one."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.catalog import options
from ascendify.catalog.options import OptionError, Value
from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status
from ascendify.rules.kit.bindings import values
from ascendify.rules.tf1 import _npu_entry
from ascendify.source.flow import backward
from ascendify.source.flow.forward import reads
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-NPU-3",
    title="Set NPU options that go together",
    why=(
        "Some options exclude each other and some are only read together with another one. The "
        "adapter refuses such a run, or ignores the option."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before='NPURunConfig(precision_mode="allow_mix_precision", precision_mode_v2="mixed_float16")',
)


@dataclass(frozen=True)
class _Given:
    """One option as a program sets it."""

    key: str
    node: ast.AST
    value: Value | None
    """None when it cannot be seen."""


@RULE.file
def in_entry(file: File) -> Diagnoses:
    """Check the options of one ``NpuOptimizer`` entry."""
    if _npu_entry.ENTRY not in file.module.source.text:
        return
    for entry in _npu_entry.entries(file.module):
        given = [
            found
            for item in _npu_entry.of_entry(entry)
            for found in _given(file, item.key, item.value, item.target)
        ]
        yield from _checked(file, given, complete=_is_private(entry))


@RULE.call("npu.NPURunConfig")
def in_run_config(site: CallSite) -> Diagnoses:
    """Check the arguments of one NPURunConfig and of the helper objects it is given."""
    known = {item.run_config: item.key for item in options.all_options() if item.run_config}
    given: list[_Given] = []
    complete = not site.args.starred
    for argument in site.args:
        helper = _helper(site.file, argument.value)
        if argument.name in known:
            given.extend(_given(site.file, known[argument.name], argument.value, argument.node))
        elif helper is not None:
            complete = complete and not helper.args.starred
            owner = helper.name.rpartition(".")[2]
            for inner in helper.args:
                key = known.get(f"{owner}.{inner.name}")
                if key is not None:
                    given.extend(_given(site.file, key, inner.value, argument.node))
        elif argument.name.endswith("_config") and argument.name != "session_config":
            complete = False
    yield from _checked(site.file, given, complete)


def _given(file: File, key: str, value: ast.expr, node: ast.AST) -> Iterator[_Given]:
    """The option, unless it is unknown or explicitly not set."""
    literal = _npu_entry.literal(file, value)
    if literal == (None,) or key not in {item.key for item in options.all_options()}:
        return
    seen = None
    if literal is not None and len(literal) == 1:
        with contextlib.suppress(OptionError):  # TF1-NPU-2 reports the value
            seen = options.parse(key, literal[0])
    yield _Given(key, node, seen)


def _checked(file: File, given: list[_Given], complete: bool) -> Diagnoses:
    known = {item.key: item.value for item in given}
    nodes = {item.key: item.node for item in given}
    for rule in options.rules():
        when = rule.when
        alone = not (rule.needs or rule.forbids)  # a remark on one option; other rules have it
        if when.option not in nodes or alone or (rule.needs and not complete):
            continue
        unseen = [
            item
            for item in (when, *rule.needs, *rule.forbids)
            if item.option in nodes and known[item.option] is None
        ]
        if any(item.values or item in rule.needs for item in unseen):
            continue
        shown = {key: "..." if value is None else value for key, value in known.items()}
        message = rule.violation(shown)
        if message is None:
            continue
        rival = next((item.option for item in rule.forbids if item.option in nodes), None)
        if rival is not None and not _npu_entry.run_together(nodes[when.option], nodes[rival]):
            continue
        error = rule.severity == "error"
        yield RULE.finding(
            Status.MANUAL if error else Status.INFO,
            file.at(nodes[when.option]),
            message,
            todo=_todo(rule) if error else "",
            effort=Effort.MINUTES if error else Effort.NONE,
        )


def _todo(rule: options.OptionRule) -> str:
    if rule.needs:
        return f"Set {' or '.join(map(str, rule.needs))} as well, or leave {rule.when.option} out."
    return f"Keep one of {rule.when.option} and {' or '.join(c.option for c in rule.forbids)}."


def _helper(file: File, node: ast.expr) -> CallSite | None:
    """The call that makes a helper object, also one that a variable holds."""
    if isinstance(node, ast.Name):
        assigned = values(file, node)
        node = assigned[0] if len(assigned) == 1 else node
    if isinstance(node, ast.Call):
        name = file.name(node.func)
        if name is not None and name.rpartition(".")[2] in options.run_config_helpers():
            return CallSite(file, node, name)
    return None


def _is_private(entry: _npu_entry.OptimizerEntry) -> bool:
    """Whether all options of an entry are set where it is made, because it goes nowhere else."""
    handle = entry.handle
    if not isinstance(handle, ast.Name):
        return False
    return bool(backward.bindings(handle)) and all(
        isinstance(around := parent(use), ast.Attribute)
        and around.attr in ("name", "parameter_map")
        for use in reads(handle)
    )
