"""Loss scaling: which optimizers do it, and the NPU's manager for a loss scale of TensorFlow."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from ascendify.catalog import options
from ascendify.rules.kit import Arguments, CallSite, File, Fix
from ascendify.rules.kit.bindings import values
from ascendify.rules.tf1._npu import OPTIONS_MODULE
from ascendify.source.flow import backward
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import FUNCTIONS, assigned_name
from ascendify.source.scopes import ancestors, parent
from ascendify.source.values import Function

MANAGERS = "npu_bridge.estimator.npu.npu_loss_scale_manager"
OPTIMIZERS = "npu_bridge.estimator.npu.npu_loss_scale_optimizer"

CONTRIB_OPTIMIZER = "tf.contrib.mixed_precision.LossScaleOptimizer"
MIXED_OPTIMIZER = "tf.train.experimental.MixedPrecisionLossScaleOptimizer"
REWRITES = (
    "tf.train.experimental.enable_mixed_precision_graph_rewrite",
    "tf.compat.v2.train.experimental.enable_mixed_precision_graph_rewrite",
)
FIXED_SCALE = "tf.train.experimental.FixedLossScale"
DYNAMIC_SCALE = "tf.train.experimental.DynamicLossScale"
SCALED = (
    CONTRIB_OPTIMIZER,
    MIXED_OPTIMIZER,
    *REWRITES,
    "npu.NPULossScaleOptimizer",
    "npu.NPUOptimizer",
    f"{OPTIONS_MODULE}.loss_scale_optimizer",
)
"""Calls that give an optimizer that scales the loss."""
DISTRIBUTED = (
    "horovod.tensorflow.DistributedOptimizer",
    "npu.npu_distributed_optimizer_wrapper",
    "npu.NPUDistributedOptimizer",
)

_MOVED = {
    "tf.contrib.mixed_precision.FixedLossScaleManager": (MANAGERS, "FixedLossScaleManager"),
    "tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager": (
        MANAGERS,
        "ExponentialUpdateLossScaleManager",
    ),
    CONTRIB_OPTIMIZER: (OPTIMIZERS, "NPULossScaleOptimizer"),
}
"""Classes with a counterpart of the same signature on the NPU: its module and name."""
MANAGER_CLASSES = tuple(name for name in _MOVED if name != CONTRIB_OPTIMIZER)

_INITIAL_SCALE = "2 ** 15"
_PERIOD = "2000"
_MULTIPLIER = 2.0
"""Defaults of TensorFlow's DynamicLossScale."""


def is_requested(file: File) -> bool:
    """Whether the options of the migration request a scaled loss."""
    chosen = cast("Mapping[str, options.Value]", file.facts.npu_options)
    if options.LOSS_SCALE in chosen:
        return chosen[options.LOSS_SCALE] not in (None, "none")
    return options.wants_loss_scale(chosen)


def is_switchable(file: File) -> bool:
    """Whether optimizers take their loss scale from the options module, now or when switched on."""
    return is_requested(file) or (
        file.facts.switches and options.LOSS_SCALE not in file.facts.npu_options
    )


def is_distributed(file: File) -> str:
    """The argument that makes ranks agree on an overflow, for the end of an argument list."""
    return "" if file.facts.distributed == "none" else ", is_distributed=True"


def use_optimizer(file: File, fix: Fix, call: ast.Call, name: str = "") -> str:
    """Make a call construct the NPU's optimizer, over all ranks; what it was replaced by, as text.

    ``name``: the class of TensorFlow it constructs, where the NPU's has the same arguments.
    """
    if name:
        spelling = name_npu_class(file, fix, call.func, name)
    else:
        spelling = fix.use(OPTIMIZERS, "NPULossScaleOptimizer")
        fix.replace(call.func, spelling)
    if not is_distributed(file):
        return spelling
    fix.add_argument(call, "is_distributed=True")
    return f"{spelling} with is_distributed=True"


def recipe(file: File) -> str:
    """What to write by hand in place of a loss-scaling optimizer of TensorFlow."""
    return (
        f"Use NPULossScaleOptimizer(optimizer, manager{is_distributed(file)}) of {OPTIMIZERS} "
        "instead, with a FixedLossScaleManager or an ExponentialUpdateLossScaleManager of "
        f"{MANAGERS}."
    )


def is_scaled(file: File, node: ast.expr, depth: int = 6) -> bool:
    """Whether an optimizer already scales the loss, as far as the file shows."""
    if depth == 0:
        return False
    if isinstance(node, ast.Call):
        names, _ = file.names(node.func)
        if any(name in SCALED for name in names) or _is_of_options(file, node.func):
            return True
        if any(name in DISTRIBUTED for name in names) and node.args:
            return is_scaled(file, node.args[0], depth - 1)
        return file.kind(node) in SCALED
    if file.kind(node) in SCALED:
        return True
    return any(is_scaled(file, value, depth - 1) for value in values(file, node))


def _is_of_options(file: File, func: ast.expr) -> bool:
    return any(
        isinstance(value, Function)
        and value.module.path.endswith(f"{OPTIONS_MODULE}.py")
        and getattr(value.node, "name", "") == "loss_scale_optimizer"
        for value in file.resolver.infer(file.module, func)
    )


def control_dependencies(file: File, node: ast.AST) -> ast.With | None:
    """The outermost ``with tf.control_dependencies`` around a node in its function."""
    found: ast.With | None = None
    for ancestor in ancestors(node):
        if isinstance(ancestor, FUNCTIONS):
            break
        if isinstance(ancestor, ast.With) and any(
            isinstance(item.context_expr, ast.Call)
            and (file.name(item.context_expr.func) or "").endswith("control_dependencies")
            for item in ancestor.items
        ):
            found = ancestor
    return found


