"""A loss scale that a program keeps by hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import in_test
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TF2-LS-4",
    title="Know what a loss scale kept by hand does not do",
    why=(
        "A loss that is multiplied by a number, and gradients that are divided by it, work on an "
        "NPU as they are. A step whose gradients overflow is taken all the same; the NPU's loss "
        "scale optimizer asks the device and leaves it out."
    ),
    statuses=(Status.INFO,),
    before=(
        "with tf.GradientTape() as tape:\n"
        "    scaled = loss * loss_scale\n"
        "grads = [g / loss_scale for g in tape.gradient(scaled, variables)]"
    ),
)

_SCALE = re.compile(r"loss_?scal(?:e|ing)\w*", re.I)


@RULE.file
def report(file: File) -> Diagnoses:
    """The first product of a loss and a scale under a tape, where something divides by it too."""
    if "GradientTape" not in file.module.source.text:
        return
    products = [item for item in _operations(file, ast.Mult) if _is_under_tape(file, item[0])]
    divided = {name for _, name in _operations(file, ast.Div)}
    for node, name in products:
        if name in divided and not in_test(file, node):
            yield RULE.info(
                file.at(node),
                f"{file.brief(node, 40)} scales the loss by hand, which goes on to work; steps "
                "that overflow are not left out",
                todo=(
                    "To leave them out, use npu_device.train.optimizer.NpuLossScaleOptimizer("
                    f"optimizer, dynamic=False, initial_scale={name}) with get_scaled_loss and "
                    "get_unscaled_gradients."
                ),
            )
            return


def _operations(file: File, kind: type[ast.operator]) -> Iterator[tuple[ast.BinOp, str]]:
    for node in file.module.index.of(ast.BinOp):
        if isinstance(node.op, kind):
            for side in (node.left, node.right):
                if _SCALE.fullmatch(last_name(side)):
                    yield node, file.text(side)


def _is_under_tape(file: File, node: ast.AST) -> bool:
    return any(
        isinstance(item, ast.With) and "GradientTape" in file.text(item.items[0].context_expr)
        for item in ancestors(node)
    )
