"""Placeholders: report shapes with open dimensions."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf1 import _dims
from ascendify.rules.tf1._host_work import is_host_work
from ascendify.source.nodes import functions_around

RULE = Rule(
    code="TF1-DATA-4",
    title="Give placeholders a complete shape",
    why=(
        "With an open dimension the graph is compiled for each shape that is fed, which takes "
        "minutes every time."
    ),
    statuses=(Status.MANUAL,),
    before="x = tf.placeholder(tf.float32, [None, 784])",
)

_PARAMETERS = {
    "tf.placeholder": "shape",
    "tf.placeholder_with_default": "shape",
    "tf.keras.Input": "shape",
}
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
            dtype = site.args.value("dtype")
            yield RULE.manual(
                site,
                f"{call}({'' if dtype is None else file.brief(dtype)}) has no shape",
                todo=(
                    "Give it one: shape=() for a single number or flag, else the full size of "
                    "what is fed, batch dimension included."
                ),
            )
        return
    open_ = _dims.open_dimensions(file, shape)
    if not open_:
        return
    fixed = _completed(site, shape, open_)
    if open_ == [0] and site.name != "tf.keras.Input":
        found = f"{call} leaves the batch dimension of {file.brief(shape)} open"
        todo = (
            f"Use the batch size, {fixed}, and feed full batches only: fill the last one up and "
            "ignore the results of the filling."
        )
    else:
        found = f"{call} leaves dimensions of {file.brief(shape)} open"
        todo = f"Give fixed sizes, {fixed}, and pad what is fed to them."
    yield RULE.manual(site, found, todo=todo)


def _is_text(site: CallSite) -> bool:
    """Whether strings are fed: file names and records, for the input pipeline on the host."""
    dtype = site.args.value("dtype")
    return dtype is not None and (
        site.file.name(dtype) == "tf.string" or site.file.literal(dtype) == ("string",)
    )


def _is_for_export(site: CallSite) -> bool:
    """Whether it stands in a function for serving, which the training graph does not use."""
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


def _completed(site: CallSite, shape: ast.expr, open_: list[int]) -> str:
    """The user's shape with names in place of None."""
    if not isinstance(shape, (ast.List, ast.Tuple)):
        return "for example [BATCH_SIZE, ...]"
    batch = site.name != "tf.keras.Input"
    texts = [
        ("BATCH_SIZE" if number == 0 and batch else f"MAX_SIZE_{number}")
        if number in open_
        else site.file.brief(item, 30)
        for number, item in enumerate(shape.elts)
    ]
    return f"[{', '.join(texts)}]"
