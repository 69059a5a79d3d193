"""Estimators of TensorFlow 2 itself, which cannot use an NPU."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status, once

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


@RULE.reference("tf2.estimator.*")
def tell_estimator(site: Site) -> Diagnoses:
    """The first mention in a file."""
    names = {item.name for item in site.file.references("tf2.estimator.*")}
    others = once.others(site, *names)
    if others is None:
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
