"""Assertions that the batch dimension is unknown, which fails once batches have one size."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, MethodSite, Rule, Status
from ascendify.source.nodes import is_called
from ascendify.source.scopes import parent, statement

RULE = Rule(
    code="TF1-SHAPE-2",
    title="Compare shapes without the batch dimension",
    why=(
        "Datasets that drop a smaller last batch give tensors of a known batch size. A program "
        "that asserts an unknown one, as [None, 28, 28, 3], stops there."
    ),
    statuses=(Status.AUTO,),
    before=(
        "image = tf.data.Dataset.range(8).batch(2).make_one_shot_iterator().get_next()\n"
        "assert image.get_shape().as_list() == [None]"
    ),
    after=(
        "image = tf.data.Dataset.range(8).batch(2).make_one_shot_iterator().get_next()\n"
        "assert image.get_shape().as_list()[1:] == []"
    ),
    safety="The other dimensions, and how many there are, are still compared.",
)


@RULE.method("as_list", where=is_called)
def compare_without_batch(site: MethodSite) -> Diagnoses:
    """``assert x.get_shape().as_list() == [None, ...]`` in a project that reads with tf.data."""
    file, call = site.file, site.call
    around = parent(call) if call is not None else None
    if call is None or not isinstance(around, ast.Compare) or len(around.ops) != 1:
        return
    if not isinstance(around.ops[0], ast.Eq) or not isinstance(statement(call), ast.Assert):
        return
    shape = around.comparators[0] if around.left is call else around.left
    if not isinstance(shape, ast.List) or not shape.elts or not _is_none(shape.elts[0]):
        return
    if not _uses_datasets(site):
        return
    fix = site.fix()
    end = file.module.end(call)
    fix.replace_range(end, end, "[1:]")
    first, rest = shape.elts[0], shape.elts[1:]
    until = file.module.start(rest[0]) if rest else file.module.end(shape) - 1
    if "#" in file.module.source.text[file.module.start(first) : until]:
        return
    fix.replace_range(file.module.start(first), until, "")
    yield RULE.auto(
        file.at(call),
        f"{file.brief(call)} is compared with a shape whose batch dimension is unknown",
        done="Left the batch dimension out of the comparison.",
        fix=fix,
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _uses_datasets(site: MethodSite) -> bool:
    """Whether any file of the project builds a dataset: others feed batches of any size."""
    return bool(site.file.resolver.project.relevant_with("tf.data", ".data."))
