"""Questions about GPUs: lists of them, and conditions that hold only where there is one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import File
from ascendify.rules.kit.names import of_both
from ascendify.source.flow import backward
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.scopes import scope_of
from ascendify.source.values import Function, Member, Ref

LISTS = of_both(
    "tf.config.experimental.list_physical_devices",
    "tf.config.experimental.list_logical_devices",
    "tf.config.experimental.get_visible_devices",
    "tf.config.list_physical_devices",
    "tf.config.list_logical_devices",
    "tf.config.get_visible_devices",
)
"""Functions that list the devices of a type; an NPU is never among them."""
LOCAL_DEVICES = of_both("tf.python.client.device_lib.list_local_devices")
TESTS = of_both(
    "tf.test.is_gpu_available",
    "tf.test.is_built_with_cuda",
    "tf.test.is_built_with_gpu_support",
)
DEVICE_NAME = of_both("tf.test.gpu_device_name")
KERAS_LISTS = ("keras.backend.tensorflow_backend._get_available_gpus",)
_MAX_DEPTH = 6


def is_gpu_list(file: File, node: ast.expr) -> bool:
    """Whether an expression is a list of GPUs, made here or in a function of the project."""
    return _is_list(file.resolver, file.module, node, 0)


def _is_list(resolver: Resolver, module: Module, node: ast.expr, depth: int) -> bool:
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ast.Name):
        assigned = list(_assigned(node))
        return bool(assigned) and all(
            _is_list(resolver, module, value, depth + 1) for value in assigned
        )
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return _filters_gpus(resolver, module, node, depth)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return _is_list(resolver, module, node.value, depth + 1)
    return isinstance(node, ast.Call) and _gives_list(resolver, module, node, depth)


def _gives_list(resolver: Resolver, module: Module, call: ast.Call, depth: int) -> bool:
    values = resolver.infer(module, call.func)
    return bool(values) and all(
        _function_gives_list(resolver, module, call, value, depth) for value in values
    )


def _function_gives_list(
    resolver: Resolver, module: Module, call: ast.Call, value: object, depth: int
) -> bool:
    if isinstance(value, Function):
        returns = scope_of(value.node).returns
        return bool(returns) and all(
            _is_list(resolver, value.module, item, depth + 1) for item in returns
        )
    if not isinstance(value, (Ref, Member)):
        return False
    if value.name == "builtins.list" and call.args:
        return _is_list(resolver, module, call.args[0], depth + 1)
    return value.name in KERAS_LISTS or (value.name in LISTS and _asks_for_gpus(call))


def _assigned(name: ast.Name) -> Iterator[ast.expr]:
    for binding in backward.bindings(name):
        # anything but an assignment may make it any list
        yield backward.assigned(binding) or ast.Constant(None)


def _asks_for_gpus(call: ast.Call) -> bool:
    given = call.args[0] if call.args else None
    for keyword in call.keywords:
        given = keyword.value if keyword.arg == "device_type" else given
    return isinstance(given, ast.Constant) and str(given.value).upper() == "GPU"


def _filters_gpus(
    resolver: Resolver, module: Module, node: ast.ListComp | ast.GeneratorExp, depth: int
) -> bool:
    """``[d.name for d in list_local_devices() if d.device_type == 'GPU']``."""
    if len(node.generators) != 1:
        return False
    generator = node.generators[0]
    if _is_list(resolver, module, generator.iter, depth + 1):
        return True
    return is_device_list(resolver, module, generator.iter) and any(
        isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and "GPU" in part.value.upper()
        for condition in generator.ifs
        for part in ast.walk(condition)
    )


def is_device_list(resolver: Resolver, module: Module, node: ast.expr) -> bool:
    """Whether an expression is the list of all local devices."""
    if isinstance(node, ast.Name):
        values = list(_assigned(node))
        return len(values) == 1 and is_device_list(resolver, module, values[0])
    return isinstance(node, ast.Call) and any(
        isinstance(value, Ref) and value.name in LOCAL_DEVICES
        for value in resolver.infer(module, node.func)
    )


def presence(file: File, node: ast.expr) -> bool | None:
    """True: the condition holds just where a GPU is; False: just where none is; None: neither."""
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
        values = list(_assigned(node))
        if len(values) == 1 and isinstance(values[0], (ast.Call, ast.Compare, ast.UnaryOp)):
            found = presence(file, values[0])
            if found is not None:
                return found
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(file, node.left, node.ops[0], node.comparators[0])
    return True if is_gpu_list(file, node) else None


def _compared(file: File, left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
    """``len(gpus) > 0``, ``len(gpus) == 0``, ``gpu_device_name() == '/device:GPU:0'``."""
    subject = presence(file, left)
    if subject is not True:
        return None
    if isinstance(right, ast.List) and not right.elts:
        bound: object = 0
    elif isinstance(right, ast.Constant):
        bound = right.value
    else:
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
