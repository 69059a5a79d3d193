"""TensorFlow Addons: which of its functions need a kernel that only CPUs and GPUs have."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status, once
from ascendify.rules.kit.tests import in_test

RULE = Rule(
    code="TF2-LIB-1",
    title="Do not use compiled operators of TensorFlow Addons in a model",
    why=(
        "Some functions of TensorFlow Addons are compiled kernels for CPUs and GPUs. In a function "
        "on an NPU they split the graph and run on the host. Its optimizers, losses and most "
        "layers are made of TensorFlow's operators and work."
    ),
    statuses=(Status.MANUAL,),
    before="import tensorflow_addons as tfa\ny = tfa.layers.CorrelationCost(1, 4, 1, 1, 4, 'NHWC')",
)

_COMPILED = tuple(
    f"tensorflow_addons.{name}"
    for name in (
        "activations.gelu", "activations.hardshrink", "activations.lisht", "activations.mish",
        "activations.rrelu", "activations.softshrink", "activations.tanhshrink",
        "image.adjust_hsv_in_yiq", "image.random_hsv_in_yiq", "image.euclidean_dist_transform",
        "image.resampler", "layers.CorrelationCost", "layers.EmbeddingBag", "layers.GELU",
        "text.parse_time", "text.skip_gram_sample", "seq2seq.BeamSearchDecoder",
    )
)  # fmt: skip
_INSTEAD = {
    "activations.gelu": "tf.nn.gelu",
    "layers.GELU": "tf.keras.layers.Activation('gelu')",
    "activations.mish": "x * tf.math.tanh(tf.math.softplus(x))",
    "activations.tanhshrink": "x - tf.math.tanh(x)",
    "activations.lisht": "x * tf.math.tanh(x)",
}


@RULE.reference(*_COMPILED)
def report(site: Site) -> Diagnoses:
    """The first mention of each in a file."""
    others = once.others(site)
    if others is None or in_test(site.file, site.node):
        return
    instead = _INSTEAD.get(site.name.partition(".")[2])
    yield RULE.manual(
        site,
        f"{site.brief} is a compiled operator for CPUs and GPUs{others}",
        todo=(
            f"Use {instead}."
            if instead
            else "Write it with TensorFlow's operators, or do it in Dataset.map on the host."
        ),
        effort=Effort.MINUTES if instead else Effort.HOURS,
    )
