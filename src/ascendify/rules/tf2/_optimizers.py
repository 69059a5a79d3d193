"""Keras optimizers: whether one reduces gradients over the ranks, and where it was made."""

from __future__ import annotations

import ast

from ascendify.catalog import types
from ascendify.rules.kit import File
from ascendify.rules.tensorflow.passing import origins, uses
from ascendify.rules.tf2 import _ranks
from ascendify.source.flow import backward
from ascendify.source.module import Module
from ascendify.source.values import Class, Ref

BASE = "tf2.keras.optimizers.Optimizer"
LOSS_SCALE = (
    "tf2.keras.mixed_precision.LossScaleOptimizer",
    "tf2.keras.mixed_precision.experimental.LossScaleOptimizer",
    "npu_device.train.optimizer.NpuLossScaleOptimizer",
    "npu_device.train.optimizer.npu_loss_scale_optimizer.NpuLossScaleOptimizer",
    "npu_device.train.optimizer.npu_loss_scale_optimizer.NpuExperimentalLossScaleOptimizer",
)
"""Optimizers around another one, which is the one to wrap."""
_MAX_DEPTH = 6


def is_reducing(file: File, node: ast.expr, depth: int = _MAX_DEPTH) -> bool:
    """Whether an optimizer reduces gradients over the ranks, as far as can be seen."""
    if depth == 0:
        return False
    if isinstance(node, ast.Call):
        names, _ = file.names(node.func)
        if any(name in _ranks.WRAPPERS for name in names):
            return True
        inner = wrapped_by(file, node)
        if inner is not None:
            return is_reducing(file, inner, depth - 1)
    found = origins(file.resolver, file.module, node).calls
    if any(
        _gives_reducing(file, module, call, depth) for module, call in found if call is not node
    ):
        return True
    return is_wrapped_later(file, node)


def is_wrapped_later(file: File, node: ast.expr) -> bool:
    """Whether a later statement wraps an optimizer in place: ``wrapper(opt)``."""
    if not isinstance(node, ast.Name):
        return False
    return any(
        name in _ranks.WRAPPERS
        for binding in backward.bindings(node)
        if isinstance(binding.value, ast.Call)
        for use in uses(file.resolver, file.module, binding.value).calls
        for name in file.resolver.names(use.module, use.call.func)[0]
    )


def _gives_reducing(file: File, module: Module, call: ast.Call, depth: int) -> bool:
    return is_reducing(file.of(module), call, depth - 1)


def wrapped_by(file: File, call: ast.Call) -> ast.expr | None:
    """The optimizer inside a loss-scaling one; None for any other call."""
    names, certain = file.names(call.func)
    if not certain or not names or any(name not in LOSS_SCALE for name in names):
        return None
    if call.args:
        return call.args[0]
    given = {item.arg: item.value for item in call.keywords}
    return given.get("inner_optimizer") or given.get("optimizer")


def is_custom(file: File, module: Module, call: ast.Call) -> bool:
    """Whether an optimizer is of a class of the project, or of a package beside TensorFlow."""
    for value in file.resolver.infer(module, call.func):
        if isinstance(value, Class):
            return True
        if isinstance(value, Ref) and not value.name.startswith(("tf2.", "tf.", "npu")):
            return True
    return False


def makes(file: File, call: ast.Call) -> bool:
    """Whether a call surely constructs an optimizer of Keras."""
    name = file.name(call.func)
    return name is not None and types.is_class(name) and types.is_a(name, BASE)
