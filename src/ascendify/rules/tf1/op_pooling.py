"""Max pooling: suggest the variant whose backward pass is faster."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TF1-OP-5",
    title="Consider max pooling with indices",
    why=(
        "The gradient of max pooling searches every window again unless the forward pass kept "
        "the positions; the ResNet-50 port gained speed by keeping them."
    ),
    statuses=(Status.INFO,),
    before="x = tf.nn.max_pool(x, ksize, strides, 'SAME')",
)

_POOLING = (
    "tf.nn.max_pool", "tf.nn.max_pool2d", "tf.nn.max_pool_v2", "tf.compat.v2.nn.max_pool2d",
    "tf.layers.max_pooling2d",
)  # fmt: skip
_CHANNELS_FIRST = ("NCHW", "channels_first", "NCHW_VECT_C")


@RULE.call(*_POOLING)
def suggest_argmax(site: CallSite) -> Diagnoses:
    """Suggest it once per file, at the first pooling."""
    file = site.file
    calls = [call for call in file.calls(*_POOLING) if not _channels_first(call)]
    if not calls or calls[0].node is not site.node:
        return
    tensor = _given(site, "value", "input", "inputs")
    more = f" ({len(calls)} calls in this file)" if len(calls) > 1 else ""
    yield RULE.info(
        site,
        f"{site.callee} has a faster form on an NPU{more}",
        todo=(
            "If pooling shows up in the profile of a float network in NHWC layout: "
            f"tf.nn.max_pool_with_argmax({file.brief(tensor) if tensor else 'x'}, "
            f"ksize={_window(site, 'ksize', 'pool_size')}, "
            f"strides={_window(site, 'strides', 'strides')}, padding={_padding(site)})[0]."
        ),
    )


def _channels_first(call: CallSite) -> bool:
    layout = call.args.value("data_format")
    values = None if layout is None else call.file.literal(layout)
    return values is not None and any(value in _CHANNELS_FIRST for value in values)


def _given(site: CallSite, *parameters: str) -> ast.expr | None:
    """The value of the first of these parameters that is given."""
    return next((item.value for name in parameters if (item := site.args.get(name))), None)


def _window(site: CallSite, *parameters: str) -> str:
    """The four numbers of a window; tf.layers takes one or two of them."""
    value = _given(site, *parameters)
    if value is None:
        return "[1, 2, 2, 1]"
    values = site.file.literal(value)
    if values is not None and isinstance(values[0], int):
        return f"[1, {values[0]}, {values[0]}, 1]"
    return site.file.brief(value)


def _padding(site: CallSite) -> str:
    value = site.args.value("padding")
    if value is None:
        return "'VALID'"
    values = site.file.literal(value)
    if values is not None and isinstance(values[0], str):
        return repr(values[0].upper())
    return site.file.brief(value)
