"""Where a pipeline is divided among the ranks: at its source, before anything mixes its order."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.rules.kit import File
from ascendify.rules.tensorflow.datasets import chain
from ascendify.rules.tensorflow.purposes import Purpose, branch
from ascendify.rules.tf2 import _data
from ascendify.source.flow import backward
from ascendify.source.nodes import (
    block_of,
    functions_around,
    is_inside,
    keyword_value,
    last_name,
    only_target,
    position,
    receiver,
    values_given,
)
from ascendify.source.scopes import Scope, ancestors, scope_of, statement
from ascendify.source.values import Function

_MIXING = frozenset(
    {"shuffle", "repeat", "batch", "padded_batch", "window", "cache", "prefetch", "unbatch"}
)
"""Dataset methods behind which ranks may no longer agree on the order, or see batches."""
_SELECTING = frozenset({"take", "skip", "filter", "enumerate"})
"""Dataset methods that count or drop samples, and must see the same ones on all ranks."""
_JOINING = frozenset({"zip", "concatenate", "sample_from_datasets", "choose_from_datasets"})
_SOURCES = frozenset(
    {
        "tf2.data.TFRecordDataset", "tf2.data.TextLineDataset", "tf2.data.FixedLengthRecordDataset",
        "tf2.data.experimental.CsvDataset",
        *(f"tf2.data.Dataset.{name}" for name in (
            "list_files", "from_tensor_slices", "from_generator", "from_tensors", "range", "load",
        )),
    }
)  # fmt: skip
"""Functions and methods that a pipeline starts with."""
_PIPELINES = ("num_input_pipelines", "input_pipeline_id")
"""Attributes of the context that a strategy passes to an input function -> their value in one
process."""
_CALLS = frozenset({"get_per_replica_batch_size", "int"})
"""Calls that are allowed in the expression of a batch size."""


@dataclass(frozen=True)
class ShardPlace:
    """Where the dataset is divided."""

    statement: ast.stmt
    """The statement that makes the dataset, or the first that uses it."""
    name: str = ""
    """The variable that holds it behind the statement; empty where it is part of a chain."""
    source: ast.expr | None = None
    """The part of a chain to divide."""
    before: bool = False
    """Whether the division goes before the statement, which uses the variable."""

    @property
    def origin(self) -> ast.Call | None:
        """The call that the divided dataset starts with; None where it cannot be seen."""
        value = self.source or (None if self.before else getattr(self.statement, "value", None))
        calls = [] if value is None else list(chain(value))
        return calls[-1] if calls else None


def is_sharded(file: File, node: ast.AST) -> bool:
    """Whether the functions around divide their data among workers already."""
    around = list(functions_around(node))
    block: ast.AST = around[-1] if around else file.module.tree
    return any(
        isinstance(item, ast.Call)
        and "shard" in last_name(item.func)
        and not any(word in file.text(item) for word in _PIPELINES)
        for item in ast.walk(block)
    )


def is_joined(node: ast.AST, file: File) -> bool:
    """Whether the function joins datasets, so that one shard alone would mix up samples."""
    block: ast.AST = next(functions_around(node), file.module.tree)
    return any(
        isinstance(item, ast.Attribute) and item.attr in _JOINING for item in ast.walk(block)
    )


def is_batched_before(call: ast.Call) -> bool:
    """Whether an earlier step of the chain makes batches."""
    earlier = list(chain(call))[1:]
    return any(last_name(item.func) in ("batch", "padded_batch") for item in earlier)


def place(file: File, call: ast.Call, size: ast.expr) -> ShardPlace | None:
    """Where to divide the dataset that a call makes batches of; None where it is not certain."""
    calls = list(chain(call))[::-1]
    loaded = _data.catalogue_call(file, call)
    if loaded in calls:
        calls = calls[calls.index(loaded) :]
    starts = calls[0] is loaded or _starts(file, calls[0])
    first = _behind_selection(calls)
    if first is calls[0] and len(calls) > 1 and last_name(calls[1].func) == "unbatch":
        first = calls[1]  # samples are divided, not the batches of the source
    if starts is None or first is None:
        return None
    at_source = starts or first is not calls[0]
    found = _of_source(first) if at_source else _of_variable(file, first)
    if found is not None and found.name and not found.before:
        found = _unless_shared(found, call)
    if found is not None and not _is_known_at(size, found.statement):
        found = None if at_source else _in_statement(first, call)
    if found is None or not _is_known_at(size, found.statement):
        return None
    if scope_of(found.statement) is not scope_of(statement(call)):
        return None
    return found


def _behind_selection(calls: list[ast.Call]) -> ast.Call | None:
    """The call behind which samples are divided: the last that takes some, or the first.

    Samples that are shuffled with a seed have one order on all ranks.

    None where they are taken from what was shuffled or repeated: a rank would take as many.
    """
    selecting = [
        item for item in calls[1:-1] if last_name(item.func) in _SELECTING or _is_seeded(item)
    ]
    if not selecting:
        return calls[0]
    last = calls.index(selecting[-1])
    mixed = any(last_name(item.func) in _MIXING and not _is_seeded(item) for item in calls[:last])
    return None if mixed else calls[last]


def _is_seeded(call: ast.Call) -> bool:
    """Whether samples are shuffled with a seed: in one order on all ranks, as on one device."""
    if last_name(call.func) != "shuffle":
        return False
    seed = keyword_value(call, "seed") or (call.args[1] if len(call.args) > 1 else None)
    return isinstance(seed, ast.Constant) and isinstance(seed.value, int)


def _starts(file: File, source: ast.Call) -> bool | None:
    """Whether a call makes a dataset of something else; None where it hides how."""
    name = file.name(source.func) or ""
    if name in _SOURCES:
        return True
    values = file.resolver.infer(file.module, source.func)
    functions = [value for value in values if isinstance(value, Function)]
    if not functions:
        return name.startswith("tensorflow_datasets.")
    mixed = any(
        isinstance(item, ast.Attribute) and item.attr in _MIXING | _JOINING
        for function in functions
        for item in ast.walk(function.node)
    )
    return None if mixed else True


def _of_source(source: ast.Call) -> ShardPlace:
    """Right behind the call that a chain starts with."""
    holder = statement(source)
    target = only_target(holder)
    if isinstance(target, ast.Name) and getattr(holder, "value", None) is source:
        return ShardPlace(holder, target.id)
    return ShardPlace(holder, "", source)


def _unless_shared(found: ShardPlace, call: ast.Call) -> ShardPlace | None:
    """Divide at the next use, if other code uses the same undivided variable."""
    target = only_target(found.statement)
    scope = scope_of(found.statement)
    chained = {statement(item) for item in chain(call)}
    mine: list[ast.Name] = []
    shared = False
    for read in scope.reads.get(found.name, []):
        if all(binding.node is not found.statement for binding in backward.definitions(read)):
            continue
        holder = statement(read)
        again = only_target(holder)
        if holder in chained:
            mine.append(read)
        elif not (isinstance(again, ast.Name) and again.id == found.name):
            shared = True
    if not shared or not isinstance(target, ast.Name):
        return found
    source: ast.expr | None = mine[0] if len(mine) == 1 else None
    return None if source is None else ShardPlace(statement(source), "", source)


def _of_variable(file: File, first: ast.Call) -> ShardPlace | None:
    """Behind the first assignment of a variable that several statements go on with."""
    root = first.func.value if isinstance(first.func, ast.Attribute) else None
    while isinstance(root, ast.Call) and isinstance(root.func, ast.Attribute):
        root = root.func.value
    if isinstance(root, ast.Subscript):
        return ShardPlace(statement(root), "", root)
    if not isinstance(root, ast.Name):
        return None
    scope = scope_of(root).find(root.id)
    if scope is None or scope is not _function_scope(scope_of(first)):
        return None
    bindings = sorted(scope.bindings[root.id], key=lambda item: position(item.node))
    beginnings = [item for item in bindings if not _goes_on(item.value, root.id)]
    if len(beginnings) != 1:
        return None
    begin = beginnings[0]
    if isinstance(begin.node, ast.arg):
        later = [item.node for item in bindings if item is not begin]
        return _before(later[0] if later else statement(first), root.id)
    assign = begin.node
    if not isinstance(assign, ast.Assign) or begin.value is None:
        return None
    if begin.path and not _data.is_of_catalogue(file, root):
        return None
    if not all(_follows(item.node, assign) for item in bindings if item is not begin):
        return None
    if begin.path or not isinstance(begin.value, ast.Call):
        return ShardPlace(assign, root.id)
    if any(last_name(item.func) in _MIXING for item in chain(begin.value)):
        inner = list(chain(begin.value))[-1]
        return ShardPlace(assign, "", inner) if last_name(inner.func) not in _MIXING else None
    return ShardPlace(assign, root.id)


def _in_statement(first: ast.Call, call: ast.Call) -> ShardPlace | None:
    """Right before the statement that makes the batches, where it has the whole chain."""
    root = receiver(first)
    holder = statement(call)
    in_one = isinstance(root, ast.Name) and statement(root) is holder
    return ShardPlace(holder, "", root) if in_one else None


def _before(node: ast.AST, name: str) -> ShardPlace | None:
    """Divide before the outermost statement of a function that uses a parameter."""
    current = statement(node)
    for item in ancestors(current):
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return ShardPlace(current, name, before=True)
        if isinstance(item, ast.stmt):
            current = item
    return None


def _function_scope(scope: Scope) -> Scope:
    while scope.kind == "comprehension" and scope.parent is not None:
        scope = scope.parent
    return scope


def _goes_on(value: ast.expr | None, name: str) -> bool:
    """``name.something(...)``."""
    current = value
    while isinstance(current, (ast.Call, ast.Attribute)):
        current = current.func if isinstance(current, ast.Call) else current.value
    return isinstance(current, ast.Name) and current.id == name


def _follows(node: ast.AST, first: ast.stmt) -> bool:
    """Whether a statement comes after another one in the same block, or inside a later one."""
    block = block_of(first)
    later = block[block.index(first) + 1 :]
    return any(node is item or is_inside(node, item) for item in later)


def _is_known_at(size: ast.expr, place: ast.stmt) -> bool:
    """Whether a batch size can be computed as early as a statement, with the same result."""
    for item in ast.walk(size):
        if isinstance(item, ast.Call) and last_name(item.func) not in _CALLS:
            return False
        if isinstance(item, ast.Name) and not _is_bound_before(item, place):
            return False
    return True


def _is_bound_before(name: ast.Name, place: ast.stmt) -> bool:
    scope = scope_of(name).find(name.id)
    if scope is None or scope is not _function_scope(scope_of(place)):
        return True
    return all(position(item.node) <= position(place) for item in backward.bindings(name))


def endings(call: ast.Call) -> Iterator[ast.Call]:
    """The calls that follow on a chain: ``.prefetch(1)`` of ``dataset.batch(8).prefetch(1)``."""
    for item in ancestors(call):
        if isinstance(item, ast.Call):
            yield item
        elif not isinstance(item, ast.Attribute):
            return


def drops_remainder(file: File, call: ast.Call) -> bool:
    """Whether the last batch is left out where it is not full."""
    given = {item.arg: item.value for item in call.keywords}.get("drop_remainder")
    if given is None and len(call.args) > 1:
        given = values_given(call)[1]
    if given is None:
        return False
    return file.literal(given) == (True,) or branch(given) is Purpose.TRAIN
