"""Automatic mixed precision of TensorFlow: switch it off, and scale the loss the NPU's way."""

from __future__ import annotations

import ast

from ascendify.catalog import advice
from ascendify.rules.kit import (
    Argument,
    CallSite,
    Diagnoses,
    Diagnosis,
    File,
    Fix,
    Rule,
    Site,
    Status,
    callees,
    fixes,
)
from ascendify.rules.tf1 import _loss_scale, _npu

RULE = Rule(
    code="TF1-PREC-1",
    title="Let the NPU choose the precision, not TensorFlow's graph rewrite",
    why=(
        "TensorFlow's automatic mixed precision inserts float16 casts chosen for GPUs before the "
        "NPU sees the graph. The NPU has a precision mode of its own, with its own lists."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 512)",
    after="opt = NPULossScaleOptimizer(opt, FixedLossScaleManager(loss_scale=512))",
    safety=(
        "Operators run in the type they are written in until a precision mode is chosen with "
        "--precision-mode."
    ),
)

_VARIABLES = (
    "TF_ENABLE_AUTO_MIXED_PRECISION",
    "TF_ENABLE_AUTO_MIXED_PRECISION_GRAPH_REWRITE",
    "TF_ENABLE_AUTO_MIXED_PRECISION_LOSS_SCALING",
)
_REWRITER = "tf.core.protobuf.rewriter_config_pb2.RewriterConfig"
_FIELD = "auto_mixed_precision"
_OFF = frozenset({"0", 0, 2, "false"})
"""Values that switch nothing on: False and the like; 2 is RewriterConfig.OFF."""


@RULE.call(*_loss_scale.REWRITES)
def replace_rewrite(site: CallSite) -> Diagnoses:
    """Keep the optimizer and wrap it in the NPU's, which scales the loss."""
    file, args = site.file, site.args
    optimizer = args.get("opt")
    scale = args.get("loss_scale")
    if args.starred or optimizer is None or not callees.is_direct(file, site.node.func):
        yield _by_hand(site)
        return
    if file.is_a(optimizer.value, "tf.keras.optimizers.Optimizer"):
        yield _keras(site, optimizer)
        return
    fix = site.fix()
    if _loss_scale.is_requested(file) and _is_default(file, scale):
        function = fix.use(_npu.OPTIONS_MODULE, "loss_scale_optimizer")
        text = f"{function}({fix.text(optimizer.value)}{_loss_scale.is_distributed(file)})"
        fix.replace(site.node, text)
    elif not _give_manager(site, fix, scale):
        yield _by_hand(site)
        return
    yield RULE.auto_check(
        site,
        f"{site.callee} rewrites the graph for GPUs",
        done="Replaced it by a loss scale optimizer of the NPU around the same optimizer.",
        todo=_choose_mode(file),
        fix=fix,
    )


def _is_default(file: File, scale: Argument | None) -> bool:
    """Whether TensorFlow chooses the loss scale; one that the script sets is kept."""
    return scale is None or file.literal(scale.value) == ("dynamic",)


def _give_manager(site: CallSite, fix: Fix, scale: Argument | None) -> bool:
    """Name the NPU's optimizer and give it a manager; False when the scale cannot be read."""
    file = site.file
    manager = _loss_scale.manager(file, fix, None if scale is None else scale.value)
    if manager is None:
        return False
    made_here = scale is None or manager != fix.text(scale.value)
    around = _loss_scale.control_dependencies(file, site.node)
    if made_here and around is not None:
        # the manager's variables must not depend on operators of the step
        name = fix.fresh("loss_scale_manager")
        fix.insert_before(around, f"{name} = {manager}")
        manager = name
    if scale is None:
        fix.add_argument(site.node, f"loss_scale_manager={manager}")
    elif scale.keyword is not None:
        fix.replace(scale.keyword, f"loss_scale_manager={manager}")
    elif made_here:
        fix.replace(scale.value, manager)
    _loss_scale.use_optimizer(file, fix, site.node)
    return True


