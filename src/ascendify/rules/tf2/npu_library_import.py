"""Ported code: imports of npu_device in files that do not use it."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.kit.imports import remove_alias
from ascendify.source.nodes import ImportNode

RULE = Rule(
    code="TF2-NPU-3",
    title="Import npu_device only where it is used",
    why=(
        "Ports have import npu_device in every file. It does nothing there, and a file that only "
        "holds layers or reads data can then not be used where npu_device is missing."
    ),
    statuses=(Status.AUTO,),
    before="import npu_device as npu\nx = tf.constant(1)",
    after="x = tf.constant(1)",
)


@RULE.file
def remove_unused(file: File) -> Diagnoses:
    """Remove an import that nothing of the file reads; scripts that are run keep theirs."""
    if file.is_entry or file.stem == "__init__" or "npu_device" not in file.module.source.text:
        return
    if "__all__" in file.module.source.text or file.path.endswith(".ipynb"):
        return
    for node in file.module.index.imports:
        for alias in node.names:
            if _is_plain(node, alias) and not _is_used(file, alias.asname or "npu_device"):
                fix = file.fix()
                remove_alias(fix, node, alias)
                yield RULE.auto(
                    file.at(node),
                    "npu_device is imported and not used in a file that is not run",
                    done="Removed the import.",
                    fix=fix,
                )


def _is_plain(node: ImportNode, alias: ast.alias) -> bool:
    return isinstance(node, ast.Import) and alias.name == "npu_device"


def _is_used(file: File, name: str) -> bool:
    """Whether the file or one that imports it reads the name."""
    if any(scope.uses(name) for scope in file.module.index.scopes):
        return True
    importers = file.resolver.project.importers(file.path)
    return any(
        f"{file.stem}.{name}" in item.source.text or _imports(item.source.text, file, name)
        for item in importers
    )


def _imports(text: str, file: File, name: str) -> bool:
    return any(
        f"{file.stem} import" in line and (name in line or "*" in line)
        for line in text.splitlines()
    )
