"""Estimators of TensorFlow 2 itself, which cannot use an NPU."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status, once
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tf2 import _program

RULE = Rule(
    code="TF2-V1-2",
    title="Train Estimators through compat.v1",
    why=(
        "An Estimator trains in sessions of its own, which npu_device.open() does not reach. The "
        "NPU's Estimator is there for tf.compat.v1.estimator only."
    ),
    statuses=(Status.BLOCKER,),
    before="estimator = tf.estimator.Estimator(model_fn)",
)


@RULE.reference(*_program.ESTIMATORS)
def report_estimator(site: Site) -> Diagnoses:
    """Report the first class of a file that trains; hooks and exporters alone train nothing."""
    others = once.others(site, *_program.ESTIMATORS)
    if others is None or in_test(site.file, site.node):
        return
    spelled = site.brief
    yield RULE.blocker(
        site,
        f"{spelled} trains in sessions, which an opened NPU does not reach{others}",
        todo=(
            f"Use the names of tf.compat.v1 ({spelled.replace('tf.', 'tf.compat.v1.', 1)}, "
            "tf.compat.v1.layers or tf.keras layers in the model function), then migrate again: "
            "the rules of TensorFlow 1 take it from there. Or train the network with Keras."
        ),
        effort=Effort.HOURS,
    )