# --- managers --------------------------------------------------------------------------------


def dynamic_manager(fix: Fix, args: Arguments | None = None) -> str:
    """The manager that does what TensorFlow's DynamicLossScale does with these arguments.

    One overflow divides the scale by the multiplier; the manager's own defaults (two, 0.8) differ.
    """
    initial = _text(fix, args, "initial_loss_scale") or _INITIAL_SCALE
    period = _text(fix, args, "increment_period") or _PERIOD
    multiplier = None if args is None else args.value("multiplier")
    up, down = repr(_MULTIPLIER), repr(1 / _MULTIPLIER)
    if multiplier is not None:
        up = fix.text(multiplier)
        value = multiplier.value if isinstance(multiplier, ast.Constant) else None
        exact = (
            isinstance(value, (int, float)) and value and (1 / value).as_integer_ratio()[1] < 2**20
        )
        down = repr(1 / cast(float, value)) if exact else f"1.0 / {fix.operand(multiplier)}"
    name = fix.use(MANAGERS, "ExponentialUpdateLossScaleManager")
    return (
        f"{name}(init_loss_scale={initial}, incr_every_n_steps={period}, "
        f"decr_every_n_nan_or_inf=1, incr_ratio={up}, decr_ratio={down})"
    )


def _text(fix: Fix, args: Arguments | None, name: str) -> str:
    value = None if args is None else args.value(name)
    return "" if value is None else fix.text(value)


def manager(file: File, fix: Fix, scale: ast.expr | None) -> str | None:
    """The text of a manager for a ``loss_scale`` argument, None when its value is not visible.

    An expression that is a manager, or is replaced by one in the same migration, is kept.
    """
    if scale is None:
        return dynamic_manager(fix)
    if file.literal(scale) == ("dynamic",):
        return dynamic_manager(fix)
    if isinstance(scale, ast.Constant) and isinstance(scale.value, (int, float)):
        name = fix.use(MANAGERS, "FixedLossScaleManager")
        return f"{name}(loss_scale={fix.text(scale)})"
    sources = [scale] if isinstance(scale, ast.Call) else values(file, scale)
    if sources and all(_is_manager(file, source) for source in sources):
        return fix.text(scale)
    return None


def _is_manager(file: File, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = file.name(node.func)
    if name in MANAGER_CLASSES or (name or "").startswith("npu."):
        return True
    return name in (FIXED_SCALE, DYNAMIC_SCALE) and scale_uses(file, node) is not None


def scale_uses(file: File, call: ast.Call) -> list[ast.Call] | None:
    """Calls ``scale()`` of a TensorFlow loss scale, None where a manager cannot replace it.

    A manager can be given to the optimizers that are rewritten with it, and to nothing else.
    """
    owner = parent(call)
    if isinstance(owner, ast.keyword):
        owner = parent(owner)
    if isinstance(owner, ast.Call):
        return [] if _takes_manager(file, owner) else None
    target = assigned_name(call)
    if target is None:
        return None
    found: list[ast.Call] = []
    for use in reads(target):
        user = parent(use)
        if isinstance(user, ast.keyword):
            user = parent(user)
        if not isinstance(user, ast.Call):
            return None
        if user.func is use and not user.args and not user.keywords:
            found.append(user)
        elif user.func is use or not _takes_manager(file, user):
            return None
    return found


def _takes_manager(file: File, call: ast.Call) -> bool:
    """Whether a call constructs an optimizer that is replaced by the NPU's."""
    name = file.name(call.func)
    if name is None or name not in (MIXED_OPTIMIZER, *REWRITES):
        return False
    args = CallSite(file, call, name).args
    optimizer = args.value("opt")
    return (
        not args.starred
        and optimizer is not None
        and file.is_a(optimizer, "tf.keras.optimizers.Optimizer") is not True
    )


# --- imports ---------------------------------------------------------------------------------


def name_npu_class(file: File, fix: Fix, func: ast.expr, name: str) -> str:
    """Make a call name the NPU's class; its name in the file.

    A class that is imported by name keeps that name: the import statement is rewritten, for all
    classes that it imports at once.
    """
    module, cls = _MOVED[name]
    statements = _imports_of(func)
    if not statements:
        spelling = fix.use(module, cls)
        fix.replace(func, spelling)
        return spelling
    for statement in statements:
        _move_import(file, fix, statement)
    return cls


def _imports_of(func: ast.expr) -> list[ast.ImportFrom]:
    """The ``from`` imports a bare name comes from; none when it comes from anything else."""
    if not isinstance(func, ast.Name):
        return []
    nodes = [item.node for item in backward.bindings(func)]
    found = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return found if len(found) == len(nodes) else []


def _move_import(file: File, fix: Fix, node: ast.ImportFrom) -> None:
    canonical = file.resolver.knowledge.canonical
    kept: list[str] = []
    moved: dict[str, list[str]] = {}
    for alias in node.names:
        target = _MOVED.get(canonical(f"{node.module}.{alias.name}"))
        local = alias.asname or alias.name
        if target is None:
            kept.append(alias.name + (f" as {alias.asname}" if alias.asname else ""))
        else:
            module, name = target
            moved.setdefault(module, []).append(name + (f" as {local}" if local != name else ""))
    lines = [f"from {module} import {', '.join(names)}" for module, names in sorted(moved.items())]
    if kept:
        lines.insert(0, f"from {node.module} import {', '.join(kept)}")
    fix.replace_statement(node, lines)
