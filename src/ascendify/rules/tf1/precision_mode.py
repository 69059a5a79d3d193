"""Precision mode: suggest one where a script starts training and sets none."""

from __future__ import annotations

from ascendify.catalog import hardware
from ascendify.rules.kit import Diagnoses, File, Rule, Status, callees
from ascendify.rules.tensorflow import datasets
from ascendify.rules.tf1 import _npu

RULE = Rule(
    code="TF1-PREC-2",
    title="Choose a precision mode",
    why=(
        "An NPU's matrix unit is fastest in float16. In mixed precision the graph engine chooses "
        "the type of each operator from lists; without a mode the product's default decides, "
        "which differs between the Atlas training series and later ones."
    ),
    statuses=(Status.INFO,),
    before="train_op = tf.train.AdamOptimizer(lr).minimize(loss)",
)

_TRAINING = (
    "tf.train.Optimizer.minimize", "tf.train.Optimizer.apply_gradients",
    "tf.estimator.Estimator.train", "tf.estimator.train_and_evaluate", "tf.keras.Model.fit",
    "tf.contrib.slim.learning.train", "tf.contrib.training.train",
)  # fmt: skip
_BFLOAT16 = ", ".join(each.series for each in hardware.families().values() if each.bfloat16)


@RULE.file
def suggest_mode(file: File) -> Diagnoses:
    """Suggest it once per script that trains, unless a mode is requested or set."""
    if not file.is_entry or _npu.has_precision_mode(file):
        return
    if any(mode in file.module.source.text for mode in _npu.PRECISION_MODES):
        return
    first = min(callees.calls(file, *_TRAINING), key=lambda call: call.node.lineno, default=None)
    if first is None:
        return
    yield RULE.info(
        first,
        f"{datasets.spelled(file, first.node)} trains without a precision mode",
        todo=(
            "To train in mixed precision, migrate with --precision-mode allow_mix_precision "
            f"--loss-scale dynamic; on {_BFLOAT16} allow_mix_precision_bf16 needs no loss scale."
        ),
    )
