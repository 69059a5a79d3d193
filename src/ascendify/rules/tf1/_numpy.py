"""Find NumPy arrays that certainly hold 64-bit floats, because no type was given."""

from __future__ import annotations

import ast

from ascendify.rules.kit import File
from ascendify.rules.kit.bindings import values
from ascendify.rules.tensorflow import dtypes
from ascendify.source.flow import backward
from ascendify.source.nodes import keyword_value
from ascendify.source.scopes import scope_of
from ascendify.source.values import Function

_DRAWN = frozenset(
    {
        "rand", "randn", "random", "random_sample", "ranf", "uniform", "normal",
        "standard_normal", "exponential", "beta", "gamma", "laplace",
    }
)  # fmt: skip
"""Functions of ``numpy.random`` and its generators that give floats."""
_MADE = frozenset(
    {"zeros", "ones", "empty", "linspace", "eye", "identity", "loadtxt", "genfromtxt"}
)
"""Functions that return float64 unless a type is given."""
_KEEPING = frozenset(
    {
        "array", "asarray", "stack", "vstack", "hstack", "concatenate", "expand_dims", "reshape",
        "transpose", "squeeze", "sqrt", "exp", "log", "sin", "cos", "copy", "ravel", "tile",
        "repeat", "zeros_like", "ones_like",
    }
)  # fmt: skip
"""Functions and methods whose result has the type of their input."""
_SHAPING = frozenset({"reshape", "expand_dims", "transpose", "squeeze", "copy", "ravel", "flatten"})
"""Functions and methods that only rearrange their input."""
_SECOND = frozenset({"zeros", "ones", "empty", "array", "asarray"})
"""Functions whose second parameter is the type."""
_GENERATORS = ("numpy.random.RandomState", "numpy.random.default_rng")
_READ_MNIST = "tf.examples.tutorials.mnist.input_data.read_data_sets"
_PARTS = ("train", "validation", "test")
_IMAGES = frozenset(
    f"{keras}.datasets.{name}.load_data"
    for keras in ("tf.keras", "tf.contrib.keras", "keras")
    for name in ("mnist", "fashion_mnist", "cifar10", "cifar100")
)
"""Functions that load images and labels as integers."""


def is_double(file: File, node: ast.expr, depth: int = 8) -> bool:
    """Whether an expression surely is an array of 64-bit floats."""
    if depth == 0:
        return False
    if isinstance(node, ast.Call):
        return _call(file, node, depth - 1)
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return any(is_double(file, side, depth - 1) for side in sides) or (
            any(_is_number(side, node.op) for side in sides)
            and any(_is_loaded(file, side, depth - 1) for side in sides)
        )
    if isinstance(node, ast.Subscript):
        return is_double(file, node.value, depth - 1)
    if isinstance(node, ast.Name):
        return _variable(file, node, depth - 1)
    return isinstance(node, ast.Attribute) and _is_one_hot(file, node)


def _is_one_hot(file: File, node: ast.Attribute) -> bool:
    """``mnist.train.labels`` of TensorFlow's reader, which gives one-hot labels as float64."""
    data = node.value
    if node.attr != "labels" or not isinstance(data, ast.Attribute) or data.attr not in _PARTS:
        return False
    read = backward.only_value(data.value) if isinstance(data.value, ast.Name) else data.value
    if not isinstance(read, ast.Call) or file.name(read.func) != _READ_MNIST:
        return False
    given = keyword_value(read, "one_hot")
    return given is not None and file.literal(given) == (True,)


def _is_number(node: ast.expr, operator: ast.operator) -> bool:
    """Whether arithmetic of an array of integers with this number gives 64-bit floats."""
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, float) or (isinstance(value, int) and isinstance(operator, ast.Div))


def _is_loaded(file: File, node: ast.expr, depth: int) -> bool:
    """Whether an expression certainly holds integers: a data set that Keras loads, or a part."""
    if depth <= 0:
        return False
    if isinstance(node, ast.Subscript):
        return _is_loaded(file, node.value, depth - 1)
    if isinstance(node, ast.Name):
        bindings = backward.definitions(node)
        return bool(bindings) and all(
            item.kind == "assign"
            and item.value is not None
            and _is_loaded(file, item.value, depth - 1)
            for item in bindings
        )
    if not isinstance(node, ast.Call):
        return False
    name = file.name(node.func) or ""
    if name in _IMAGES:
        return True
    if getattr(node.func, "attr", "") not in _SHAPING:
        return False
    if name.startswith("numpy."):
        return bool(node.args) and _is_loaded(file, node.args[0], depth - 1)
    return isinstance(node.func, ast.Attribute) and _is_loaded(file, node.func.value, depth - 1)


def _call(file: File, call: ast.Call, depth: int) -> bool:
    func = call.func
    name = file.name(func) or ""
    last = name.rpartition(".")[2]
    dtype = _dtype(call, last)
    if name.startswith("numpy."):
        if dtype is not None:
            return dtypes.named(file, dtype) == "float64"
        if last in _MADE or (name.startswith("numpy.random.") and last in _DRAWN):
            return True
        return last in _KEEPING and bool(call.args) and _content(file, call.args[0], depth)
    if not isinstance(func, ast.Attribute):
        return _returned(file, call, (), depth)
    if func.attr == "astype" and call.args:
        return dtypes.named(file, call.args[0]) == "float64"
    if func.attr in _KEEPING:
        return is_double(file, func.value, depth)
    if func.attr in _DRAWN:
        return _is_generator(file, func.value)
    return _returned(file, call, (), depth)


def _dtype(call: ast.Call, last: str) -> ast.expr | None:
    second = call.args[1] if last in _SECOND and len(call.args) > 1 else None
    return keyword_value(call, "dtype") or second


def _content(file: File, node: ast.expr, depth: int) -> bool:
    """Whether a nested list, or an array, holds floats of full size."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return bool(node.elts) and any(_content(file, item, depth) for item in node.elts)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    return is_double(file, node, depth)


def _is_generator(file: File, node: ast.expr) -> bool:
    return any(
        isinstance(value, ast.Call) and file.name(value.func) in _GENERATORS
        for value in (node, *values(file, node))
    )


def _variable(file: File, node: ast.Name, depth: int) -> bool:
    bindings = backward.definitions(node)
    return bool(bindings) and all(
        item.kind == "assign"
        and item.value is not None
        and _item(file, item.value, item.path, depth)
        for item in bindings
    )


def _item(file: File, value: ast.expr, path: tuple[int, ...], depth: int) -> bool:
    """Whether the item that a tuple assignment takes out of a value is such an array."""
    while path and isinstance(value, (ast.Tuple, ast.List)) and path[0] < len(value.elts):
        value, path = value.elts[path[0]], path[1:]
    if not path:
        return is_double(file, value, depth)
    return isinstance(value, ast.Call) and _returned(file, value, path, depth)


def _returned(file: File, call: ast.Call, path: tuple[int, ...], depth: int) -> bool:
    """Whether a function of this file returns such an array, alone or in a tuple."""
    if depth <= 0:
        return False
    for value in file.resolver.infer(file.module, call.func):
        if not isinstance(value, Function) or value.module is not file.module:
            return False
        returns = scope_of(value.node).returns
        return bool(returns) and all(_item(file, item, path, depth - 1) for item in returns)
    return False
