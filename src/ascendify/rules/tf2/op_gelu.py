"""Gelu: where the NPU's fast form could serve."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.kit.once import words
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tensorflow import gelu
from ascendify.source.nodes import keyword_value, string

RULE = Rule(
    code="TF2-OP-1",
    title="Consider the NPU's gelu",
    why=(
        "The NPU has one operator for gelu, where TensorFlow uses several that each read and write "
        "the whole tensor. It computes an approximation with a sigmoid, which differs from both "
        "forms of TensorFlow, so using it is a choice and nothing is rewritten."
    ),
    statuses=(Status.INFO,),
    before="y = tf.nn.gelu(x, approximate=True)",
)

_CALLS = ("tf2.nn.gelu", "tf2.keras.activations.gelu")
_USED = ("npu_device.ops.gelu",)


@RULE.file
def suggest(file: File) -> Diagnoses:
    """Report once per file, with all lines."""
    if "gelu" not in file.module.source.text and "erf" not in file.module.source.text:
        return
    if any(file.calls(*_USED)):
        return
    found = sorted(_places(file), key=lambda item: item[0].lineno)
    found = [item for item in found if not in_test(file, item[0])]
    if not found:
        return
    node, what = found[0]
    others = words(sorted({item.lineno for item, _ in found} - {node.lineno}))
    yield RULE.info(
        file.at(node),
        f"{what}{others}; npu_device.ops.gelu(x) is one operator on the NPU, and faster. It is "
        "another approximation: evaluate a trained model again before using it",
    )


def _places(file: File) -> Iterator[tuple[ast.expr | ast.FunctionDef, str]]:
    for site in file.calls(*_CALLS):
        yield site.node, f"{site.brief} computes gelu"
    for call in file.module.index.calls:
        value = keyword_value(call, "activation")
        if string(value) == "gelu" and value is not None:
            names, _ = file.names(call.func)
            if any(name.startswith("tf2.keras.layers.") for name in names):
                yield value, f"activation={file.brief(value)} computes gelu in its exact form"
    for written in gelu.find(file):
        form = "exact form, with erf" if written.is_exact else "form with tanh"
        yield written.node, f"{written.title} computes gelu in its {form}"
