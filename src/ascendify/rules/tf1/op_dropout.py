"""Dropout: use the NPU's operator, which takes a keep probability."""

from __future__ import annotations

import ast
from decimal import Decimal

from ascendify.rules.kit import (
    CallSite,
    Diagnoses,
    Diagnosis,
    File,
    Fix,
    Rule,
    Status,
    callees,
    once,
)
from ascendify.rules.tensorflow import dtypes, host
from ascendify.source.nodes import is_literal
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TF1-OP-1",
    title="Use the NPU's dropout",
    why=(
        "TensorFlow's dropout draws random numbers, compares and multiplies in separate "
        "operators; the NPU has one operator for it, several times faster."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before="h = tf.nn.dropout(h, rate=1 - keep)",
    after="h = npu_ops.dropout(h, keep_prob=keep)",
    safety=(
        "The random mask is another one than TensorFlow's for the same seed. Where a tensor is or "
        "may be float64, which the NPU's dropout does not take, TensorFlow's stays. A graph that "
        "is exported for plain TensorFlow must be built without dropout, as usual."
    ),
)

_LAYERS = (
    "tf.layers.dropout", "tf.layers.Dropout", "tf.keras.layers.Dropout",
    "tf.keras.layers.SpatialDropout1D", "tf.keras.layers.SpatialDropout2D",
    "tf.keras.layers.SpatialDropout3D", "keras.layers.Dropout", "keras.layers.core.Dropout",
    "keras.layers.SpatialDropout1D", "keras.layers.SpatialDropout2D",
    "keras.layers.SpatialDropout3D",
)  # fmt: skip
"""Layers that inherit Dropout's call method, which one import replaces.

The keras package's are listed because another rule imports them from tf.keras."""


@RULE.call("tf.nn.dropout", "tf.compat.v2.nn.dropout")
def use_npu_dropout(site: CallSite) -> Diagnoses:
    """Call the NPU's function, which has the same parameters except for the rate."""
    file, args = site.file, site.args
    if args.starred or not callees.is_direct(file, site.node.func):
        return
    tensor = args.value("x")
    if tensor is None or _is_alternative(file, site.node):
        return
    if host.runs_on_host(file, site.node) or host.may_run_on_host(file, site.node):
        return
    if dtypes.may_be_double(file, tensor, site.node):
        yield _kept(site, f"{file.brief(tensor)} of {site.callee}")
        return
    fix = site.fix()
    if not _give_keep_prob(site, fix):
        return
    spelled = site.callee
    function = f"{fix.use('npu_bridge.estimator', 'npu_ops')}.dropout"
    fix.replace(site.node.func, function)
    rate = args.value("rate")
    done = f"Replaced {spelled} by {function}."
    if rate is not None:
        keep = _keep_prob(fix, rate)
        done = f"Replaced {spelled} by {function}; rate={file.brief(rate)} became {keep}."
    found = f"{spelled} runs as several operators on an NPU"
    yield RULE.auto(site, found, done=done, fix=fix)


def _kept(site: CallSite, what: str) -> Diagnosis:
    return RULE.info(
        site,
        f"{what} is or may be float64, which the NPU's dropout does not take",
        todo="TensorFlow's dropout stays. Computing in float32 lets the NPU's take its place.",
    )


def _is_alternative(file: File, call: ast.Call) -> bool:
    """Whether a switch of the program chooses between this dropout and the NPU's."""
    others = file.once(_npu_branches)
    branches = _branches(call) if others else {}
    return any(branches.get(item, side) != side for other in others for item, side in other.items())


def _npu_branches(file: File) -> list[dict[ast.AST, bool]]:
    """The conditions around each call of the NPU's dropout that has any."""
    found = (
        _branches(call)
        for call in file.module.index.calls_by_name.get("dropout", ())
        if file.name(call.func) == "npu.npu_ops.dropout"
    )
    return [branches for branches in found if branches]


def _branches(node: ast.AST) -> dict[ast.AST, bool]:
    """The conditions around a node; True where the node is in the branch taken when it holds."""
    found: dict[ast.AST, bool] = {}
    below = node
    for item in ancestors(node):
        if isinstance(item, ast.If):
            found[item] = below in item.body
        elif isinstance(item, ast.IfExp):
            found[item] = below is item.body
        below = item
    return found


@RULE.call(*_LAYERS)
def patch_dropout_layers(site: CallSite) -> Diagnoses:
    """Import the module that makes Keras's layer use the NPU's operator, once per file."""
    if not once.is_first(site, *_LAYERS):
        return
    if dtypes.may_be_double(site.file, None, site.node):
        yield _kept(site, f"what {site.callee} gets")
        return
    fix = site.fix()
    name = fix.use("npu_bridge.estimator.npu", "npu_convert_dropout", comment="noqa: F401")
    if not fix.imports:
        return
    yield RULE.auto(
        site,
        f"{site.callee} runs as several operators on an NPU",
        done=f"Imported {name}, which makes every Keras dropout layer use the NPU's operator.",
        fix=fix,
    )


def _give_keep_prob(site: CallSite, fix: Fix) -> bool:
    """Turn the rate into a keep probability; False when the call is not one TensorFlow accepts."""
    args = site.args
    rate, keep = args.get("rate"), args.get("keep_prob")
    if rate is None:
        return keep is not None and not is_literal(keep.value, None)
    number = _number(rate.value)
    if is_literal(rate.value, None) or (number is not None and not 0 <= number < 1):
        return False
    if keep is not None and not is_literal(keep.value, None):
        return False
    text = _keep_prob(fix, rate.value)
    if keep is not None:
        fix.replace(keep.value, text)
        fix.remove_argument(site.node, rate)
    elif rate.keyword is None:
        fix.replace(rate.value, text)
    else:
        fix.replace(rate.keyword, f"keep_prob={text}")
    return True


def _keep_prob(fix: Fix, rate: ast.expr) -> str:
    """The keep probability for a rate, in its shortest form."""
    number = _number(rate)
    if number is not None:
        keep = Decimal(1) - Decimal(repr(number))
        return "1.0" if keep == 1 else str(keep.normalize())
    if (
        isinstance(rate, ast.BinOp)
        and isinstance(rate.op, ast.Sub)
        and _number(rate.left) == 1
        and not isinstance(rate.right, ast.NamedExpr)
    ):
        return fix.text(rate.right)
    return f"1 - {fix.operand(rate)}"


def _number(node: ast.expr) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
