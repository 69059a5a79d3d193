"""Signatures of functions that leave dimensions open."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.tf2 import _traced
from ascendify.source.flow import backward
from ascendify.source.scopes import parent
from ascendify.source.values import Function

RULE = Rule(
    code="TF2-FUNC-3",
    title="Give functions static shapes",
    why=(
        "A dimension of None in an input_signature makes the whole function dynamic: the NPU "
        "compiles it for unknown shapes, which is slower, and some operators need static ones."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    foretells=("EMU-BATCH-1", "EMU-SHAPE-1"),
    before=(
        "@tf.function(input_signature=[tf.TensorSpec([None, 28, 28], tf.float32)])\n"
        "def step(images):\n"
        "    return images * 2"
    ),
)


@RULE.call("tf2.function")
def report_signature(site: CallSite) -> Diagnoses:
    """``tf.function(input_signature=[tf.TensorSpec([None, 3])])``."""
    signature = site.args.value("input_signature")
    if signature is None:
        return
    open_ones = [site.file.brief(item, 40) for item in _specs(site.file, signature)]
    if open_ones:
        found = (
            f"{open_ones[0]} leaves a dimension open, so the function is compiled for unknown "
            "shapes"
        )
        todo = "Write the batch size in its place where every batch is full."
        if _trains(site):
            yield RULE.manual(site.at(signature), found, todo=todo)
        else:
            yield RULE.info(site.at(signature), found, todo=todo)


def _trains(site: CallSite) -> bool:
    """Whether the function that gets the signature computes or applies gradients."""
    owner = parent(site.node)
    functions = [owner] if isinstance(owner, ast.FunctionDef) else _wrapped(site)
    return any(map(_traced.trains, functions))


def _wrapped(site: CallSite) -> list[ast.AST]:
    """The functions of the project that ``tf.function(step, ...)`` wraps.

    ``tf.function(input_signature=...)(step)`` wraps it, too.
    """
    given = site.args.value("func")
    owner = parent(site.node)
    if isinstance(owner, ast.Call) and owner.func is site.node and owner.args:
        given = owner.args[0]
    values = [] if given is None else site.file.resolver.infer(site.file.module, given)
    return [value.node for value in values if isinstance(value, Function)]


def _specs(file: File, node: ast.expr) -> Iterator[ast.Call]:
    """The specifications of tensors that leave a dimension open."""
    if isinstance(node, ast.Name):
        bindings = backward.bindings(node)
        if len(bindings) != 1 or bindings[0].value is None:
            return
        node = bindings[0].value
    for item in ast.walk(node):
        if isinstance(item, ast.Call) and file.name(item.func) == "tf2.TensorSpec":
            shape = CallSite(file, item, "tf2.TensorSpec").args.value("shape")
            if shape is not None and _is_open(file, shape):
                yield item


def _is_open(file: File, shape: ast.expr) -> bool:
    if isinstance(shape, (ast.List, ast.Tuple)):
        return any(file.literal(item) == (None,) for item in shape.elts)
    return isinstance(shape, ast.Constant) and shape.value is None
