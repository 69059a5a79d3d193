"""Loss scales of Keras: which optimizers have one, and where a policy adds one by itself."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import File, Fix
from ascendify.source.flow import backward
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import function_around
from ascendify.source.scopes import ancestors

NATIVE = "tf2.keras.mixed_precision.LossScaleOptimizer"
EXPERIMENTAL = "tf2.keras.mixed_precision.experimental.LossScaleOptimizer"
SET_POLICY = "tf2.keras.mixed_precision.set_global_policy"
POLICY = "tf2.keras.mixed_precision.Policy"
_MODULE = "train.optimizer"
_WRAPPER = "npu_distributed_keras_optimizer_wrapper"
_MIXED = re.compile(r"""["']mixed_float16["']""")


def npu_optimizer(fix: Fix) -> str:
    """The spelling of the NPU's loss scale optimizer in a file."""
    return f"{fix.use('npu_device')}.{_MODULE}.NpuLossScaleOptimizer"


def npu_experimental(fix: Fix) -> str:
    """The NPU's class for the one that took a loss scale object, before TensorFlow 2.4."""
    module = f"npu_device.{_MODULE}.npu_loss_scale_optimizer"
    return fix.use(module, "NpuExperimentalLossScaleOptimizer")


def is_scaled(file: File, node: ast.expr) -> bool | None:
    """Whether an expression is an optimizer with a loss scale; None where that is not known."""
    found = backward.origins(file.resolver, file.module, node)
    scaled = [_makes_scaled(file, module, call) for module, call in found.calls]
    if any(scaled):
        return True
    if found.unknown or not scaled:
        return False if file.is_a(node, "tf2.keras.optimizers.Optimizer") else None
    return False


def _makes_scaled(file: File, module: Module, call: ast.Call) -> bool:
    names, _ = file.resolver.names(module, call.func)
    if any(name.endswith("LossScaleOptimizer") for name in names):
        return True
    wraps = any(name.endswith(_WRAPPER) for name in names) and call.args
    return bool(wraps) and bool(is_scaled(file.of(module), call.args[0]))


def is_optimizer(file: File, node: ast.expr) -> bool:
    """Whether an expression surely is an optimizer of Keras."""
    if file.is_a(node, "tf2.keras.optimizers.Optimizer") is True:
        return True
    found = backward.origins(file.resolver, file.module, node)
    return (
        bool(found.calls)
        and not found.unknown
        and not found.nothing
        and all(_makes_optimizer(file, module, call) for module, call in found.calls)
    )


def _makes_optimizer(file: File, module: Module, call: ast.Call) -> bool:
    names, _ = file.resolver.names(module, call.func)
    if any(name.endswith(_WRAPPER) for name in names):
        return True
    return file.of(module).is_a(call, "tf2.keras.optimizers.Optimizer") is True


def mixing(file: File) -> tuple[Module, ast.AST] | None:
    """Where a policy of float16 layers is set, in the file or in one it imports or serves."""
    project = file.resolver.project
    around = (file.module, *project.imported(file.module), *project.importers(file.path))
    for module in dict.fromkeys(around):
        found = file.resolver.once(_policies, module)
        if found:
            return module, found[0]
    return None


def _policies(resolver: Resolver, module: Module) -> tuple[ast.Call, ...]:
    if not _MIXED.search(module.source.text):
        return ()
    names = ("set_global_policy", "set_policy")
    calls = [call for name in names for call in module.index.calls_by_name.get(name, ())]
    return tuple(
        call
        for call in calls
        if SET_POLICY in resolver.names(module, call.func)[0]
        and call.args
        and _is_mixed(resolver, module, call.args[0])
    )


def _is_mixed(resolver: Resolver, module: Module, policy: ast.expr) -> bool:
    if isinstance(policy, ast.Name):
        value = backward.only_value(policy)
        policy = policy if value is None else value
    if isinstance(policy, ast.Call) and policy.args:
        policy = policy.args[0]
    return "mixed_float16" in (resolver.literal(module, policy) or ())


def is_certain(node: ast.AST, user: ast.AST) -> bool:
    """Whether a policy is set whenever a compile call runs: unconditionally, in its function or
    at module level."""
    conditional = (ast.If, ast.For, ast.While, ast.Try, ast.IfExp, ast.ExceptHandler)
    home = function_around(node)
    if any(isinstance(item, conditional) for item in ancestors(node) if item is not home):
        return False
    return home is None or home is function_around(user)
