"""NpuOptimizer entries written by hand: find them, their configs and their options."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.rules.kit import File, Fix, names
from ascendify.source.flow import backward
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import (
    class_around,
    keyword_value,
    only_target,
    positional_parameters,
    receiver,
)
from ascendify.source.scopes import ancestors, parent, scope_of, statement
from ascendify.source.values import Function

ENTRY = "NpuOptimizer"


@dataclass(frozen=True)
class OptimizerEntry:
    """``<config>.graph_options.rewrite_options.custom_optimizers.add()``, named for the NPU."""

    module: Module
    call: ast.Call
    rewriter: ast.expr
    """The object the entry is added to: ``<config>.graph_options.rewrite_options`` or its variable.
    """
    config: ast.expr | None
    """The session config, None when only its rewrite options can be seen."""
    handle: ast.expr | None
    """The variable that holds the entry."""


@dataclass(frozen=True)
class EntryParameter:
    """``<entry>.parameter_map["<key>"].<field> = <value>``."""

    key: str
    key_node: ast.Constant
    field: str
    target: ast.Attribute
    statement: ast.Assign
    handle: ast.expr

    @property
    def value(self) -> ast.expr:
        """The assigned value."""
        return self.statement.value


def entries(module: Module) -> Iterator[OptimizerEntry]:
    """Every entry of a file that is named for the NPU."""
    return (entry for entry, named in _custom_optimizers(module) if ENTRY in named)


def _custom_optimizers(module: Module) -> Iterator[tuple[OptimizerEntry, set[object]]]:
    """Every entry that a file adds for a graph optimizer, with its name."""
    for call in module.index.calls_by_name.get("add", ()):
        added = receiver(call)
        if isinstance(added, ast.Attribute) and added.attr == "custom_optimizers":
            target, rewriter = only_target(parent(call)), added.value
            handle = target if isinstance(target, (ast.Name, ast.Attribute)) else None
            entry = OptimizerEntry(module, call, rewriter, config_of(rewriter), handle)
            yield entry, _given_names(module, call, handle)


def parameters(module: Module) -> Iterator[EntryParameter]:
    """Every option the file writes into the parameter map of a custom optimizer.

    Options of an optimizer with another name are left out; those of an entry that another file
    made are not.
    """
    if "parameter_map" not in module.source.text:
        return
    foreign = [
        entry.handle
        for entry, named in _custom_optimizers(module)
        if entry.handle is not None
        and ENTRY not in named
        and any(isinstance(x, str) for x in named)
    ]
    for target in module.index.stores:
        found = _parameter(target)
        if found is None:
            continue
        if not any(is_same(found.handle, other) for other in foreign):
            yield found


def of_entry(entry: OptimizerEntry) -> list[EntryParameter]:
    """The options written into one entry, in the order of the text."""
    handle = entry.handle
    if handle is None:
        return []
    later = [
        other.call.lineno
        for other in entries(entry.module)
        if other.handle is not None
        and is_same(other.handle, handle)
        and other.call.lineno > entry.call.lineno
    ]
    return [
        item
        for item in parameters(entry.module)
        if is_same(item.handle, handle)
        and entry.call.lineno < item.target.lineno < min(later, default=item.target.lineno + 1)
    ]


def is_same(first: ast.expr, second: ast.expr) -> bool:
    """Whether two expressions are the same variable: one name in one scope, or one attribute."""
    if isinstance(first, ast.Name) and isinstance(second, ast.Name):
        if first.id != second.id:
            return False
        mine, theirs = scope_of(first).find(first.id), scope_of(second).find(second.id)
        return mine is theirs
    if isinstance(first, ast.Attribute) and isinstance(second, ast.Attribute):
        if first.attr != second.attr:
            return False
        if isinstance(first.value, ast.Name) and isinstance(second.value, ast.Name):
            mine_, theirs_ = class_around(first), class_around(second)
            if first.value.id == second.value.id and mine_ is not None:
                return mine_ is theirs_
        return is_same(first.value, second.value)
    return False


def has_entry(resolver: Resolver, module: Module, node: ast.expr) -> bool:
    """Whether the config a variable holds is given an entry by hand, here or by a helper."""
    if any(
        is_same(node, item)
        for entry in entries(module)
        for item in (entry.config, entry.rewriter)
        if item is not None
    ):
        return True
    return isinstance(node, ast.Name) and _filled_by_helper(resolver, module, node)


def is_given(module: Module, call: ast.Call) -> bool:
    """Whether a config is built from rewrite options that have an entry."""
    names = [item for item in ast.walk(call) if isinstance(item, (ast.Name, ast.Attribute))]
    return any(is_same(name, entry.rewriter) for entry in entries(module) for name in names)


def has_global(module: Module, name: str) -> bool:
    """Whether a file adds an entry to its module-level config of this name."""
    return any(
        isinstance(entry.config, ast.Name)
        and entry.config.id == name
        and scope_of(entry.config).find(name) is module.index.module
        for entry in entries(module)
    )


def npu_parameters(file: File) -> list[EntryParameter]:
    """The options that a file sets by hand, if it sets them for an NPU."""
    found = list(parameters(file.module))
    return found if found and (file.migrated or any(entries(file.module))) else []


def literal(file: File, node: ast.expr) -> tuple[object, ...] | None:
    """The literal values of an option, also inside a conversion to bytes."""
    if isinstance(node, ast.Call):
        name = file.name(node.func)
        if name in ("tf.compat.as_bytes", "tf.compat.as_str", "tf.compat.as_text") and node.args:
            return literal(file, node.args[0])
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "encode":
            return literal(file, func.value)
        return None
    found = file.literal(node)
    if found is None:
        return None
    return tuple(
        item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in found
    )


def as_bytes(file: File, fix: Fix) -> str:
    """The file's spelling of ``tf.compat.as_bytes``."""
    local = names.local_name(file.module.tree)
    return f"{local}.compat.as_bytes" if local else fix.use("tensorflow.compat", "as_bytes")


