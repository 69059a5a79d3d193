"""Recognise lists of GPUs, and conditions that hold only where there is a GPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import File
from ascendify.rules.kit.names import of_both
from ascendify.source.flow import backward
from ascendify.source.nodes import keyword_value, string
from ascendify.source.scopes import scope_of
from ascendify.source.values import Function, Member, Ref, Value

LISTS = of_both(
    *(
        f"{module}.{name}"
        for module in ("tf.config.experimental", "tf.config")
        for name in ("list_physical_devices", "list_logical_devices", "get_visible_devices")
    )
)
"""Functions that list the devices of a type; NPUs are never in these lists."""
LOCAL_DEVICES = of_both("tf.python.client.device_lib.list_local_devices")
TESTS = of_both(
    "tf.test.is_gpu_available",
    "tf.test.is_built_with_cuda",
    "tf.test.is_built_with_gpu_support",
)
DEVICE_NAME = of_both("tf.test.gpu_device_name")
KERAS_LISTS = ("keras.backend.tensorflow_backend._get_available_gpus",)
_MAX_DEPTH = 6


def is_gpu_list(file: File, node: ast.expr, depth: int = _MAX_DEPTH) -> bool:
    """Whether an expression is a list of GPUs, made here or in a function of the project."""
    if depth == 0:
        return False
    if isinstance(node, ast.Name):
        assigned = _assigned(node)
        return bool(assigned) and all(is_gpu_list(file, value, depth - 1) for value in assigned)
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return _filters_gpus(file, node, depth - 1)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return is_gpu_list(file, node.value, depth - 1)
    values = file.resolver.infer(file.module, node.func) if isinstance(node, ast.Call) else ()
    return (
        isinstance(node, ast.Call)
        and bool(values)
        and all(_gives_list(file, node, value, depth - 1) for value in values)
    )


def _gives_list(file: File, call: ast.Call, value: Value, depth: int) -> bool:
    if isinstance(value, Function):
        returns, other = scope_of(value.node).returns, file.of(value.module)
        return bool(returns) and all(is_gpu_list(other, item, depth) for item in returns)
    if not isinstance(value, (Ref, Member)):
        return False
    if value.name == "builtins.list" and call.args:
        return is_gpu_list(file, call.args[0], depth)
    given = keyword_value(call, "device_type") or next(iter(call.args), None)
    of_gpus = isinstance(given, ast.Constant) and str(given.value).upper() == "GPU"
    return value.name in KERAS_LISTS or (value.name in LISTS and of_gpus)


def _assigned(name: ast.Name) -> list[ast.expr]:
    """What is assigned to a variable; None in place of a loop, a parameter and the like."""
    return [backward.assigned(item) or ast.Constant(None) for item in backward.bindings(name)]


def _filters_gpus(file: File, node: ast.ListComp | ast.GeneratorExp, depth: int) -> bool:
    """``[d.name for d in list_local_devices() if d.device_type == 'GPU']``."""
    if len(node.generators) != 1:
        return False
    generator = node.generators[0]
    if is_gpu_list(file, generator.iter, depth):
        return True
    return _is_device_list(file, generator.iter) and any(
        "GPU" in (string(part) or "").upper()
        for condition in generator.ifs
        for part in ast.walk(condition)
    )


def _is_device_list(file: File, node: ast.expr) -> bool:
    """Whether an expression is the list of all local devices."""
    if isinstance(node, ast.Name):
        values = _assigned(node)
        return len(values) == 1 and _is_device_list(file, values[0])
    if not isinstance(node, ast.Call):
        return False
    return any(name in LOCAL_DEVICES for name in file.names(node.func)[0])


def presence(file: File, node: ast.expr) -> bool | None:
    """True: the condition means that there is a GPU; False: that there is none; None: neither."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = presence(file, node.operand)
        return None if inner is None else not inner
    if isinstance(node, ast.Call):
        name = file.name(node.func)
        if name in TESTS or name in DEVICE_NAME:
            return True
        if name in ("builtins.bool", "builtins.len", "builtins.any") and len(node.args) == 1:
            return presence(file, node.args[0])
    if isinstance(node, ast.Name):
        values = _assigned(node)
        if len(values) == 1 and isinstance(values[0], (ast.Call, ast.Compare, ast.UnaryOp)):
            found = presence(file, values[0])
            if found is not None:
                return found
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(file, node.left, node.ops[0], node.comparators[0])
    return True if is_gpu_list(file, node) else None


def _compared(file: File, left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
    """``len(gpus) > 0``, ``len(gpus) == 0``, ``gpu_device_name() == '/device:GPU:0'``."""
    if isinstance(right, ast.List) and not right.elts:
        bound: object = 0
    elif isinstance(right, ast.Constant):
        bound = right.value
    else:
        return None
    if presence(file, left) is not True:
        return None
    if isinstance(bound, str):
        present = bool(bound)
        if isinstance(op, ast.Eq):
            return present
        return not present if isinstance(op, ast.NotEq) else None
    if bound is True or bound is False:
        return bound if isinstance(op, (ast.Eq, ast.Is)) else not bound
    if bound == 0:
        return {ast.Gt: True, ast.NotEq: True, ast.Eq: False, ast.LtE: False}.get(type(op))
    if bound == 1:
        return {ast.GtE: True, ast.Lt: False}.get(type(op))
    return None
