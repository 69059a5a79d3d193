"""Loss scale optimizers of Keras: the NPU's in their place."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Site, Status
from ascendify.rules.kit.callees import is_direct
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf2 import _loss_scale
from ascendify.source.nodes import is_called
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-LS-1",
    title="Scale the loss with the NPU's optimizer",
    why=(
        "Keras looks for Inf and NaN in the gradients to find an overflow. NPUs of the Atlas "
        "training series saturate instead, so there is nothing to see: the step is taken with "
        "wrong gradients. NpuLossScaleOptimizer asks the device, and behaves like Keras' own on "
        "NPUs that have Inf and NaN."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))",
    after="opt = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1))",
)


@RULE.call(_loss_scale.NATIVE, _loss_scale.EXPERIMENTAL)
@outside_tests
def replace(site: CallSite) -> Diagnoses:
    """Use the NPU's class in place of Keras's; the arguments are the same."""
    if not is_direct(site.file, site.node.func):
        yield RULE.manual(
            site,
            f"{site.callee} may be Keras' loss scale optimizer",
            todo="Use npu_device.train.optimizer.NpuLossScaleOptimizer where it is named.",
        )
        return
    fix = site.fix()
    old = site.name == _loss_scale.EXPERIMENTAL or _has_loss_scale(site)
    new = _loss_scale.npu_experimental(fix) if old else _loss_scale.npu_optimizer(fix)
    fix.replace(site.node.func, new)
    yield RULE.auto(
        site,
        f"{site.callee} does not see overflows of an NPU",
        done=f"Replaced it by {new}.",
        fix=fix,
    )


def _has_loss_scale(site: CallSite) -> bool:
    """Whether a call has the arguments of before TensorFlow 2.4: ``(optimizer, 'dynamic')``."""
    if "loss_scale" in {keyword.arg for keyword in site.node.keywords}:
        return True
    second = site.node.args[1] if len(site.node.args) > 1 else None
    return second is not None and site.file.literal(second) == ("dynamic",)


@RULE.reference(_loss_scale.NATIVE, _loss_scale.EXPERIMENTAL)
def report_subclass(site: Site) -> Diagnoses:
    """A class of the project that inherits from it; a comparison of types holds for both."""
    if isinstance(parent(site.node), ast.ClassDef) and not is_called(site.node):
        yield RULE.manual(
            site,
            f"a class inherits from {site.brief}, which does not see overflows of an NPU",
            todo="Inherit from npu_device.train.optimizer.NpuLossScaleOptimizer instead.",
            effort=Effort.HOURS,
        )
