"""Placeholders: give single numbers their shape, and report other shapes that are open."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf1 import _dims
from ascendify.rules.tf1._host_work import is_host_work
from ascendify.rules.tf1._scalars import is_scalar
from ascendify.source.nodes import functions_around

RULE = Rule(
    code="TF1-DATA-4",
    title="Give placeholders a complete shape",
    why=(
        "With an open dimension the graph is compiled for each shape that is fed, which takes "
        "minutes every time. With one shape it is compiled once, as any other."
    ),
    statuses=(Status.AUTO, Status.MANUAL, Status.INFO),
    before="keep = tf.placeholder(tf.float32)\nh = tf.nn.dropout(h, keep)",
    after="keep = tf.placeholder(tf.float32, shape=())\nh = tf.nn.dropout(h, keep)",
)

_PARAMETERS = {
    "tf.placeholder": "shape",
    "tf.placeholder_with_default": "shape",
    "tf.keras.Input": "shape",
}
_PAD = (
    "Give every size, such as [BATCH_SIZE, MAX_LENGTH], and pad what is fed to it; shape=() for a "
    "single number or flag. Where only a few sizes occur it may stay: each is compiled once."
)
_ENCODERS = ("tf.io.encode_jpeg", "tf.image.encode_png")
_EXPORT_WORDS = ("serving", "export", "receiver", "freeze")


@RULE.call(*_PARAMETERS)
@outside_tests
def report_open_shape(site: CallSite) -> Diagnoses:
    """A placeholder whose shape is missing or has open dimensions."""
    file = site.file
    if _is_text(site) or _is_for_export(site) or _is_for_encoding(site) or is_host_work(file):
        return
    shape = site.args.value(_PARAMETERS[site.name])
    call = site.callee
    if shape is None or file.literal(shape) == (None,):
        if site.name == "tf.placeholder" and not site.args.starred:
            yield _without_shape(site, shape)
        return
    open_ = _dims.open_dimensions(file, shape)
    if not open_:
        return
    if open_ == [0] and site.name != "tf.keras.Input":
        yield RULE.info(
            site,
            f"{call} leaves the batch dimension of {file.brief(shape)} open",
            todo=(
                "Nothing, where every batch has the same size. Where the last one is smaller, or "
                "evaluation uses another size, the graph is compiled once more for each size: "
                "fill such batches up to save these minutes."
            ),
            cause=site.path,
        )
        return
    yield RULE.manual(
        site,
        f"{call} leaves dimensions of {file.brief(shape)} open",
        todo=_PAD,
        cause=site.path,
    )


def _without_shape(site: CallSite, shape: ast.expr | None) -> Diagnosis:
    dtype = site.args.value("dtype")
    found = f"{site.callee}({'' if dtype is None else site.file.brief(dtype)}) has no shape"
    if not is_scalar(site):
        return RULE.manual(site, found, todo=_PAD, cause=site.path)
    fix = site.fix()
    if shape is None:
        fix.add_argument(site.node, "shape=()")
    else:
        fix.replace(shape, "()")
    return RULE.auto(site, found, done="Gave it shape=(): a single number or flag is fed.", fix=fix)


def _is_text(site: CallSite) -> bool:
    """Whether strings are fed: file names and records, for the input pipeline on the host."""
    dtype = site.args.value("dtype")
    return dtype is not None and (
        site.file.name(dtype) == "tf.string" or site.file.literal(dtype) == ("string",)
    )


def _is_for_export(site: CallSite) -> bool:
    """Whether it is inside a serving function, which the training graph does not use."""
    return any(
        word in getattr(function, "name", "").lower()
        for function in functions_around(site.node)
        for word in _EXPORT_WORDS
    )


def _is_for_encoding(site: CallSite) -> bool:
    """Whether the placeholder only feeds an encoder of images, in a script that writes records."""
    assign = site.statement
    if not isinstance(assign, ast.Assign):
        return False
    name = site.file.text(assign.targets[0])
    return any(
        site.file.text(argument) == name
        for call in site.file.calls(*_ENCODERS)
        for argument in call.node.args
    )
