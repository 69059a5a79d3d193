"""Graphs that are built for one batch size, so that a fed batch cannot be divided."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.catalog import types
from ascendify.rules.kit import File
from ascendify.source.module import Module
from ascendify.source.nodes import last_name

_SIZE = re.compile(r"_*(?:train(?:ing)?_?)?(?:mini_?)?batch_?size", re.I)
_STATES = frozenset({"zero_state", "get_initial_state", "random_state"})
"""Methods of cells and attention that make a state for so many samples."""
_HOST = ("tf.data.", "tf.contrib.data.", "tf.train.", "tf.estimator.", "tf.app.", "tf.flags.",
         "tf.contrib.training.", "tf.contrib.learn.")  # fmt: skip
"""Parts of TensorFlow that take a batch size to read batches."""
_WORDS = ("batch_size", "BATCH_SIZE", "batchsize", "batchSize", "batch_Size")
_PLACEHOLDERS = ("tf.placeholder", "tf.sparse_placeholder", "tf.placeholder_with_default")


def built_for(file: File) -> str:
    """Where the project builds its graph for a batch size of Python; empty where it does not.

    ``tf.fill([batch_size, 1], go)`` beside a fed batch of another size stops the run.
    """
    return file.resolver.remembered((_first,), lambda: _first(file))


def _first(file: File) -> str:
    project = file.resolver.project
    for path in project.relevant_with(*_WORDS):
        module = project.module(path)
        if module is None:
            continue
        for node in _built(file, module):
            return f"{file.of(module).brief(node, 60)} ({path}:{node.lineno})"
    return ""


def _built(file: File, module: Module) -> Iterator[ast.Call]:
    """Calls that make tensors for so many samples."""
    other = file.of(module)
    for call in (node for calls in module.index.calls_by_name.values() for node in calls):
        given = [*call.args, *(item.value for item in call.keywords)]
        if last_name(call.func) in _STATES:
            if any(_is_size(other, value) for value in given):
                yield call
            continue
        shapes = [one for one in given if isinstance(one, (ast.List, ast.Tuple))]
        if not any(_is_size(other, item) for shape in shapes for item in shape.elts):
            continue
        name = other.name(call.func) or ""
        if name.startswith("tf.") and not name.startswith((*_HOST, *_PLACEHOLDERS)):
            yield call


def _is_size(file: File, node: ast.expr) -> bool:
    """Whether an item is a batch size that Python knows, and no tensor."""
    if not isinstance(node, (ast.Name, ast.Attribute)) or not _SIZE.fullmatch(last_name(node)):
        return False
    kinds, _ = file.resolver.kinds(file.module, node)
    return not any(types.is_a(kind, "tf.Tensor") for kind in kinds)
