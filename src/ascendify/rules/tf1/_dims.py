"""Shapes as the user writes them, and which of their dimensions are open."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import File
from ascendify.source.flow.backward import only_value
from ascendify.source.values import Const, Sequence, Value


def dimensions(file: File, shape: ast.expr) -> list[ast.expr] | None:
    """The expressions of a shape's dimensions, None when it is not written as a list at the place.

    ``[None] + dims`` and ``tf.TensorShape([None, 3])`` count as lists as far as they are visible.
    """
    if isinstance(shape, (ast.List, ast.Tuple)):
        return list(shape.elts)
    if isinstance(shape, ast.BinOp) and isinstance(shape.op, ast.Add):
        parts = [dimensions(file, side) for side in (shape.left, shape.right)]
        known = [part for part in parts if part is not None]
        return [item for part in known for item in part] if known else None
    if isinstance(shape, ast.Call) and file.name(shape.func) == "tf.TensorShape" and shape.args:
        return dimensions(file, shape.args[0])
    return None


def open_dimensions(file: File, shape: ast.expr) -> list[int]:
    """Positions of the dimensions that surely are None; nested shapes are not looked into."""
    written = dimensions(file, shape)
    if written is not None:
        return [number for number, item in enumerate(written) if file.literal(item) == (None,)]
    values = file.resolver.infer(file.module, shape)
    if len(values) == 1 and isinstance(values[0], Sequence):
        return [number for number, items in enumerate(values[0].items) if items == (Const(None),)]
    if isinstance(shape, ast.Name):
        value = only_value(shape)
        if isinstance(value, (ast.BinOp, ast.Call)) and dimensions(file, value) is not None:
            return open_dimensions(file, value)
    return []


def has_open(file: File, shapes: ast.expr) -> bool:
    """Whether a shape, or a structure of shapes, mentions a dimension of None or -1 anywhere."""
    return any(value in (Const(None), Const(-1)) for value in _leaves(file, shapes))


def _leaves(file: File, node: ast.expr) -> Iterator[Value]:
    if isinstance(node, (ast.Dict, ast.List, ast.Tuple)):
        for item in node.values if isinstance(node, ast.Dict) else node.elts:
            yield from _leaves(file, item)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, int):
            yield Const(-node.operand.value)
    elif isinstance(node, (ast.BinOp, ast.Call)) and (parts := dimensions(file, node)) is not None:
        for item in parts:
            yield from _leaves(file, item)
    else:
        for value in file.resolver.infer(file.module, node):
            yield from _inferred(value)


def _inferred(value: Value) -> Iterator[Value]:
    if isinstance(value, Sequence):
        for items in value.items:
            for item in items:
                yield from _inferred(item)
    else:
        yield value