def run_together(first: ast.AST, second: ast.AST) -> bool:
    """Whether one of two statements runs wherever the other does.

    False for ``if a: x`` and ``if b: y``, where it is unknown whether both run.
    """
    mine, theirs = _conditions(first), _conditions(second)
    return mine <= theirs or theirs <= mine


def _conditions(node: ast.AST) -> set[tuple[int, str]]:
    """The branches that a statement is in."""
    found: set[tuple[int, str]] = set()
    inner = node
    for ancestor in ancestors(node):
        for name in ("body", "orelse", "handlers"):
            block = getattr(ancestor, name, None)
            branches = isinstance(ancestor, (ast.If, ast.Try, ast.For, ast.While))
            if isinstance(block, list) and inner in block and branches:
                found.add((id(ancestor), name))
        inner = ancestor
    return found


def made_by_npu(resolver: Resolver, module: Module, config: ast.expr | None) -> bool:
    """Whether a config variable was made by ``npu_config_proto``, which adds the entry."""
    if not isinstance(config, ast.Name):
        return False
    return any(
        isinstance(binding.value, ast.Call)
        and resolver.names(module, binding.value.func)[0] == ("npu.npu_config_proto",)
        for binding in backward.bindings(config)
    )


def _filled_by_helper(resolver: Resolver, module: Module, node: ast.Name) -> bool:
    for call in module.index.calls:
        for number, argument in enumerate(call.args):
            if isinstance(argument, ast.Name) and is_same(argument, node):
                for value in resolver.infer(module, call.func):
                    if isinstance(value, Function) and _fills(value, number):
                        return True
    return False


def _fills(function: Function, number: int) -> bool:
    """Whether a function adds an entry to the config that is its argument."""
    arguments = positional_parameters(function.node)
    if isinstance(parent(function.node), ast.ClassDef):
        arguments = arguments[1:]
    if number >= len(arguments):
        return False
    scope = scope_of(function.node)
    return any(
        isinstance(entry.config, ast.Name)
        and entry.config.id == arguments[number].arg
        and scope_of(entry.config).find(entry.config.id) is scope
        for entry in entries(function.module)
    )


def naming(entry: OptimizerEntry) -> ast.stmt | None:
    """The statement that gives an entry its name, if it follows in the same block."""
    block = parent(statement(entry.call))
    for owner in _namings(entry.module, entry.call, entry.handle):
        if parent(owner) is block and owner.lineno > entry.call.lineno:
            return owner
    return None


def _namings(module: Module, call: ast.Call, handle: ast.expr | None) -> Iterator[ast.Assign]:
    """Assignments ``<entry>.name = ...``."""
    for store in module.index.stores:
        owner = parent(store)
        if store.attr != "name" or not isinstance(owner, ast.Assign):
            continue
        if store.value is call or (handle is not None and is_same(store.value, handle)):
            yield owner


def _given_names(module: Module, call: ast.Call, handle: ast.expr | None) -> set[object]:
    """The names an entry is given: by ``.add(name=...)``, ``.add().name = ...`` or its variable."""
    named = [keyword_value(call, "name"), *(item.value for item in _namings(module, call, handle))]
    return {value.value for value in named if isinstance(value, ast.Constant)}


def config_of(rewriter: ast.expr) -> ast.expr | None:
    """The config that ``graph_options.rewrite_options`` is a part of, also through variables."""
    path: list[str] = []
    node = rewriter
    for _ in range(8):
        if isinstance(node, ast.Attribute):
            path.insert(0, node.attr)
            if path == ["graph_options", "rewrite_options"]:
                return node.value
            node = node.value
        elif isinstance(node, ast.Name):
            bindings = backward.bindings(node)
            if len(bindings) != 1 or not isinstance(bindings[0].value, ast.Attribute):
                return None
            node = bindings[0].value
        else:
            return None
    return None


def _parameter(target: ast.Attribute) -> EntryParameter | None:
    item = target.value
    owner = parent(target)
    if not (
        isinstance(item, ast.Subscript)
        and isinstance(item.value, ast.Attribute)
        and item.value.attr == "parameter_map"
        and isinstance(item.slice, ast.Constant)
        and isinstance(item.slice.value, str)
        and isinstance(owner, ast.Assign)
        and owner.targets == [target]
    ):
        return None
    return EntryParameter(
        item.slice.value, item.slice, target.attr, target, owner, item.value.value
    )