@RULE.reference("os.environ")
def switch_off_variable(site: Site) -> Diagnoses:
    """``os.environ['TF_ENABLE_AUTO_MIXED_PRECISION'] = '1'``."""
    owner = site.parent
    statement = site.statement
    if (
        not isinstance(owner, ast.Subscript)
        or not isinstance(owner.slice, ast.Constant)
        or owner.slice.value not in _VARIABLES
        or not isinstance(statement, ast.Assign)
        or statement.targets != [owner]
        or _is_off(site.file, statement.value)
    ):
        return
    file = site.file
    off = file.quoted("0", owner.slice)
    fix = fixes.replacing(file, statement.value, off)
    yield _off(file, statement, str(owner.slice.value), f"Set it to {off}.", fix)


@RULE.store(f"{_REWRITER}.{_FIELD}")
def remove_field(site: Site) -> Diagnoses:
    """``config.graph_options.rewrite_options.auto_mixed_precision = 1``."""
    statement = site.statement
    if not isinstance(statement, ast.Assign) or statement.targets != [site.node]:
        return
    if not _is_off(site.file, statement.value):
        fix = fixes.removing(site.file, statement)
        yield _off(site.file, statement, _FIELD, "Removed the assignment.", fix)


@RULE.call(_REWRITER)
def remove_argument(site: CallSite) -> Diagnoses:
    """``RewriterConfig(auto_mixed_precision=True)``."""
    given = site.args.get(_FIELD)
    if given is None or _is_off(site.file, given.value):
        return
    fix = site.fix()
    fix.remove_argument(site.node, given)
    done = f"Removed {site.file.brief(given.node)}."
    yield _off(site.file, site.node, site.callee, done, fix)


@RULE.call("tf.config.optimizer.set_experimental_options")
def switch_off_option(site: CallSite) -> Diagnoses:
    """``tf.config.optimizer.set_experimental_options({'auto_mixed_precision': True})``."""
    given = site.args.value("options")
    if not isinstance(given, ast.Dict):
        return
    for key, value in zip(given.keys, given.values):
        named = isinstance(key, ast.Constant) and key.value == _FIELD
        if not named or _is_off(site.file, value):
            continue
        fix = fixes.replacing(site.file, value, "False")
        yield _off(site.file, site.node, site.brief, f"Set {_FIELD} to False.", fix)


def _off(file: File, at: ast.AST, what: str, done: str, fix: Fix) -> Diagnosis:
    found = f"{what} makes TensorFlow rewrite the graph for GPUs"
    return RULE.auto_check(file.at(at), found, done=done, todo=_choose_mode(file), fix=fix)


def _keras(site: CallSite, optimizer: Argument) -> Diagnosis:
    file = site.file
    return RULE.auto_check(
        site,
        f"{site.callee} rewrites the graph for GPUs",
        done=f"Used {file.brief(optimizer.value)} without it.",
        todo=(
            "There is no loss scale for Keras optimizers on an NPU. For mixed precision, train "
            "with a tf.train optimizer in NPULossScaleOptimizer."
        ),
        fix=fixes.replacing(file, site.node, site.fix().text(optimizer.value)),
    )


def _by_hand(site: CallSite) -> Diagnosis:
    return RULE.manual(
        site,
        f"{site.callee} rewrites the graph for GPUs, and its loss scale cannot be followed",
        todo=f"{_loss_scale.recipe(site.file)} {_choose_mode(site.file)}".rstrip(),
    )


def _choose_mode(file: File) -> str:
    return "" if _npu.has_precision_mode(file) else advice.text("mixed-precision")


def _is_off(file: File, value: ast.expr) -> bool:
    if isinstance(value, ast.Attribute) and value.attr == "OFF":
        return True
    values = file.literal(value)
    return values is not None and all(item in _OFF for item in values)
