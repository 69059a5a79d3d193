"""Suggest the NPU's single kernels for what networks build from many small operators."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, once
from ascendify.rules.tf1 import _distributed

RULE = Rule(
    code="TF1-OP-11",
    title="Know the NPU's own kernels",
    why=(
        "Layer norm, PReLU, LARS and LAMB run as many small operators; the adapter has one "
        "operator for each. No change is needed; the profile shows whether one pays."
    ),
    statuses=(Status.INFO,),
    before="x = tf.contrib.layers.layer_norm(x)",
)

_KERNELS = {
    **dict.fromkeys(
        ("tf.contrib.layers.layer_norm", "tf.keras.layers.LayerNormalization"),
        "npu_aicore_ops.layer_norm(x, gamma, beta, begin_norm_axis, begin_params_axis)[0] of "
        "npu_bridge.estimator.npu_aicore_ops takes gamma and beta, which you create yourself",
    ),
    "tf.keras.layers.PReLU": "PReLU of npu_bridge.tbe.npu_vector_ops is a layer with its arguments",
    "tf.contrib.opt.LARSOptimizer": (
        "npu_ops.LARSV2(weight, gradient, weight_decay, learning_rate) of npu_bridge.estimator "
        "computes the scaled gradient, for an optimizer of your own"
    ),
}
_LAMB = (
    "lamb_apply_optimizer_assign and lamb_apply_weight_assign of npu_bridge.tbe.npu_vector_ops "
    "compute the two halves of a LAMB step"
)


@RULE.call(*_KERNELS)
def suggest_kernel(site: CallSite) -> Diagnoses:
    """Suggest it once per file, at the first call."""
    if once.is_first(site):
        yield RULE.info(
            site,
            f"{site.callee} has a dedicated NPU kernel",
            todo=f"If it shows up in the profile: {_KERNELS[site.name]}.",
        )


@RULE.file
def suggest_lamb(file: File) -> Diagnoses:
    """Optimizers of the project that are LAMB by name and by base class."""
    for node in file.module.index.classes:
        if "lamb" in node.name.lower() and _distributed.is_optimizer_class(file, node):
            yield RULE.info(
                file.at(node),
                f"The optimizer {node.name} has dedicated NPU kernels",
                todo=f"If its update shows up in the profile: {_LAMB}.",
            )
