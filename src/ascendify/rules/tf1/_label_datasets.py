"""Datasets whose elements hold sparse labels: where they are parsed and where they are iterated."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.helpers import CTC
from ascendify.rules.kit import CallSite, File
from ascendify.rules.kit.bindings import values
from ascendify.rules.tensorflow import dtypes
from ascendify.rules.tf1 import _ctc
from ascendify.source.flow import forward
from ascendify.source.nodes import assigned_name, call_of, function_around, values_given
from ascendify.source.scopes import FunctionNode, parent
from ascendify.source.values import Function, Partial

FEATURES = ("tf.VarLenFeature", "tf.SparseFeature")
_KINDS = ("make_one_shot_iterator", "make_initializable_iterator")
MAKERS = (
    *(f"tf.data.Dataset.{kind}" for kind in _KINDS),
    *(f"tf.data.{kind}" for kind in _KINDS),
    *(f"tf.compat.v1.data.{kind}" for kind in _KINDS),
)
_MIGRATED = tuple(f"{CTC}.{kind}" for kind in _KINDS)
_STEPS = frozenset({"get_next", "initializer"})
"""Uses of an iterator that do not depend on which dataset is behind it."""
_MAPS = ("map", "flat_map", "interleave", "apply")
_DEPTH = 4


def dataset_of(site: CallSite) -> ast.expr | None:
    """The dataset that an iterator is made for."""
    if isinstance(site.node.func, ast.Attribute) and site.name.startswith("tf.data.Dataset."):
        receiver: ast.expr = site.node.func.value
        return receiver
    given = values_given(site.node)
    return given[0] if len(given) == 1 else None


def only_steps(site: CallSite) -> bool:
    """Whether a program only initialises an iterator and takes its next element."""
    around = parent(site.node)
    if isinstance(around, ast.Attribute):
        return around.attr in _STEPS
    name = assigned_name(site.node)
    if name is None:
        return isinstance(around, ast.Return)
    return all(
        (isinstance(use := parent(read), ast.Attribute) and use.attr in _STEPS)
        or isinstance(use, (ast.Return, ast.Tuple))
        for read in forward.reads(name)
    )


def yields_sparse(site: CallSite) -> bool:
    """Whether a dataset's elements hold integers that are parsed to sparse tensors."""
    dataset = dataset_of(site)
    return dataset is not None and any(
        any(dtypes.named(feature.file, dtype) in ("int32", "int64") for dtype in _dtype(feature))
        for feature in _parsed(site.file, dataset, function_around(site.node), _DEPTH)
    )


def densified(file: File, parser: ast.AST | None) -> Iterator[CallSite]:
    """Iterators whose parsing function gives dense labels, now or after migration."""
    for module in {file.module, *file.resolver.project.importers(file.path)}:
        user = file.of(module)
        for site in user.calls(*MAKERS, *_MIGRATED):
            dataset = dataset_of(site) if site.name in MAKERS else site.node.args[0]
            if dataset is None or not _is_dense(site):
                continue
            around = function_around(site.node)
            for feature in _parsed(user, dataset, around, _DEPTH):
                if function_around(feature.node) is parser:
                    yield site


def _is_dense(site: CallSite) -> bool:
    """Whether an iterator is one of the helper module, or becomes one."""
    if site.name in _MIGRATED:
        return True
    return only_steps(site) and _ctc.frames(site.file, site.fix(), site.node) is not None


def _dtype(feature: CallSite) -> list[ast.expr]:
    dtype = feature.args.value("dtype")
    return [] if dtype is None else [dtype]


def _parsed(
    file: File, dataset: ast.expr, scope: FunctionNode | None, depth: int
) -> Iterator[CallSite]:
    """Variable-length features of the functions that a dataset is mapped with.

    The calls of the function that makes the iterator count, and those of the function that
    returns the dataset.
    """
    if depth == 0:
        return
    by_name = file.module.index.calls_by_name
    for last in _MAPS:
        for call in by_name.get(last, ()):
            if function_around(call) is not scope:
                continue
            for given in values_given(call):
                for item in file.resolver.infer(file.module, given):
                    value = item.target if isinstance(item, Partial) else item
                    if isinstance(value, Function):
                        yield from _features(file.of(value.module), value.node)
    for origin in (dataset, *values(file, dataset)):
        made = origin if isinstance(origin, ast.Call) else call_of(origin)
        if made is None:
            continue
        for value in file.resolver.infer(file.module, made.func):
            if isinstance(value, Function):
                inner = file.of(value.module)
                yield from _parsed(inner, made, value.node, depth - 1)


def _features(file: File, function: FunctionNode) -> Iterator[CallSite]:
    for feature in file.calls(*FEATURES):
        if function_around(feature.node) is function:
            yield feature
