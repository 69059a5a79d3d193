"""Element types: which type an expression names, and which type the elements of a tensor have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, File
from ascendify.rules.kit.bindings import values
from ascendify.rules.kit.names import of_either
from ascendify.source.nodes import DEFINITIONS, last_name
from ascendify.source.scopes import ancestors, parent

UNSUPPORTED = ("float64", "complex64", "complex128")
"""Types of numbers that no NPU computes with."""
_ALIASES = {"double": "float64", "half": "float16", "complex": "complex128", "float": "float32"}
_ROOTS = ("tf.dtypes.", "tf2.dtypes.", "tf.", "tf2.", "numpy.")
_KNOWN = frozenset(
    ["float16", "float32", "float64", "bfloat16", "complex64", "complex128", "string", "variant",
     "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
)  # fmt: skip
_SAME_TYPE = frozenset(
    ["tf.identity", "tf.reshape", "tf.transpose", "tf.squeeze", "tf.expand_dims",
     "tf.stop_gradient", "tf.tile", "tf.reduce_mean", "tf.reduce_sum", "tf.reduce_max",
     "tf.nn.relu", "tf.tanh", "tf.sigmoid", "tf.abs"]
)  # fmt: skip
"""Functions whose result has the element type of their first argument."""
_FIXED = {
    "tf.to_double": "float64",
    "tf.to_float": "float32",
    "tf.as_string": "string",
    "tf.strings.as_string": "string",
}

_DOUBLE = frozenset({"float64", "double", "float"})
"""Spellings of the 64-bit type, with any prefix."""
_MAKERS = frozenset(name.rpartition(".")[2] for name, kind in _FIXED.items() if kind == "float64")
"""Last names of functions that make it."""
_FOR_ALL = frozenset({"tf.keras.backend.set_floatx"})
"""Calls that set the type of all tensors."""


def named(file: File, node: ast.expr) -> str | None:
    """The element type an expression names: ``tf.float64``, ``np.double``, ``'float64'``."""
    if isinstance(node, ast.Constant):
        return _known(node.value) if isinstance(node.value, str) else None
    name = file.name(node)
    if name is None:
        return None
    root = next((root for root in _ROOTS if name.startswith(root)), None)
    if root is None:
        return "float64" if name == "builtins.float" else None
    return _known(name[len(root) :])


def may_be_double(file: File, tensor: ast.expr | None, place: ast.AST) -> bool:
    """Whether a tensor has, or may have, 64-bit floating point elements at a place.

    Where the file does not show its type, it may where the same function or class, or code at
    module level, makes such tensors, or where Keras is set to that type.
    """
    found = of_tensor(file, tensor) if tensor is not None else None
    if found is not None:
        return found == "float64"
    makers = file.once(_makers_of_doubles)
    home = _home(place)
    return any(maker is None or maker is home for maker in makers)


def _makers_of_doubles(file: File) -> tuple[ast.AST | None, ...]:
    """Return the functions and classes with calls that make 64-bit tensors; None for all code."""
    if "float64" not in file.module.source.text and "double" not in file.module.source.text:
        return ()
    found: list[ast.AST | None] = []
    for call in file.module.index.calls:
        # spellings first: inferring every called function took two thirds of a run over
        # tensorflow/models
        given = [*call.args, *(item.value for item in call.keywords)]
        spelled = [value for value in given if _may_spell_double(value)]
        if not spelled and last_name(call.func) not in _MAKERS:
            continue
        name = of_either(file.name(call.func))
        if name is None or not name.startswith("tf."):
            continue
        if name in _FIXED:
            made = _FIXED[name] == "float64"
        else:
            made = any(named(file, value) == "float64" for value in spelled)
        if made:
            found.append(None if name in _FOR_ALL else _home(call))
    return tuple(found)


def _may_spell_double(node: ast.expr) -> bool:
    """Whether an expression looks like the name of the 64-bit type."""
    spelled = node.value if isinstance(node, ast.Constant) else last_name(node)
    return isinstance(spelled, str) and spelled in _DOUBLE


def _home(node: ast.AST) -> ast.AST | None:
    """Return the outermost function or class around a node; None at module level."""
    around = [item for item in ancestors(node) if isinstance(item, DEFINITIONS)]
    return around[-1] if around else None


def of_tensor(file: File, node: ast.expr, depth: int = 8) -> str | None:
    """The element type of a tensor where the file shows it, else None."""
    if depth == 0:
        return None
    if isinstance(node, ast.Constant):
        return "string" if isinstance(node.value, str) else None
    if isinstance(node, ast.Call):
        return _of_call(file, node, depth)
    found = {of_tensor(file, value, depth - 1) for value in values(file, node)}
    return found.pop() if len(found) == 1 else None


def _of_call(file: File, call: ast.Call, depth: int) -> str | None:
    called = file.name(call.func)
    name = of_either(called)
    if called is None or name is None:
        return None
    if name in _FIXED:
        return _FIXED[name]
    dtype = CallSite(file, call, called).args.value("dtype")
    if dtype is not None:
        return named(file, dtype)
    if call.args and (name in _SAME_TYPE or name == "tf.constant"):
        return of_tensor(file, call.args[0], depth - 1)
    return None


def _known(name: str) -> str | None:
    name = _ALIASES.get(name, name)
    return name if name in _KNOWN else None


def taking_call(node: ast.AST) -> ast.Call | None:
    """The call an expression is an argument of, through lists, tuples and keywords."""
    child, owner = node, parent(node)
    while isinstance(owner, (ast.List, ast.Tuple, ast.keyword)):
        child, owner = owner, parent(owner)
    return owner if isinstance(owner, ast.Call) and child is not owner.func else None


def unsupported_strings(file: File) -> Iterator[tuple[ast.Call, ast.Constant, str]]:
    """Calls that spell an unsupported type as a string, ``dtype='float64'``, and which type."""
    for call in file.module.index.calls:
        for keyword in call.keywords:
            if keyword.arg == "dtype" and isinstance(keyword.value, ast.Constant):
                kind = named(file, keyword.value)
                if kind in UNSUPPORTED:
                    yield call, keyword.value, kind


def unsupported_position(site: CallSite) -> tuple[ast.Constant, str] | None:
    """The node and the name of an unsupported type given by position: ``tf.cast(x, 'float64')``."""
    given = site.args.get("dtype")
    if given is None or given.keyword is not None or not isinstance(given.value, ast.Constant):
        return None
    kind = named(site.file, given.value)
    return (given.value, kind) if kind in UNSUPPORTED else None


def advice(kind: str) -> str:
    """What to use in place of an unsupported type."""
    if kind == "float64":
        return "Use tf.float32; values that need 64 bits belong in the input pipeline."
    return "Keep real and imaginary part as two float32 tensors, or compute in Dataset.map."
