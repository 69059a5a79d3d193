"""Where a pipeline can be divided among devices, and whether it is divided already."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import CallSite
from ascendify.rules.tensorflow import datasets
from ascendify.rules.tensorflow.purposes import Purpose, branch, only_training_shuffles, purpose
from ascendify.source.module import Module
from ascendify.source.nodes import following, functions_around, only_target
from ascendify.source.scopes import FunctionNode, scope_of
from ascendify.source.values import Function

_SHARDED = re.compile(
    r"shard|(?:^|_)rank(?:$|_)|^hvd$|num_workers|worker_(?:index|id|num)|num_replicas|"
    r"input_pipeline|input_context|distribute_dataset|make_dataset_iterator",
    re.I,
)
"""Names that show that a pipeline divides its samples already."""
_OURS = ("npu_", "get_rank_", "get_local_rank_")
"""How names begin that migration brings into a file."""
_JOINING = frozenset({"zip", "concatenate", "sample_from_datasets", "choose_from_datasets"})
_ARRAYS = ("numpy.", "tf.keras.layers.", "keras.layers.")
"""What joins arrays or layers of these is no dataset."""
_MIXING = frozenset({"shuffle", "permutation", "sample"})
_BATCHING = frozenset({"batch", "padded_batch", "map_and_batch", "window", "repeat"})
_KEEPING_ORDER = frozenset({"map", "with_options", "cache", "filter", "take", "skip"})
"""Dataset methods after which all devices still see the samples in one order."""


def is_sharded(site: CallSite) -> bool:
    """Whether the functions around or their callers divide samples among workers."""
    functions = list(functions_around(site.node))
    if not functions:
        return _mentions_shards(site.file.module.tree)
    outermost = functions[-1]
    if _mentions_shards(outermost):
        return True
    callers = site.file.resolver.callers(Function(site.file.module, outermost))
    return any(_caller_shards(module, call) for module, call, _ in callers)


def outermost(site: CallSite) -> FunctionNode | None:
    """The outermost function around a source."""
    return next(reversed(list(functions_around(site.node))), None)


def taken_for_training(site: CallSite) -> list[ast.Call]:
    """Calls of the function around a source that take what it returns for training.

    Empty where they do not stand in this file, where one of them may take it for something else,
    and where the function puts samples into batches or into another order.
    """
    file, function = site.file, outermost(site)
    if not isinstance(function, ast.FunctionDef):
        return []
    methods = {item.attr for item in ast.walk(function) if isinstance(item, ast.Attribute)}
    if methods & _BATCHING or methods & _MIXING or not scope_of(function).returns:
        return []
    callers = file.resolver.callers(Function(file.module, function))
    if any(module is not file.module for module, _, _ in callers):
        return []
    purposes = [(call, purpose(file, call)) for _, call, _ in callers]
    if any(used_for not in (Purpose.TRAIN, Purpose.EVAL) for _, used_for in purposes):
        return []
    return [call for call, used_for in purposes if used_for is Purpose.TRAIN]


def called_for_training(site: CallSite) -> list[ast.Call]:
    """Calls, for training, of the function around a source that others call for evaluation.

    Empty where that is not certain, where calls stand in other files, and where the function is
    passed on instead of called, or cannot get another parameter.
    """
    file, function = site.file, outermost(site)
    if not isinstance(function, ast.FunctionDef) or scope_of(site.node) is not scope_of(function):
        return []
    if not _takes_another_parameter(function) or is_joined(site) or is_mixed_before(site):
        return []
    callers = file.resolver.callers(Function(file.module, function))
    calls = [call for module, call, _ in callers if module is file.module]
    named = [node for node in file.module.index.of(ast.Name) if node.id == function.name]
    if len(calls) < len(callers) or {id(call.func) for call in calls} != set(map(id, named)):
        return []
    purposes = [(call, purpose(file, call)) for call in calls]
    if any(used_for not in (Purpose.TRAIN, Purpose.EVAL) for _, used_for in purposes):
        return []
    return [call for call, used_for in purposes if used_for is Purpose.TRAIN]


def _takes_another_parameter(function: ast.FunctionDef) -> bool:
    given = function.args
    return not (given.vararg or given.kwonlyargs or given.kwarg or function.decorator_list)


def is_joined(site: CallSite) -> bool:
    """Whether the function joins datasets, so that one shard alone would mix up samples."""
    return any(_joins(site, item) for item in ast.walk(_body(site)))


def zipped(site: CallSite) -> ast.Call | None:
    """The one call of a function that pairs the samples of its sources, in the order they are read.

    None where the function joins datasets in other ways, too, or makes batches of them or mixes
    them before.
    """
    calls = [item for item in ast.walk(_body(site)) if isinstance(item, ast.Call)]
    methods = [call for call in calls if isinstance(call.func, ast.Attribute)]
    joining = [call for call in methods if _joins(site, call.func)]
    if len(joining) != 1 or site.file.name(joining[0].func) != "tf.data.Dataset.zip":
        return None
    (found,) = joining
    before = (call for call in methods if _end(call) <= _end(found))
    if any(getattr(call.func, "attr", "") in _BATCHING | _MIXING for call in before):
        return None
    return found


def _end(node: ast.expr) -> tuple[int, int]:
    return (node.end_lineno or 0, node.end_col_offset or 0)


def _joins(site: CallSite, node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr in _JOINING
        and not (site.file.name(node) or "").startswith(_ARRAYS)
    )


def is_mixed_before(site: CallSite) -> bool:
    """Whether Python shuffles the input of a source, in a different order on each device."""
    given = {item.id for item in ast.walk(site.node) if isinstance(item, ast.Name)}
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in _MIXING
        and any(isinstance(item, ast.Name) and item.id in given for item in call.args)
        for call in ast.walk(_body(site))
    )


def reads_files_below(site: CallSite) -> bool:
    """Whether the source lists files that a later step reads."""
    return any(
        getattr(item, "attr", "") in ("interleave", "flat_map", "parallel_interleave")
        for item in ast.walk(_body(site))
    )


def reads_whole_files(site: CallSite) -> bool:
    """Whether the function reads each file as one sample."""
    return any(
        isinstance(item, ast.Attribute) and item.attr == "WholeFileReader"
        for item in ast.walk(_body(site))
    )


def training_block(site: CallSite) -> tuple[str, ast.stmt] | None:
    """The dataset's variable and the first statement of the training branch that follows.

    ``d = source(...)`` and later, in the same block, ``if is_training: d = d.shuffle(...)``.
    """
    assign = site.statement
    target = only_target(assign)
    if (
        not isinstance(assign, ast.Assign)
        or not isinstance(target, ast.Name)
        or not _keeps_order(assign.value, site.node)
    ):
        return None
    for later in following(assign):
        if isinstance(later, ast.If) and (
            branch(later.test) is Purpose.TRAIN or only_training_shuffles(site.file, later.test)
        ):
            first = later.body[0]
            return (target.id, first) if _continues(first, target.id) else None
        if not _is_harmless(later, target.id):
            return None
    return None


def _body(site: CallSite) -> ast.AST:
    return next(functions_around(site.node), site.file.module.tree)


def _keeps_order(value: ast.expr, source: ast.Call) -> bool:
    """Whether all steps between the source and the assignment keep the order of samples."""
    for call in datasets.chain(value):
        if call is source:
            return True
        if getattr(call.func, "attr", "") not in _KEEPING_ORDER:
            return False
    return False


def _continues(node: ast.stmt, name: str) -> bool:
    """``name = name.something(...)``."""
    target = only_target(node)
    return isinstance(target, ast.Name) and target.id == name and bool(_methods_on(node, name))


def _is_harmless(node: ast.stmt, name: str) -> bool:
    if not any(isinstance(item, ast.Name) and item.id == name for item in ast.walk(node)):
        return not isinstance(node, (ast.Return, ast.FunctionDef))
    return _continues(node, name) and all(
        method in _KEEPING_ORDER for method in _methods_on(node, name)
    )


def _methods_on(node: ast.AST, name: str) -> list[str]:
    """Methods that are called on a variable."""
    return [
        item.func.attr
        for item in ast.walk(node)
        if isinstance(item, ast.Call)
        and isinstance(item.func, ast.Attribute)
        and isinstance(item.func.value, ast.Name)
        and item.func.value.id == name
    ]


def _caller_shards(module: Module, call: ast.Call) -> bool:
    if _mentions_shards(call):
        return True
    scope: ast.AST = next(functions_around(call), module.tree)
    return any(
        isinstance(item, ast.Attribute)
        and (item.attr == "shard" or "distribute_dataset" in item.attr)
        for item in ast.walk(scope)
    )


def _mentions_shards(node: ast.AST) -> bool:
    return any(_SHARDED.search(name) for name in _identifiers(node))


def _identifiers(node: ast.AST) -> Iterator[str]:
    """The user's names in a node, except in functions that rules add."""
    pending = [node]
    while pending:
        item = pending.pop()
        names = [getattr(item, field, None) for field in ("id", "attr", "arg", "name")]
        own = [name for name in names if isinstance(name, str)]
        if isinstance(item, ast.FunctionDef) and item.name.startswith(_OURS):
            continue
        yield from (name for name in own if not name.startswith(_OURS))
        pending.extend(ast.iter_child_nodes(item))
