"""Packages for TensorFlow 2 that bring operators or optimizers of their own."""

from __future__ import annotations

import ast
from typing import Union

from ascendify.catalog._data import table
from ascendify.rules.kit import Diagnoses, ImportSite, Rule, Status

RULE = Rule(
    code="TF2-API-4",
    title="Know what packages around TensorFlow bring along",
    why=(
        "TensorFlow Addons, Probability and Text, and models of TensorFlow Hub, bring operators "
        "that the NPU's compiler may not have; such an operator runs on the host. Their releases "
        "must be those for TensorFlow 2.6."
    ),
    statuses=(Status.INFO,),
    before="import tensorflow_addons as tfa",
)

_SAID = {row["import"]: row["text"] for row in table("tensorflow-packages")["packages"]}


@RULE.imports(*(f"{name}.*" for name in _SAID), *_SAID)
def report_package(site: ImportSite) -> Diagnoses:
    """Report the first import of such a package in a file."""
    package = site.name.partition(".")[0]
    if package not in _SAID or any(
        _package(node) == package and node.lineno < site.node.lineno
        for node in site.file.module.index.imports
    ):
        return
    yield RULE.info(site, f"{site.file.brief(site.node)}: {_SAID[package]}")


def _package(node: Union[ast.Import, ast.ImportFrom]) -> str:
    """The package that an import statement brings in, the first of several."""
    module = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
    return (module or "").partition(".")[0]
