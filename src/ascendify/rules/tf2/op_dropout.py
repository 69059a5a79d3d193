"""Dropout: modules that older ports carried to replace it are no longer needed."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.kit.imports import remove_alias
from ascendify.source.nodes import ImportNode

RULE = Rule(
    code="TF2-OP-2",
    title="Leave dropout to npu_device",
    why=(
        "npu_device puts its own dropout into tf.nn.dropout when it is opened. Older ports carry a "
        "module npu_convert_dropout that replaces Dropout.call as well; with it, calling a model "
        "eagerly with training=True fails."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="import npu_convert_dropout",
    after="",
)

_MODULE = "npu_convert_dropout"


@RULE.file
def remove_module(file: File) -> Diagnoses:
    """Remove imports of the module."""
    if _MODULE not in file.module.source.text:
        return
    for node in file.module.index.imports:
        for alias in node.names:
            if _is_of(node, alias):
                yield from _drop(file, node, alias)


def _is_of(node: ImportNode, alias: ast.alias) -> bool:
    module = getattr(node, "module", None) or ""
    return _MODULE in (*module.split("."), *alias.name.split("."))


def _drop(file: File, node: ImportNode, alias: ast.alias) -> Diagnoses:
    local = alias.asname or alias.name.partition(".")[0]
    found = f"{file.brief(node)} replaces dropout, which npu_device does itself"
    if any(scope.uses(local) for scope in file.module.index.scopes) and alias.name != "*":
        yield RULE.manual(file.at(node), found, todo=f"Remove the import and every use of {local}.")
        return
    fix = file.fix()
    remove_alias(fix, node, alias)
    yield RULE.auto(
        file.at(node), found, done="Removed it; the module itself can be deleted.", fix=fix
    )
