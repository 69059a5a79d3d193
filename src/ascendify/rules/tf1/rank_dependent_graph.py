"""Rank-dependent graphs: report operations that only some of the ranks build."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.catalog import types
from ascendify.rules.kit import Diagnoses, Diagnosis, Effort, File, Rule, Status
from ascendify.rules.kit.bindings import bindings
from ascendify.source.flow import backward
from ascendify.source.nodes import FUNCTIONS, following, last_name
from ascendify.source.scopes import ancestors, statement

RULE = Rule(
    code="TF1-RANK-1",
    title="Build the same graph on every rank",
    why=(
        "Ranks of one job must run the same collectives in the same order. A graph that has more "
        "operations on one rank is compiled and scheduled differently there, and the job hangs."
    ),
    statuses=(Status.BLOCKER,),
    before=(
        "if get_rank_id() == 0:\n"
        "    tf.summary.scalar('loss', loss)\n"
        "summary = tf.summary.merge_all()"
    ),
)

_QUERIES = frozenset(
    ["horovod.tensorflow.rank", "horovod.tensorflow.local_rank", "horovod.tensorflow.cross_rank",
     "npu.get_rank_id", "npu.get_local_rank_id", "npu.get_npu_rank_id", "npu.get_npu_local_rank_id"]
)  # fmt: skip
_VARIABLES = frozenset({"RANK_ID", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"})
"""Environment variables that hold the rank of a process."""
_LASTS = frozenset(name.rpartition(".")[2] for name in _QUERIES)

_MODULES = frozenset({"tf.metrics", "tf.contrib.metrics", "tf.layers", "tf.keras.layers"})
"""Modules whose functions and classes build operations, whatever they return."""
_SUMMARIES = frozenset(
    f"tf.contrib.summary.{name}"
    for name in ("scalar", "histogram", "image", "audio", "generic", "graph", "all_summary_ops")
)
_RESULTS = frozenset({"tf.Tensor", "tf.Operation", "tf.Variable", "tf.SparseTensor"})
_HARMLESS_NAMES = """
    tf.global_variables_initializer tf.local_variables_initializer tf.tables_initializer
    tf.variables_initializer tf.train.get_global_step tf.train.get_or_create_global_step
    tf.train.create_global_step tf.get_default_graph tf.no_op
    tf.trainable_variables tf.global_variables
"""
_HARMLESS = frozenset(_HARMLESS_NAMES.split())
"""Calls that create nothing, or only what runs once before training."""
_GRAPHS = frozenset({"tf.Graph", "tf.Graph.as_default", "tf.Session", "tf.InteractiveSession"})
"""Calls that make a graph or session; under a rank's condition it is separate."""
_RUNS = frozenset({"run", "eval"})


@dataclass(frozen=True)
class _Guard:
    """Code that only some of the ranks run."""

    condition: ast.expr
    code: tuple[ast.AST, ...]


@RULE.file
def same_graph(file: File) -> Diagnoses:
    """Look under every condition on the rank for operations that are built there."""
    if not _may_get_rank(file):
        return
    reported: set[ast.AST] = set()
    for guard in _guards(file):
        calls = [node for node in _walked(guard.code) if isinstance(node, ast.Call)]
        if any(file.name(call.func) in _GRAPHS for call in calls):
            continue
        built = [call for call in calls if call not in reported and _builds(file, call)]
        reported.update(calls)
        if built:
            yield _finding(file, guard, built)


def _finding(file: File, guard: _Guard, built: list[ast.Call]) -> Diagnosis:
    shown = list(dict.fromkeys(file.brief(call.func, 40) for call in built))
    names = ", ".join(shown[:4]) + (f" and {len(shown) - 4} more" if len(shown) > 4 else "")
    condition = file.brief(guard.condition, 50)
    return RULE.blocker(
        file.at(built[0]),
        f"{names} {'is' if len(shown) == 1 else 'are'} built only on some ranks, as {condition} "
        "decides",
        todo=(
            f"Move what builds operations out of the condition, so that every rank builds it, and "
            f"keep only its use (running, writing, printing) under {condition}."
        ),
        effort=Effort.MINUTES,
    )


def _may_get_rank(file: File) -> bool:
    """Whether the file gets a rank anywhere: a fast test before the thorough one."""
    if any(name in file.module.source.text for name in _VARIABLES):
        return True
    queries = file.module.index.ending(_LASTS)
    return any(name in _QUERIES for node in queries for name in file.names(node)[0])


def _guards(file: File) -> Iterator[_Guard]:
    for node in file.module.index.of(ast.If):
        if on_rank(file, node.test):
            yield _Guard(node.test, (*node.body, *node.orelse))
            if _leaves(node.body) and not node.orelse:
                yield _Guard(node.test, tuple(following(node)))
    for choice in file.module.index.of(ast.IfExp):
        if on_rank(file, choice.test):
            yield _Guard(choice.test, (choice.body, choice.orelse))


def _leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], (ast.Return, ast.Continue, ast.Break))


def on_rank(file: File, test: ast.expr, depth: int = 0) -> bool:
    """Whether an expression depends on the rank, itself or through variables."""
    for node in ast.walk(test):
        if isinstance(node, ast.Constant) and node.value in _VARIABLES:
            return True
        if not isinstance(node, (ast.Name, ast.Attribute)) or isinstance(node.ctx, ast.Store):
            continue
        if last_name(node) in _LASTS and any(name in _QUERIES for name in file.names(node)[0]):
            return True
        if depth < 3 and any(on_rank(file, value, depth + 1) for value in _assigned(file, node)):
            return True
    return False


def _assigned(file: File, node: ast.Name | ast.Attribute) -> list[ast.expr]:
    """The plain values this file assigns to a variable or an attribute of ``self``."""
    if isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Name):
        return []
    found = bindings(file.resolver, file.module, node)
    values = [backward.assigned(item) for module, item in found if module is file.module]
    return [value for value in values if value is not None and _is_plain(value)]


def _is_plain(value: ast.expr) -> bool:
    """Whether a value is a query, a comparison or a conversion, not a call that takes the rank."""
    if isinstance(value, ast.Call):
        return not value.args or last_name(value.func) in ("int", "bool", "getenv", "get")
    return isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Name, ast.Attribute))


def _walked(code: tuple[ast.AST, ...]) -> Iterator[ast.AST]:
    """Every node that runs with the code: not the bodies of functions defined there."""
    pending = list(code)
    while pending:
        node = pending.pop(0)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        yield node
        pending[:0] = list(ast.iter_child_nodes(node))


def _builds(file: File, call: ast.Call) -> bool:
    name = file.name(call.func)
    if name is None or not name.startswith("tf.") or name in _HARMLESS or _is_run(call):
        return False
    if name in _SUMMARIES or name.rpartition(".")[0] in _MODULES:
        return True
    return types.returns(name) in _RESULTS


def _is_run(call: ast.Call) -> bool:
    """Whether a call is an argument of a session's run in the same statement."""
    stmt = statement(call)
    for ancestor in ancestors(call):
        if ancestor is stmt:
            return False
        func = getattr(ancestor, "func", None)
        if isinstance(func, ast.Attribute) and func.attr in _RUNS:
            return True
    return False
