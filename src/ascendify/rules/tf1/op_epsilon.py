"""Epsilon constants: report numbers that are 0 in float16."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import cast

from ascendify.catalog import options
from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status
from ascendify.rules.kit.names import of_either
from ascendify.rules.tensorflow import host

RULE = Rule(
    code="TF1-OP-10",
    title="Use epsilons that float16 can hold",
    why=(
        "Under mixed precision an operator may run in float16, whose smallest number is 6e-8. "
        "A smaller epsilon becomes 0, and the division, root or logarithm it protects gives Inf."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="p = tf.log(p + 1e-10)",
)

SMALLEST = 6e-8
"""The smallest positive float16, rounded up."""

_PARAMETERS = {
    "tf.nn.batch_normalization": "variance_epsilon",
    **dict.fromkeys(
        ("tf.nn.fused_batch_norm", "tf.nn.l2_normalize", "tf.layers.batch_normalization",
         "tf.layers.BatchNormalization", "tf.keras.layers.BatchNormalization",
         "tf.keras.layers.LayerNormalization", "tf.contrib.layers.batch_norm",
         "tf.contrib.slim.batch_norm", "tf.contrib.layers.instance_norm",
         "tf.contrib.layers.group_norm"),
        "epsilon",
    ),
}  # fmt: skip
_GUARDED = (
    "tf.log", "tf.sqrt", "tf.rsqrt", "tf.div", "tf.divide", "tf.truediv", "tf.realdiv",
    "tf.reciprocal", "tf.pow",
    # names that TensorFlow 2 has only under tf.math
    "tf.math.log", "tf.math.rsqrt", "tf.math.reciprocal", "tf.math.log1p", "tf.math.xlogy",
)  # fmt: skip
_BOUNDING = ("tf.maximum", "tf.clip_by_value")


@RULE.call(*_PARAMETERS)
def check_parameter(site: CallSite) -> Diagnoses:
    """Check an epsilon that is passed as a parameter."""
    value = site.args.value(_PARAMETERS[of_either(site.name) or ""])
    if value is not None:
        yield from _report(site, value)
    elif (
        of_either(site.name) == "tf.nn.l2_normalize"
        and _is_mixed(site.file)
        and not site.args.starred
    ):
        yield RULE.manual(
            site,
            f"{site.callee} has the epsilon 1e-12 by default, 0 in float16",
            todo="Give it epsilon=1e-6.",
        )


@RULE.call(*_GUARDED)
def check_sum(site: CallSite) -> Diagnoses:
    """A small number added to the operand."""
    for argument in site.node.args[:2]:
        for operand in _summands(argument):
            yield from _report(site, operand)


@RULE.call(*_BOUNDING)
def check_bound(site: CallSite) -> Diagnoses:
    """A small number as lower bound."""
    lower = site.args.value("clip_value_min")
    for argument in site.node.args[:2] if of_either(site.name) == "tf.maximum" else [lower]:
        if argument is not None:
            yield from _report(site, argument)


def _report(site: CallSite, node: ast.expr) -> Diagnoses:
    file = site.file
    value = _tiny(file, node)
    if value is None or host.runs_on_host(file, site.node):
        return
    mixed = _is_mixed(file)
    text = file.brief(node)
    shown = text if isinstance(node, ast.Constant) else f"{text} = {value!r}"
    yield RULE.finding(
        Status.MANUAL if mixed else Status.INFO,
        site.at(node),
        f"{site.callee} uses {shown}, which is 0 in float16",
        todo=(
            f"Raise it to 1e-5 (at least 1e-7), or compute this under {_scope(file)}"
            + ("." if mixed else ", before a mixed precision mode is switched on.")
        ),
        effort=Effort.MINUTES if mixed else None,
    )


def _scope(file: File) -> str:
    """How to keep operators in their type, in the file's TensorFlow."""
    if file.facts.releases.get(file.path) == "tf2" and "tensorflow" not in file.frameworks:
        return "`with npu_device.keep_dtype_scope():`"
    return "`with npu_scope.keep_dtype_scope():` of npu_bridge.estimator.npu"


def _summands(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _summands(node.left)
        yield from _summands(node.right)
    elif isinstance(node, (ast.Constant, ast.Name, ast.Attribute)):
        yield node


def _tiny(file: File, node: ast.expr) -> float | None:
    """The number an expression surely is, when it is too small for float16."""
    values = file.literal(node) or ()
    numbers = [v for v in values if isinstance(v, float) and 0 < v < SMALLEST]
    return numbers[0] if numbers and len(numbers) == len(values) else None


def _is_mixed(file: File) -> bool:
    return options.wants_loss_scale(cast("Mapping[str, options.Value]", file.facts.npu_options))
